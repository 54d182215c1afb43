//! Images made: in memory of their own, in the program's, in buffers and in other images.
//!
//! Source: OpenCL 3.0 API, 5.3.1 (which error comes of what).

use super::{Format, Layout};
use crate::core::context::Context;
use crate::core::memory::{Address, DEVICE_ACCESS, Memory, Storage, ensure_host, with_access};
use crate::error::{Result, ensure};
use crate::handle::Ref;
use opencl_sys::*;

impl Memory {
    /// An image in memory of its own, or the program's. What is in it is not copied yet; it is copied as a whole.
    pub fn image_of(
        context: Ref<Context>,
        flags: cl_mem_flags,
        format: Format,
        wanted: &cl_image_desc,
        host: Address,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Ref<Memory>> {
        let layout = Layout::new(format, wanted, !host.pointer().is_null())?;
        ensure(layout.kind != CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR)?;
        ensure_host(flags, host)?;
        let flags = with_access(flags);
        ensure(format.is_offered(layout.kind, flags), CL_IMAGE_FORMAT_NOT_SUPPORTED)?;
        let size_bytes = layout.size_bytes();
        let storage = Storage::new(&context, flags, size_bytes, host, CL_INVALID_HOST_PTR)?;
        Memory::with(context, flags, size_bytes, storage, Some(layout), properties)
    }
}

impl Ref<Memory> {
    /// An image that lies at the beginning of this buffer or image.
    pub fn image_in(
        &self,
        flags: cl_mem_flags,
        format: Format,
        wanted: &cl_image_desc,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Ref<Memory>> {
        let layout = Layout::new(format, wanted, true)?;
        let fits = match (self.image(), layout.kind) {
            (None, CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE2D) => {
                layout.size_bytes() <= self.size_bytes()
            }
            (Some(image), CL_MEM_OBJECT_IMAGE2D) => {
                let whole = &image.layout;
                let is_alike = format.may_stand_for(whole.format);
                ensure(is_alike, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
                let is_asked = wanted.image_row_pitch != 0;
                let is_alike = !is_asked || layout.row_pitch_bytes == whole.row_pitch_bytes;
                whole.kind == layout.kind && layout.size == whole.size && is_alike
            }
            _ => false,
        };
        ensure(fits, CL_INVALID_IMAGE_DESCRIPTOR)?;
        let flags = self.part_flags(flags)?;
        let layout = match self.image() {
            Some(image) => Layout { format, ..image.layout },
            None => layout,
        };
        // What is of use for reading alone may lie in what is written otherwise.
        let read_only = flags & !DEVICE_ACCESS | CL_MEM_READ_ONLY;
        let used = if self.image().is_some() { read_only } else { flags };
        ensure(format.is_offered(layout.kind, used), CL_IMAGE_FORMAT_NOT_SUPPORTED)?;
        let storage = Storage::Part { of: self.clone(), origin_bytes: 0 };
        let (context, bytes) = (self.context().clone(), layout.size_bytes());
        Memory::with(context, flags, bytes, storage, Some(layout), properties)
    }
}
