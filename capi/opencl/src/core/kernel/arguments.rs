//! Arguments: what the program set, and the block of bytes that a launch takes of it.
//!
//! Memory objects are remembered by name and looked up at each launch: a kernel keeps no buffer alive, as the
//! specification has it, and one that was released meanwhile is an error then, whoever has its handle by now.
//!
//! Source: docs/kernel-abi.md (the layout of the block); OpenCL 3.0 API, `clSetKernelArg`.

use crate::core::memory::{Address, Memory};
use crate::core::program::description::{
    Argument, ArgumentKind, ImageAccess, KernelDescription, Stride,
};
use crate::core::program::executable::{SCRATCH_ALIGNMENT_BYTES, aligned};
use crate::core::sampler::Sampler;
use crate::core::{svm, usm};
use crate::error::{Error, Result, ensure};
use crate::handle::{Name, Ref};
use opencl_sys::*;
use smallvec::SmallVec;
use std::ptr::NonNull;

/// What the program passes for one argument.
pub enum Value<'a> {
    /// `clSetKernelArg` with bytes.
    Bytes(&'a [u8]),
    /// `clSetKernelArg` with a size and no bytes.
    Nothing { size_bytes: usize },
    /// `clSetKernelArgSVMPointer`.
    Shared(Address),
}

#[derive(Clone)]
pub struct Arguments {
    bytes: Vec<u8>,
    /// One for each argument.
    states: Vec<State>,
}

#[derive(Clone, Copy)]
enum State {
    Unset,
    /// The bytes are in the block.
    Set,
    /// Likewise, and are an address that the program may have, too.
    Shared,
    /// A memory object.
    Memory(Name<Memory>),
    /// Local memory of this size.
    Local(usize),
}

/// The arguments of one launch.
#[derive(Clone)]
pub struct Block {
    /// As the entry point takes them, but for the alignment.
    words: SmallVec<[u64; 8]>,
    /// The memory objects among them, each with the number of its argument.
    pub memory: SmallVec<[(usize, Ref<Memory>); 4]>,
    /// Where the contexts begin in the scratch memory, behind all local data.
    pub context_offset_bytes: usize,
    /// There are addresses among them that the program may have, too.
    pub has_shared: bool,
}

const WORD_BYTES: usize = size_of::<u64>();

impl Arguments {
    pub fn new(kernel: &KernelDescription) -> Arguments {
        let states = vec![State::Unset; kernel.arguments.len()];
        Arguments { bytes: vec![0; kernel.arguments_bytes], states }
    }

    pub fn set(&mut self, index: usize, argument: &Argument, value: Value) -> Result {
        self.states[index] = match (argument.kind, value) {
            (ArgumentKind::Local, Value::Nothing { size_bytes }) => {
                ensure(size_bytes > 0, CL_INVALID_ARG_SIZE)?;
                State::Local(size_bytes)
            }
            (ArgumentKind::Local, Value::Bytes(_)) => return Err(Error(CL_INVALID_ARG_VALUE)),
            (ArgumentKind::Global | ArgumentKind::Constant, value) => match value {
                Value::Shared(address) => {
                    self.put(argument, &address.number().to_ne_bytes());
                    State::Shared
                }
                Value::Nothing { size_bytes } => {
                    ensure(size_bytes == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE)?;
                    self.put(argument, &0usize.to_ne_bytes());
                    State::Set
                }
                Value::Bytes(bytes) => self.memory(argument, bytes)?,
            },
            (ArgumentKind::Value, Value::Bytes(bytes)) => {
                ensure(bytes.len() == argument.size, CL_INVALID_ARG_SIZE)?;
                self.put(argument, bytes);
                State::Set
            }
            (ArgumentKind::Sampler, Value::Bytes(bytes)) => {
                let sampler = Ref::<Sampler>::of(handle(bytes)?)?;
                self.put(argument, &sampler.bits().to_ne_bytes());
                State::Set
            }
            (ArgumentKind::Sampler, Value::Nothing { .. }) => {
                return Err(Error(CL_INVALID_SAMPLER));
            }
            (ArgumentKind::Image, Value::Bytes(bytes)) => {
                let memory = Ref::<Memory>::of(handle(bytes)?)?;
                ensure_image(argument, &memory)?;
                State::Memory(memory.name())
            }
            _ => return Err(Error(CL_INVALID_ARG_VALUE)),
        };
        Ok(())
    }

    fn put(&mut self, argument: &Argument, bytes: &[u8]) {
        self.bytes[argument.offset..][..bytes.len()].copy_from_slice(bytes);
    }

    /// The handle of a memory object, which must be one now; null is a null pointer.
    fn memory(&mut self, argument: &Argument, bytes: &[u8]) -> Result<State> {
        let handle = handle(bytes)?;
        if handle.is_null() {
            self.put(argument, &0usize.to_ne_bytes());
            return Ok(State::Set);
        }
        let memory = Ref::<Memory>::of(handle)?;
        ensure(memory.image().is_none(), CL_INVALID_MEM_OBJECT)?;
        Ok(State::Memory(memory.name()))
    }

    pub fn block(&self, kernel: &KernelDescription) -> Result<Block> {
        let mut block = Block::new(&self.bytes);
        let mut scratch = kernel.local_bytes.next_multiple_of(SCRATCH_ALIGNMENT_BYTES);
        for (index, (state, argument)) in self.states.iter().zip(&kernel.arguments).enumerate() {
            match *state {
                State::Unset => return Err(Error(CL_INVALID_KERNEL_ARGS)),
                State::Set => {}
                State::Shared => block.has_shared = true,
                State::Memory(name) => {
                    let memory = name.object()?;
                    block.put(argument.offset, meaning(&memory));
                    block.memory.push((index, memory));
                }
                State::Local(bytes) => {
                    block.put(argument.offset, scratch);
                    let end = scratch.checked_add(bytes);
                    scratch = end.and_then(aligned).ok_or(Error(CL_OUT_OF_RESOURCES))?;
                }
            }
        }
        block.context_offset_bytes = scratch;
        Ok(block)
    }

    pub fn local_bytes(&self) -> usize {
        let sizes = self.states.iter().map(|state| match state {
            State::Local(bytes) => *bytes,
            _ => 0,
        });
        sizes.fold(0, usize::saturating_add)
    }
}

/// The handle that a program passes as an argument.
fn handle(bytes: &[u8]) -> Result<cl_mem> {
    let bytes = bytes.try_into().map_err(|_| Error(CL_INVALID_ARG_SIZE))?;
    Ok(usize::from_ne_bytes(bytes) as cl_mem)
}

/// What a kernel gets of a memory object: where its data is, or what describes the image.
fn meaning(memory: &Memory) -> usize {
    match memory.image() {
        Some(image) => (&raw const image.described) as usize,
        None => memory.address().number(),
    }
}

/// An error unless the image is of the kind that the kernel declares, and may be used as it says.
fn ensure_image(argument: &Argument, memory: &Memory) -> Result {
    let image = memory.image().ok_or(Error(CL_INVALID_MEM_OBJECT))?;
    let layout = &image.layout;
    let is_depth = layout.format.order == CL_DEPTH;
    let kinds: &[&str] = match (layout.kind, is_depth) {
        (CL_MEM_OBJECT_IMAGE1D, _) => &["image1d_t"],
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, _) => &["image1d_buffer_t"],
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, _) => &["image1d_array_t"],
        (CL_MEM_OBJECT_IMAGE2D, false) => &["image2d_t"],
        (CL_MEM_OBJECT_IMAGE2D, true) => &["image2d_depth_t", "image2d_t"],
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, false) => &["image2d_array_t"],
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, true) => &["image2d_array_depth_t", "image2d_array_t"],
        _ => &["image3d_t"],
    };
    ensure(kinds.contains(&argument.opaque.as_str()), CL_INVALID_ARG_VALUE)?;
    let excluded = match argument.access {
        ImageAccess::ReadOnly | ImageAccess::None => CL_MEM_WRITE_ONLY,
        ImageAccess::WriteOnly => CL_MEM_READ_ONLY,
        ImageAccess::ReadWrite => CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
    };
    ensure(memory.flags() & excluded == 0, CL_INVALID_ARG_VALUE)
}

impl Block {
    fn new(bytes: &[u8]) -> Block {
        let word = |chunk: &[u8]| {
            let mut word = [0; WORD_BYTES];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        };
        let words = bytes.chunks(WORD_BYTES).map(word).collect();
        Block { words, memory: SmallVec::new(), context_offset_bytes: 0, has_shared: false }
    }

    /// A pointer, at a multiple of its size, so that it never lies across two words.
    fn put(&mut self, offset: usize, value: usize) {
        self.words[offset / WORD_BYTES] = value as u64;
    }

    /// What the entry point is given, in memory that is aligned for every type.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether it has the same memory objects.
    pub fn uses_as_much(&self, other: &Block) -> bool {
        let is_same = |(one, other): (&(usize, Ref<Memory>), _)| one.1.is(other);
        self.memory.len() == other.memory.len()
            && self.memory.iter().zip(other.memory.iter().map(|it| &it.1)).all(is_same)
    }

    /// Whether the pointers among the arguments lead to different memory, for certain: memory objects and allocations that do not
    /// overlap. Of other pointers that is not known.
    pub fn are_disjoint(&self, arguments: &[Argument]) -> bool {
        let pointers = arguments.iter().enumerate().filter(|(_, argument)| {
            matches!(argument.kind, ArgumentKind::Global | ArgumentKind::Constant)
        });
        let places = pointers.filter_map(|(index, argument)| self.place(index, argument));
        let places: Option<SmallVec<[(usize, usize); 8]>> = places.collect();
        places.is_some_and(|mut places| {
            places.sort_unstable();
            places.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        })
    }

    /// Where the memory that a pointer leads into begins and ends, if that is known; nothing for null pointers.
    fn place(&self, index: usize, argument: &Argument) -> Option<Option<(usize, usize)>> {
        if let Some(memory) = self.object(index) {
            let begin = memory.address().number();
            return Some(Some((begin, begin.saturating_add(memory.size_bytes()))));
        }
        let address = self.address(argument)?;
        Some(usm::around(address).or_else(|| svm::around(address)))
    }

    /// What a pointer leads into, if the program cannot look there while a kernel runs: where that begins, and how many bytes there are.
    pub fn unseen(&self, index: usize, argument: &Argument) -> Option<(Address, usize)> {
        if let Some(memory) = self.object(index) {
            return Some((memory.address(), memory.size_bytes()));
        }
        let address = self.address(argument)?;
        Some((address, usm::device_bytes_from(address)?))
    }

    fn object(&self, index: usize) -> Option<&Ref<Memory>> {
        self.memory.iter().find(|(object, _)| *object == index).map(|(_, memory)| memory)
    }

    /// Of an argument that is a pointer, and not null.
    fn address(&self, argument: &Argument) -> Option<Address> {
        let word = *self.words.get(argument.offset / WORD_BYTES)?;
        NonNull::new(word as usize as *mut u8).map(Address::of)
    }

    /// A bit for each of these numbers that is 1.
    pub fn units(&self, strides: &[Stride]) -> u64 {
        let is_unit = |stride: Stride| self.unsigned(stride.offset, stride.size) == Some(1);
        let units = Stride::bits(strides).filter(|&(_, stride)| is_unit(stride));
        units.fold(0, |units, (bit, _)| units | bit)
    }

    /// A number among the arguments, as the ranges of a kernel refer to it.
    pub fn number(&self, argument: &Argument) -> Option<i64> {
        let number = self.unsigned(argument.offset, argument.size)?;
        let is_signed = !argument.type_name.starts_with('u') && argument.type_name != "size_t";
        let unused = u64::BITS as usize - 8 * argument.size;
        let wide = number << unused;
        Some(if is_signed { wide as i64 >> unused } else { (wide >> unused) as i64 })
    }

    /// The number of 1 to 8 bytes that lies somewhere among the arguments, within a word.
    fn unsigned(&self, offset: usize, bytes: usize) -> Option<u64> {
        let (word, begin) = (*self.words.get(offset / WORD_BYTES)?, offset % WORD_BYTES);
        let is_within = bytes > 0 && begin + bytes <= WORD_BYTES;
        is_within.then(|| word >> (8 * begin) & u64::MAX >> (8 * (WORD_BYTES - bytes)))
    }
}
