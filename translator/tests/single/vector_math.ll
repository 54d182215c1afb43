; Functions of the C library with forms of all widths, with some, and with none; one of the builtin library that is inlined late.
declare float @sinf(float)
declare double @log(double)
declare float @logf(float)
declare double @tgamma(double)
declare float @vicinity_far_sin(float, float)

define void @kernel(float %x, double %y, ptr %out) {
  %sine = call float @sinf(float %x)
  %log = call double @log(double %y)
  %short = call float @logf(float %x)
  %gamma = call double @tgamma(double %y)
  %far = call float @vicinity_far_sin(float %x, float %sine)
  store float %far, ptr %out
  store double %log, ptr %out
  store float %short, ptr %out
  store double %gamma, ptr %out
  ret void
}
