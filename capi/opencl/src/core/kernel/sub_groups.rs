//! What a kernel answers about its sub-groups.
//!
//! Items of a group are numbered along x first, and each so many of them are a sub-group; the last may have fewer.
//! Sources: `clGetKernelSubGroupInfo`; cl_intel_required_subgroup_size.

use super::Kernel;
use crate::core::device::facts;
use crate::error::{Error, Result, ensure};
use crate::info::Reply;
use opencl_sys::*;

impl Kernel {
    /// `input`: the numbers that the question comes with.
    pub fn sub_group_info(
        &self,
        name: cl_kernel_sub_group_info,
        input: Option<Vec<usize>>,
        reply: Reply,
    ) -> Result {
        let local_size = || {
            let sizes = input.as_deref().unwrap_or_default();
            ensure((1..=3).contains(&sizes.len()), CL_INVALID_VALUE).map(|()| sizes)
        };
        self.ready()?;
        let required = self.description().required_sub_group_size;
        match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                local_size()?;
                reply.give(self.sub_group_size())
            }
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                let items = local_size()?.iter().copied().fold(1, usize::saturating_mul);
                reply.give(items.div_ceil(self.sub_group_size()))
            }
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => match input.as_deref() {
                Some(&[count]) => self.give_local_size(count, reply),
                _ => Err(Error(CL_INVALID_VALUE)),
            },
            CL_KERNEL_MAX_NUM_SUB_GROUPS => {
                reply.give(self.most_items().div_ceil(self.sub_group_size()))
            }
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => reply.give(0usize),
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => reply.give(required.unwrap_or(0)),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }

    /// How many items a sub-group has at most; of a kernel that does not ask for it, as many as a vector has.
    fn sub_group_size(&self) -> usize {
        let lanes = facts().vector_bytes as usize / size_of::<cl_float>();
        self.description().sub_group_size.unwrap_or(lanes)
    }

    /// The local size with so many sub-groups, along x; zeros if there is none. As many numbers as there is room for.
    fn give_local_size(&self, count: usize, reply: Reply) -> Result {
        let items = count.saturating_mul(self.sub_group_size());
        let required = self.description().required_size;
        let may = items <= self.most_items() && required.is_none_or(|size| size == [items, 1, 1]);
        let sizes = if may { [items, 1, 1] } else { [0; 3] };
        let room = reply.room_for::<usize>().map_or(3, |room| room.min(3));
        reply.give_all(&sizes[..room])
    }
}
