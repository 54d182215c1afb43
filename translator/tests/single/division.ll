; Divisors that may be 0, or -1 below the smallest number, or -1 where the remainder is 0; one that is a constant, vectors of them.
define void @kernel(i32 %a, i32 %b, <2 x i16> %c, <2 x i16> %d, ptr %out) {
  %unsigned = udiv i32 %a, %b
  %signed = srem i32 %a, %b
  %quotient = sdiv i32 %a, %b
  %constant = sdiv i32 %a, 3
  %vector = sdiv <2 x i16> %c, %d
  store i32 %unsigned, ptr %out
  store i32 %signed, ptr %out
  store i32 %quotient, ptr %out
  store i32 %constant, ptr %out
  store <2 x i16> %vector, ptr %out
  ret void
}
