//! Programs: source, or what came of it, and the kernels in it once it is built.
//!
//! Terms: an *image* is what the translator made, as bytes; an *executable* is the same, loaded. All devices of a
//! context are parts of one machine, so a program is built for all of them at once.
//!
//! States: as `cl_build_status` has them, `Build::status`. While one thread builds, others get
//! `CL_INVALID_OPERATION`, and so does a build while kernels are attached.

mod again;
pub mod aside;
mod bare;
mod bound;
mod build;
mod cache;
pub mod description;
pub mod executable;
pub mod il;
mod image;
mod info;
mod making;
mod options;
mod seats;
mod sources;
pub mod special;
mod translator;
pub mod urgency;

pub use build::Header;
pub use image::Image;

use super::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use description::Description;
use executable::Executable;
use il::Il;
use making::Making;
use opencl_sys::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub struct Program {
    context: Ref<Context>,
    origin: Origin,
    build: Mutex<Build>,
    /// How many kernels there are of it.
    kernels: AtomicU32,
}

enum Origin {
    Source(Vec<u8>),
    Il(Il),
    Binary(Arc<Image>),
    Link,
}

/// How far a program has come.
struct Build {
    status: cl_build_status,
    options: String,
    log: String,
    image: Option<Arc<Image>>,
    executable: Option<Arc<Executable>>,
    /// Code is being made since, or was: the image above is of bitcode alone then.
    making: Option<Arc<Making>>,
    /// The log of which the size was asked for.
    told_log: Option<String>,
}

impl Object for Program {
    const KIND: Kind = Kind::Program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;
}

impl Build {
    fn none() -> Build {
        Build {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            image: None,
            executable: None,
            making: None,
            told_log: None,
        }
    }
}

impl Program {
    pub fn from_source(context: Ref<Context>, source: Vec<u8>) -> Result<Ref<Program>> {
        Program::with(context, Origin::Source(source), Build::none())
    }

    pub fn from_il(context: Ref<Context>, il: &[u8]) -> Result<Ref<Program>> {
        Program::with(context, Origin::Il(Il::new(il)?), Build::none())
    }

    /// Whether it was made of a binary: then it has no source, even where the binary knows of one.
    pub fn is_of_binary(&self) -> bool {
        matches!(self.origin, Origin::Binary(_))
    }

    /// Sets a constant of an intermediate language.
    pub fn specialize(&self, id: u32, value: &[u8]) -> Result {
        match &self.origin {
            Origin::Il(il) => il.specialize(id, value),
            _ => Err(Error(CL_INVALID_PROGRAM)),
        }
    }

    /// What `binary` gave before, here or on another machine.
    pub fn from_binary(context: Ref<Context>, binary: &[u8]) -> Result<Ref<Program>> {
        let image = Arc::new(Image::from_anywhere(binary).ok_or(Error(CL_INVALID_BINARY))?);
        let build = Build { image: Some(image.clone()), ..Build::none() };
        Program::with(context, Origin::Binary(image), build)
    }

    fn with(context: Ref<Context>, origin: Origin, build: Build) -> Result<Ref<Program>> {
        let (build, kernels) = (Mutex::new(build), AtomicU32::new(0));
        Ref::new(Program { context, origin, build, kernels })
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The loaded program, if it is built.
    pub fn executable(&self) -> Result<Arc<Executable>> {
        let executable = self.state().executable.clone();
        executable.ok_or(Error(CL_INVALID_PROGRAM_EXECUTABLE))
    }

    /// What the translator made, if it is built; of bitcode alone, as long as code is being made.
    pub fn image(&self) -> Option<Arc<Image>> {
        self.state().image.clone()
    }

    fn state(&self) -> MutexGuard<'_, Build> {
        self.build.lock().unwrap_or_else(|held| held.into_inner())
    }

    /// A kernel is there, or is not any more.
    pub fn attach_kernel(&self) {
        // Relaxed: a kernel that is made while the program is built anew keeps the executable it was made from.
        self.kernels.fetch_add(1, Ordering::Relaxed);
    }

    pub fn detach_kernel(&self) {
        self.kernels.fetch_sub(1, Ordering::Relaxed);
    }

    fn ensure_no_kernels(&self) -> Result {
        ensure(self.kernels.load(Ordering::Relaxed) == 0, CL_INVALID_OPERATION)
    }
}

/// Loads what the translator made; the error says what is wrong with it.
fn load(image: &Image) -> std::result::Result<Executable, String> {
    let description = Description::read(&image.description)
        .map_err(|error| format!("the program's description: {error}"))?;
    Executable::load(&image.object, description)
}
