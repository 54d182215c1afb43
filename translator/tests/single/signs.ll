; Items search until they find, or a limit is reached. The masks of the loop become numbers as wide as what is compared; a
; choice among masks by a mask, by a test of all, and one that is taken by a store under a mask are among them.
define void @kernel(ptr %list, <4 x i32> %wanted, ptr %place, i1 %go) {
entry:
  %odd = trunc <4 x i32> %wanted to <4 x i1>
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %in = phi <4 x i1> [ <i1 true, i1 true, i1 true, i1 false>, %entry ], [ %left, %loop ]
  %from = getelementptr <4 x i32>, ptr %list, i64 %at
  %value = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %from, i32 4, <4 x i1> %in, <4 x i32> poison)
  %other = icmp ne <4 x i32> %value, %wanted
  %left = select <4 x i1> %in, <4 x i1> %other, <4 x i1> zeroinitializer
  %next = add i64 %at, 1
  %bits = bitcast <4 x i1> %left to i4
  %any = icmp ne i4 %bits, 0
  br i1 %any, label %loop, label %done
done:
  %small = icmp slt <4 x i32> %value, zeroinitializer
  %chosen = select <4 x i1> %odd, <4 x i1> %small, <4 x i1> %left
  %all = select i1 %go, <4 x i1> %chosen, <4 x i1> %odd
  %lives = xor <4 x i1> %all, <i1 true, i1 true, i1 true, i1 true>
  br i1 %go, label %write, label %end
write:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr %place, i32 4, <4 x i1> %lives)
  %numbers = sext <4 x i1> %lives to <4 x i32>
  store <4 x i32> %numbers, ptr %list
  br label %end
end:
  ret void
}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
; A mask that is given is one of those that another is made of.
define <8 x float> @given(<8 x i1> %there, <8 x float> %a, i1 %some) {
entry:
  br i1 %some, label %fewer, label %done
fewer:
  %low = fcmp olt <8 x float> %a, zeroinitializer
  %both = select <8 x i1> %there, <8 x i1> %low, <8 x i1> zeroinitializer
  br label %done
done:
  %mask = phi <8 x i1> [ %there, %entry ], [ %both, %fewer ]
  %made = select <8 x i1> %mask, <8 x float> %a, <8 x float> zeroinitializer
  ret <8 x float> %made
}
