//! Images: what a memory object is besides its memory, if it is one.
//!
//! - `create`: how they are made; `format`: what an element is; `layout`: where elements are; `color`: one color as an element.
//!
//! Pitches of images in others' memory are multiples of an element's size, which is all that is asked of them.

mod color;
mod create;
mod format;
mod layout;

pub use color::element;
pub use format::{Format, offered};
pub use layout::{Described, Layout, MOST_2D, MOST_3D, MOST_LAYERS, MOST_OF_BUFFER};

use crate::core::memory::Memory;
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;

pub struct Image {
    pub layout: Layout,
    /// What kernels are given the address of; it stays where it is as long as the memory object lives.
    pub described: Described,
}

impl Ref<Memory> {
    /// `clGetImageInfo`.
    pub fn image_info(&self, name: cl_image_info, reply: Reply) -> Result {
        let layout = &self.image().ok_or(Error(CL_INVALID_MEM_OBJECT))?.layout;
        let [height, depth, layers] = layout.height_depth_layers();
        match name {
            CL_IMAGE_FORMAT => reply.give([layout.format.order, layout.format.channel]),
            CL_IMAGE_ELEMENT_SIZE => reply.give(layout.element_bytes()),
            CL_IMAGE_ROW_PITCH => reply.give(layout.row_pitch_bytes),
            CL_IMAGE_SLICE_PITCH => reply.give(layout.slice_pitch_bytes()),
            CL_IMAGE_WIDTH => reply.give(layout.size[0]),
            CL_IMAGE_HEIGHT => reply.give(height),
            CL_IMAGE_DEPTH => reply.give(depth),
            CL_IMAGE_ARRAY_SIZE => reply.give(layers),
            CL_IMAGE_BUFFER => {
                let buffer = self.whole().filter(|whole| whole.image().is_none());
                reply.give(buffer.map_or(ptr::null_mut::<c_void>(), Ref::handle))
            }
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => reply.give(0u32),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
