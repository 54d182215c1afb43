/* Images and samplers as what the translator makes of their types (src/opaque.rs): an address of an `Image`, and the bits of a
 * sampler. In other sources of the library they have their types, and these names. */
#include "image.h"

IMAGE vicinity_image(IMAGE image) { return image; }
uint vicinity_sampler(uint sampler) { return sampler; }

/* What clang makes of a sampler in the source. */
uint __translate_sampler_initializer(uint sampler) { return sampler; }
