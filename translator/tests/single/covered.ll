; Three ways that are all there is, two of them to one block, and two ways; a default that is a way stays.
define void @kernel(ptr addrspace(1) %out, i32 %how, i32 %which, i32 %any) {
entry:
  switch i32 %how, label %never [ i32 0, label %done
                                  i32 1, label %more
                                  i32 2, label %done ]
more:
  switch i32 %which, label %never [ i32 0, label %some
                                    i32 7, label %last ]
some:
  switch i32 %any, label %last [ i32 0, label %done
                                 i32 7, label %done ]
last:
  br label %done
done:
  %number = phi i32 [ 1, %entry ], [ 1, %entry ], [ 2, %some ], [ 2, %some ], [ 3, %last ]
  store i32 %number, ptr addrspace(1) %out
  ret void
never:
  unreachable
}
