; Two defaults that jump to one place which is never reached, behind two ways and behind three.
define void @kernel(ptr addrspace(1) %out, i32 %how, i32 %which) {
entry:
  switch i32 %how, label %never [ i32 0, label %done
                                  i32 1, label %more ]
more:
  switch i32 %which, label %not [ i32 0, label %done
                                  i32 2, label %some
                                  i32 7, label %last ]
some:
  br label %last
last:
  br label %done
done:
  %number = phi i32 [ 1, %entry ], [ 2, %more ], [ 3, %last ]
  store i32 %number, ptr addrspace(1) %out
  ret void
never:
  br label %united
not:
  br label %united
united:
  unreachable
}
