; A nest behind a guard, whose inner loop runs as often as the item says.
declare i64 @_Z13get_global_idj(i32)

define spir_kernel void @kernel(ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %mine = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %id
  %guard = icmp slt i64 %id, %n
  br i1 %guard, label %first, label %done
first:
  %start = load i32, ptr addrspace(1) %mine
  br label %outer
outer:
  %v = phi i32 [ %start, %first ], [ %half, %next ]
  %big = icmp sgt i32 %v, 1
  br i1 %big, label %inner, label %end
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  %sum = phi i32 [ %v, %outer ], [ %sum1, %inner ]
  %sum1 = add i32 %sum, %k
  %k1 = add i32 %k, 1
  %go = icmp slt i32 %k1, %v
  br i1 %go, label %inner, label %next
next:
  %half = sdiv i32 %sum1, 8
  br label %outer
end:
  store i32 %v, ptr addrspace(1) %mine
  br label %done
done:
  ret void
}
