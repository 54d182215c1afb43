//! Samplers: how a kernel reads between and outside the elements of an image, as one number.
//!
//! Source: OpenCL 3.0 API, 5.7; the bits are those of OpenCL C's `CLK_` constants, as clang's header has them.

use super::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;

pub struct Sampler {
    context: Ref<Context>,
    is_normalized: bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    properties: Vec<cl_sampler_properties>,
}

impl Object for Sampler {
    const KIND: Kind = Kind::Sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
}

const NORMALIZED_BIT: u32 = 1;
const NEAREST_BIT: u32 = 0x10;
const LINEAR_BIT: u32 = 0x20;

impl Sampler {
    pub fn new(
        context: Ref<Context>,
        is_normalized: bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Ref<Sampler>> {
        let is_filter = matches!(filter, CL_FILTER_NEAREST | CL_FILTER_LINEAR);
        ensure(is_filter && addressing_bits(addressing).is_some(), CL_INVALID_VALUE)?;
        let repeats = matches!(addressing, CL_ADDRESS_REPEAT | CL_ADDRESS_MIRRORED_REPEAT);
        ensure(is_normalized || !repeats, CL_INVALID_VALUE)?;
        Ref::new(Sampler { context, is_normalized, addressing, filter, properties })
    }

    /// From a list of pairs that a zero ends.
    pub fn of_list(
        context: Ref<Context>,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Ref<Sampler>> {
        let (mut is_normalized, mut addressing, mut filter) = (None, None, None);
        let (pairs, _) = properties.as_chunks::<2>();
        for &[name, value] in pairs {
            let once = match u32::try_from(name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => is_normalized.replace(value),
                Ok(CL_SAMPLER_ADDRESSING_MODE) => addressing.replace(value),
                Ok(CL_SAMPLER_FILTER_MODE) => filter.replace(value),
                _ => return Err(Error(CL_INVALID_VALUE)),
            };
            ensure(once.is_none() && value <= u64::from(u32::MAX), CL_INVALID_VALUE)?;
        }
        let is_normalized = is_normalized.unwrap_or(1);
        ensure(is_normalized <= 1, CL_INVALID_VALUE)?;
        let addressing = addressing.map_or(CL_ADDRESS_CLAMP, |value| value as u32);
        let filter = filter.map_or(CL_FILTER_NEAREST, |value| value as u32);
        Sampler::new(context, is_normalized == 1, addressing, filter, properties)
    }

    /// What a kernel is given of it.
    pub fn bits(&self) -> u32 {
        let filter = if self.filter == CL_FILTER_LINEAR { LINEAR_BIT } else { NEAREST_BIT };
        let normalized = if self.is_normalized { NORMALIZED_BIT } else { 0 };
        addressing_bits(self.addressing).unwrap_or(0) | filter | normalized
    }
}

fn addressing_bits(mode: cl_addressing_mode) -> Option<u32> {
    Some(match mode {
        CL_ADDRESS_NONE => 0,
        CL_ADDRESS_CLAMP_TO_EDGE => 2,
        CL_ADDRESS_CLAMP => 4,
        CL_ADDRESS_REPEAT => 6,
        CL_ADDRESS_MIRRORED_REPEAT => 8,
        _ => return None,
    })
}

impl Ref<Sampler> {
    pub fn info(&self, name: cl_sampler_info, reply: Reply) -> Result {
        match name {
            CL_SAMPLER_REFERENCE_COUNT => reply.give(self.references()),
            CL_SAMPLER_CONTEXT => reply.give(self.context.handle()),
            CL_SAMPLER_NORMALIZED_COORDS => reply.give_bool(self.is_normalized),
            CL_SAMPLER_ADDRESSING_MODE => reply.give(self.addressing),
            CL_SAMPLER_FILTER_MODE => reply.give(self.filter),
            CL_SAMPLER_PROPERTIES => reply.give_all(&self.properties),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
