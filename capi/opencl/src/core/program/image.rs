//! Images: a translated program as one block of bytes, which is both what `CL_PROGRAM_BINARIES` gives and what
//! the cache holds.
//!
//! Layout: `MAGIC`; the length and then the bytes of each part: the form and how many tries, the target, the rest in the
//! order of `Image`'s members; the SHA-256 of all before. Numbers are of 8 bytes, the least significant first.
//!
//! An image is good for the version of ours that made it; others are refused. Its machine code is good for the kind of
//! processor that it was made for: on others an executable is *bare*, bitcode that is translated anew.

use crate::core::device::facts;
use crate::core::version;
use opencl_sys::*;
use sha2::{Digest, Sha256};

/// What `CL_PROGRAM_BINARY_TYPE` says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Object,
    Library,
    Executable,
}

impl Form {
    const ALL: [Form; 3] = [Form::Object, Form::Library, Form::Executable];

    pub fn binary_type(self) -> cl_program_binary_type {
        match self {
            Form::Object => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            Form::Library => CL_PROGRAM_BINARY_TYPE_LIBRARY,
            Form::Executable => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub form: Form,
    /// Less was done for it than could be, for the time that it takes; so often it was tried to do all. `None`: it is as good as it gets.
    pub hurried: Option<u8>,
    /// LLVM's bitcode: what objects and libraries are linked from.
    pub bitcode: Vec<u8>,
    /// The shared object and its description; empty unless it is executable, and not bare.
    pub object: Vec<u8>,
    pub description: Vec<u8>,
    pub log: Vec<u8>,
}

const MAGIC: &[u8; 16] = b"Vicinity OpenCL\n";
const DIGEST_BYTES: usize = 32;
const NUMBER_BYTES: usize = 8;

/// What an image is good for.
fn target() -> Vec<u8> {
    let words = facts().features.iter().flat_map(|word| word.to_le_bytes());
    version::OWN.bytes().chain(words).collect()
}

fn add_parts(bytes: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(*part);
    }
}

/// Parts in one block, with a checksum.
pub fn sealed(magic: &[u8; 16], parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    add_parts(&mut bytes, parts);
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    bytes
}

/// The parts of a block that is just as [`sealed`] made it.
pub fn unsealed<'a>(magic: &[u8; 16], bytes: &'a [u8]) -> Option<impl Iterator<Item = &'a [u8]>> {
    let (content, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST_BYTES)?)?;
    let mut rest = content.strip_prefix(magic)?;
    if Sha256::digest(content).as_slice() != digest {
        return None;
    }
    Some(std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk::<NUMBER_BYTES>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, after) = after.split_at_checked(length)?;
        rest = after;
        Some(part)
    }))
}

impl Image {
    /// The first bytes of an executable with this bitcode, which the translator makes whole (docs/kernel-abi.md).
    pub fn head(bitcode: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        add_parts(&mut bytes, &[&[Form::Executable as u8, 0], &target(), bitcode]);
        bytes
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let state = [self.form as u8, self.hurried.map_or(0, |tries| tries.saturating_add(1))];
        let target = target();
        let parts =
            [&state, &target[..], &self.bitcode, &self.object, &self.description, &self.log];
        sealed(MAGIC, &parts)
    }

    /// `None`: no image, a damaged one, or not for this machine.
    pub fn from_bytes(bytes: &[u8]) -> Option<Image> {
        let (image, made_for) = Image::read(bytes)?;
        (made_for == target()).then_some(image)
    }

    /// The same for images of any processor: an executable of another one is bare.
    pub fn from_anywhere(bytes: &[u8]) -> Option<Image> {
        let (image, made_for) = Image::read(bytes)?;
        let own = target();
        let is_ours = made_for.len() == own.len() && made_for.starts_with(version::OWN.as_bytes());
        if !is_ours || made_for == own {
            return is_ours.then_some(image);
        }
        let none = Vec::new;
        // What a bare one says of itself stays.
        let description = if image.is_bare() { image.description } else { none() };
        Some(Image { hurried: None, object: none(), description, log: none(), ..image })
    }

    /// An executable without machine code for this processor.
    pub fn is_bare(&self) -> bool {
        self.form == Form::Executable && self.object.is_empty()
    }

    /// The image, and what it was made for.
    fn read(bytes: &[u8]) -> Option<(Image, Vec<u8>)> {
        let mut parts = unsealed(MAGIC, bytes)?;
        let mut next = || parts.next().map(<[u8]>::to_vec);
        let (state, made_for) = (next()?, next()?);
        let &[form, tries] = state.as_slice() else { return None };
        let form = *Form::ALL.get(usize::from(form))?;
        let (bitcode, object, description, log) = (next()?, next()?, next()?, next()?);
        let hurried = tries.checked_sub(1);
        Some((Image { form, hurried, bitcode, object, description, log }, made_for))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_how_an_image_begins() {
        let (bitcode, object, description) = (vec![9], vec![7; 3], b"{}".to_vec());
        let (form, hurried) = (Form::Executable, None);
        let image = Image { form, hurried, bitcode, object, description, log: vec![8] };
        let mut bytes = Image::head(&[9]);
        add_parts(&mut bytes, &[&[7; 3], b"{}", &[8]]);
        bytes.extend(Sha256::digest(&bytes));
        assert_eq!(Image::from_bytes(&bytes), Some(image));
    }

    #[test]
    fn of_another_processor_the_bitcode_is_taken_and_of_another_version_nothing() {
        let made_for = |target: &[u8], form: Form| {
            let state = [form as u8, 0];
            sealed(MAGIC, &[&state, target, b"bitcode", b"object", b"{}", b"a warning"])
        };
        let mut other = target();
        *other.last_mut().unwrap() ^= 1;
        let bytes = made_for(&other, Form::Executable);
        assert_eq!(Image::from_bytes(&bytes), None);
        let image = Image::from_anywhere(&bytes).unwrap();
        assert!(image.is_bare() && image.bitcode == b"bitcode" && image.log.is_empty());
        assert_eq!(Image::from_anywhere(&image.to_bytes()), Some(image), "still bare");
        let object = Image::from_anywhere(&made_for(&other, Form::Object)).unwrap();
        assert!(!object.is_bare() && object.bitcode == b"bitcode");
        let own = made_for(&target(), Form::Executable);
        assert_eq!(Image::from_anywhere(&own), Image::from_bytes(&own));
        assert!(!Image::from_bytes(&own).unwrap().is_bare());
        other[0] ^= 1;
        assert_eq!(Image::from_anywhere(&made_for(&other, Form::Object)), None);
        assert_eq!(
            Image::from_anywhere(&made_for(&[&target()[..], b"more"].concat(), Form::Object)),
            None
        );
    }

    #[test]
    fn bytes_and_back_and_no_other_bytes() {
        let image = Image {
            form: Form::Library,
            hurried: Some(2),
            bitcode: vec![1; 100],
            object: Vec::new(),
            description: b"{}".to_vec(),
            log: b"a warning".to_vec(),
        };
        let bytes = image.to_bytes();
        assert_eq!(Image::from_bytes(&bytes), Some(image));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert_eq!(Image::from_bytes(&damaged), None);
            assert_eq!(Image::from_bytes(&bytes[..at]), None);
        }
    }
}
