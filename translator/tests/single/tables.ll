; Letters become digits; what is none leaves the switch elsewhere. In the second switch a number for all others goes the same way.
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %letter = load i8, ptr addrspace(1) %in
  switch i8 %letter, label %none [ i8 65, label %digit
                                   i8 67, label %one
                                   i8 71, label %two
                                   i8 84, label %three
                                   i8 116, label %three ]
one:
  br label %digit
two:
  br label %digit
three:
  br label %digit
digit:
  %number = phi i32 [ 0, %entry ], [ 1, %one ], [ 2, %two ], [ 3, %three ]
  store i32 %number, ptr addrspace(1) %out
  br label %none
none:
  %wide = sext i8 %letter to i32
  switch i32 %wide, label %meet [ i32 -20, label %low
                                  i32 -3, label %low
                                  i32 9, label %high
                                  i32 30, label %high ]
low:
  br label %meet
high:
  br label %meet
meet:
  %kind = phi i32 [ 7, %none ], [ -1, %low ], [ 1, %high ]
  %same = phi i32 [ %wide, %none ], [ 5, %low ], [ 5, %high ]
  %sum = add i32 %kind, %same
  store i32 %sum, ptr addrspace(1) %out
  ret void
}
