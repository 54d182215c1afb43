//! A kernel compiled for one local size, by a process that nobody waits for.
//!
//! Source: docs/kernel-abi.md, `specialize`.

use super::cache::Place;
use super::description::Description;
use super::executable::Executable;
use super::image::{Form, Image};
use super::translator;
use crate::os::background::Background;
use std::process::Command;

/// The process, and where the outcome is to be kept.
pub struct Making {
    process: Background,
    place: Option<Place>,
}

pub enum Begun {
    /// It was in the cache.
    Done(Executable),
    Making(Making),
}

/// Begins with it; `None` if that cannot be.
pub fn begin(bitcode: &[u8], kernel: &str, size: [usize; 3]) -> Option<Begun> {
    let translator = translator::find().ok()?;
    let size = size.map(|length| length.to_string()).join(",");
    let key = translator::key("specialize", &translator).with(kernel).with(&size).with(bitcode);
    let place = Place::of(key);
    if let Some(image) = place.as_ref().and_then(Place::read) {
        return load(&image).map(Begun::Done);
    }
    let folder = translator::work_folder().ok()?;
    let program = folder.path().join("generic.bc");
    std::fs::write(&program, bitcode).ok()?;
    let mut command = Command::new(translator);
    command.arg("specialize").arg("--output-dir").arg(folder.path());
    command.args(["--kernel", kernel, "--local-size", &size]).arg(program);
    let process = Background::start(&mut command, folder).ok()?;
    Some(Begun::Making(Making { process, place }))
}

impl Making {
    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.process.is_over()
    }

    /// What came of it, once it is over; `None` if nothing did.
    pub fn outcome(self) -> Option<Executable> {
        let folder = self.process.folder()?;
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        let image = Image {
            form: Form::Executable,
            bitcode: Vec::new(),
            object: read("program.so")?,
            description: read("program.json")?,
            log: Vec::new(),
        };
        let executable = load(&image)?;
        self.place.iter().for_each(|place| place.write(&image));
        Some(executable)
    }
}

fn load(image: &Image) -> Option<Executable> {
    let description = Description::read(&image.description).ok()?;
    let is_one = description.kernels.len() == 1 && description.constructors.is_empty();
    if is_one { Executable::load(&image.object, description).ok() } else { None }
}
