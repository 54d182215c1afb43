; A question about the processor, a scalar function, a form with a slow way, one that is an instruction, and one that nobody calls.
declare i1 @vicinity_has_fma()
declare float @vicinity_far_sin(float, float)
declare <8 x float> @_ZGVdN8vv_vicinity_far_sin(<8 x float>, <8 x float>)
declare <8 x float> @_ZGVdN8v_vicinity_rsqrt_estimate(<8 x float>)
declare <16 x float> @_ZGVeN16v_vicinity_rsqrt_estimate(<16 x float>)

@llvm.compiler.used = appending global [1 x ptr] [ptr @_ZGVeN16v_vicinity_rsqrt_estimate], section "llvm.metadata"

define void @kernel(float %x, <8 x float> %y, ptr %out) {
  %fused = call i1 @vicinity_has_fma()
  %near = select i1 %fused, float 1.0, float 2.0
  %sine = call float @vicinity_far_sin(float %x, float %near)
  %sines = call <8 x float> @_ZGVdN8vv_vicinity_far_sin(<8 x float> %y, <8 x float> %y)
  %roots = call <8 x float> @_ZGVdN8v_vicinity_rsqrt_estimate(<8 x float> %sines)
  store float %sine, ptr %out
  store <8 x float> %roots, ptr %out
  ret void
}
