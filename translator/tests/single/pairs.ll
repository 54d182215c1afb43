; The sine and the cosine of one angle share their work, also where the angle is kept in a variable; a sine alone stays as it is.
define void @kernel(ptr %out, float %x, float %y) {
entry:
  %angle = alloca float
  store float %x, ptr %angle
  %a = load float, ptr %angle
  %sine = call float @_Z3sinf(float %a)
  %b = load float, ptr %angle
  %cosine = call float @_Z3cosf(float %b)
  %other = call float @_Z3sinf(float %y)
  %sum = fadd float %sine, %cosine
  %all = fadd float %sum, %other
  store float %all, ptr %out
  ret void
}
declare float @_Z3sinf(float) memory(none)
declare float @_Z3cosf(float) memory(none)
