; Functions of the C library with forms of all widths, with some, and with none.
declare float @sinf(float)
declare double @log(double)
declare float @logf(float)
declare double @tgamma(double)

define void @kernel(float %x, double %y, ptr %out) {
  %sine = call float @sinf(float %x)
  %log = call double @log(double %y)
  %short = call float @logf(float %x)
  %gamma = call double @tgamma(double %y)
  store float %sine, ptr %out
  store double %log, ptr %out
  store float %short, ptr %out
  store double %gamma, ptr %out
  ret void
}
