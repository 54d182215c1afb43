//! Building, compiling and linking programs.

use super::bare::Home;
use super::executable::Executable;
use super::image::{Form, Image};
use super::making::Making;
use super::options;
use super::translator::{Failure, Made, Work, translate};
use super::{Build, Origin, Program, il, load};
use crate::core::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use opencl_sys::*;
use std::sync::Arc;

/// A program whose source other sources include under this name.
pub struct Header {
    pub name: String,
    pub program: Ref<Program>,
}

impl Program {
    /// `clBuildProgram`. The log is there afterwards, whatever came of it.
    pub fn build(&self, options: &str) -> Result {
        self.begin(options)?;
        let made = match &self.origin {
            Origin::Source(source) => {
                self.made(translate(&Work::Build { source, reader: None }, options))
            }
            Origin::Il(il) => {
                let (source, reader) = (&il.specialized(), il::reader());
                self.made(translate(&Work::Build { source, reader }, options))
            }
            Origin::Binary(image) if image.is_bare() => self.made(whole(image, options)),
            Origin::Binary(image) if image.form == Form::Executable => {
                Ok(Made::Whole(image.clone()))
            }
            Origin::Binary(_) => Err(Error(CL_INVALID_BINARY)),
            Origin::Link => Err(Error(CL_INVALID_OPERATION)),
        };
        self.end(made, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS)
    }

    /// `clCompileProgram`.
    pub fn compile(&self, options: &str, headers: &[Header]) -> Result {
        let specialized;
        let (source, reader) = match &self.origin {
            Origin::Source(source) => (source, None),
            Origin::Il(il) => {
                specialized = il.specialized();
                (&specialized, il::reader())
            }
            _ => return Err(Error(CL_INVALID_OPERATION)),
        };
        let headers = headers.iter().map(|header| match &header.program.origin {
            Origin::Source(text) => Ok((header.name.clone(), Arc::from(text.as_slice()))),
            _ => Err(Error(CL_INVALID_OPERATION)),
        });
        let headers = headers.collect::<Result<Vec<(String, Arc<[u8]>)>>>()?;
        self.begin(options)?;
        let made = self.made(translate(&Work::Compile { source, reader, headers }, options));
        self.end(made, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS)
    }

    /// `clLinkProgram`: a new program; the second value is what came of it. Without a new program, its error.
    pub fn link(
        context: Ref<Context>,
        options: &str,
        inputs: &[Ref<Program>],
    ) -> Result<(Ref<Program>, Result)> {
        let to_library = options::words(options).iter().any(|word| word == "-create-library");
        let inputs = inputs.iter().map(|input| input.linkable()).collect::<Result<Vec<_>>>()?;
        let program = Program::with(context, Origin::Link, Build::none())?;
        program.begin(options)?;
        let made = program.made(translate(&Work::Link { inputs, to_library }, options));
        let outcome = program.end(made, CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS);
        match outcome {
            Err(Error(CL_INVALID_LINKER_OPTIONS)) => Err(Error(CL_INVALID_LINKER_OPTIONS)),
            outcome => Ok((program, outcome)),
        }
    }

    /// What others can be linked from.
    fn linkable(&self) -> Result<Arc<Image>> {
        let build = self.state();
        ensure(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION)?;
        let image = build.image.clone().ok_or(Error(CL_INVALID_OPERATION))?;
        ensure(image.form != Form::Executable, CL_INVALID_OPERATION)?;
        Ok(image)
    }

    /// From now on this thread builds.
    fn begin(&self, options: &str) -> Result {
        self.ensure_no_kernels()?;
        let mut build = self.state();
        ensure(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION)?;
        let options = options.to_owned();
        *build = Build { status: CL_BUILD_IN_PROGRESS, options, ..Build::none() };
        Ok(())
    }

    /// Keeps the log. Failures become the errors that `end` replaces.
    fn made(&self, made: std::result::Result<Made, Failure>) -> Result<Made> {
        match made {
            Ok(made) => {
                if let Made::Whole(image) = &made {
                    self.state().log = String::from_utf8_lossy(&image.log).into_owned();
                }
                Ok(made)
            }
            Err(Failure::Program(log)) => {
                self.state().log = log;
                Err(Error(CL_BUILD_PROGRAM_FAILURE))
            }
            Err(Failure::Options(log)) => {
                self.state().log = log;
                Err(Error(CL_INVALID_BUILD_OPTIONS))
            }
        }
    }

    /// The build is over; `failure` and `bad_options` are this entry point's names for what went wrong.
    fn end(&self, made: Result<Made>, failure: cl_int, bad_options: cl_int) -> Result {
        let loaded = made.and_then(|made| self.loaded(made));
        let mut build = self.state();
        match loaded {
            Ok(ready) => {
                (build.image, build.executable) = (Some(ready.image), ready.executable);
                (build.making, build.status) = (ready.making, CL_BUILD_SUCCESS);
                Ok(())
            }
            Err(error) => {
                build.status = CL_BUILD_ERROR;
                Err(match error {
                    Error(CL_BUILD_PROGRAM_FAILURE) => Error(failure),
                    Error(CL_INVALID_BUILD_OPTIONS) => Error(bad_options),
                    other => other,
                })
            }
        }
    }

    fn loaded(&self, made: Made) -> Result<Ready> {
        let (image, making) = match made {
            Made::Whole(image) => (image, None),
            Made::Declared(making) => (making.declared().image.clone(), Some(making)),
        };
        let executable = match (&making, image.form) {
            (Some(making), _) => Some(Executable::declared(making.clone())),
            (None, Form::Executable) => Some(load(&image).map_err(|error| {
                self.state().log.push_str(&format!("cannot be loaded: {error}\n"));
                Error(CL_BUILD_PROGRAM_FAILURE)
            })?),
            (None, Form::Object | Form::Library) => None,
        };
        Ok(Ready { image, executable: executable.map(Arc::new), making })
    }
}

/// A bare executable with its code. Where it says by which options it was built, those of this call do not count, as for any binary.
fn whole(bare: &Arc<Image>, options: &str) -> std::result::Result<Made, Failure> {
    let home = Home::of(bare);
    let made = home.as_ref().and_then(|home| match Making::of(home, bare) {
        Some(making) => Some(Made::Declared(making)),
        None => home.find(bare).map(Made::Whole),
    });
    if let Some(made) = made {
        return Ok(made);
    }
    let options = home.as_ref().map_or(options, |home| &home.options);
    translate(&Work::of_bare(bare.clone()), options)
}

/// What a build ends with.
struct Ready {
    image: Arc<Image>,
    executable: Option<Arc<Executable>>,
    making: Option<Arc<Making>>,
}
