//! Images: a translated program as one block of bytes, which is both what `CL_PROGRAM_BINARIES` gives and what
//! the cache holds.
//!
//! Layout: `MAGIC`; the length and then the bytes of each part, in the order of `Image`'s members; the SHA-256
//! of all before. Numbers are of 8 bytes, the least significant first.
//!
//! An image is good for the version of ours and the kind of processor that it was made for; others are refused.

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

#[derive(Debug, PartialEq, Eq)]
pub struct Image {
    pub form: Form,
    /// LLVM's bitcode: what objects and libraries are linked from.
    pub bitcode: Vec<u8>,
    /// The shared object and its description; empty unless it is executable.
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

impl Image {
    /// The first bytes of an executable without bitcode, which the translator makes whole (docs/kernel-abi.md).
    pub fn head() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        add_parts(&mut bytes, &[&[Form::Executable as u8], &target(), &[]]);
        bytes
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let (form, target) = ([self.form as u8], target());
        let parts: [&[u8]; 6] =
            [&form, &target, &self.bitcode, &self.object, &self.description, &self.log];
        add_parts(&mut bytes, &parts);
        let digest = Sha256::digest(&bytes);
        bytes.extend(digest);
        bytes
    }

    /// `None`: no image, a damaged one, or not for this machine.
    pub fn from_bytes(bytes: &[u8]) -> Option<Image> {
        let (content, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST_BYTES)?)?;
        let mut rest = content.strip_prefix(MAGIC)?;
        if Sha256::digest(content).as_slice() != digest {
            return None;
        }
        let mut next = || -> Option<Vec<u8>> {
            let (length, after) = rest.split_first_chunk::<NUMBER_BYTES>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (part, after) = after.split_at_checked(length)?;
            rest = after;
            Some(part.to_vec())
        };
        let (form, made_for) = (next()?, next()?);
        let form = *Form::ALL.get(usize::from(*form.first()?))?;
        let image =
            Image { form, bitcode: next()?, object: next()?, description: next()?, log: next()? };
        (made_for == target()).then_some(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_how_an_image_without_bitcode_begins() {
        let (object, description) = (vec![7; 3], b"{}".to_vec());
        let form = Form::Executable;
        let image = Image { form, bitcode: Vec::new(), object, description, log: vec![8] };
        let mut bytes = Image::head();
        add_parts(&mut bytes, &[&[7; 3], b"{}", &[8]]);
        bytes.extend(Sha256::digest(&bytes));
        assert_eq!(Image::from_bytes(&bytes), Some(image));
    }

    #[test]
    fn bytes_and_back_and_no_other_bytes() {
        let image = Image {
            form: Form::Library,
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
