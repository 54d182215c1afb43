//! Keeps what was made of a kernel for one local size, or of a program once more, when whoever wanted it may be gone: in one file, which is there all at once, and
//! without the folder.
//!
//! Layout: docs/kernel-abi.md, `--keep`. That there is no code for a local size is kept, too, so that nobody tries again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::pipeline::{DESCRIPTION, SHARED_OBJECT};
use crate::program::failure::{Failure, cannot};

/// How the file begins; whoever wanted it has left that in the folder.
const HEAD: &str = "image";

/// Keeps what is in `folder` as `file`, and removes the folder.
pub fn keep(made: Result<(), Failure>, folder: &Path, file: &Path) -> Result<(), Failure> {
    let kept = match made {
        Err(Failure::Program(_)) | Ok(()) => {
            write(folder, made.is_ok(), file).map_err(|error| cannot("write", file, &error))
        }
        Err(_) => Ok(()),
    };
    let _ = fs::remove_dir_all(folder);
    made.and(kept)
}

/// The same, where something is kept already that is better than nothing.
pub fn keep_good(made: Result<(), Failure>, folder: &Path, file: &Path) -> Result<(), Failure> {
    if made.is_ok() {
        return keep(made, folder, file);
    }
    let _ = fs::remove_dir_all(folder);
    made
}

fn write(folder: &Path, is_made: bool, file: &Path) -> io::Result<()> {
    let part = |name: &str| if is_made { fs::read(folder.join(name)) } else { Ok(Vec::new()) };
    let head = folder.join(HEAD);
    let mut bytes = fs::read(&head)?;
    for part in [part(SHARED_OBJECT)?, part(DESCRIPTION)?, fs::read(folder.join("log"))?] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let digest = Sha256::digest(&bytes);
    bytes.extend(digest);
    File::create(&head)?.write_all(&bytes)?;
    fs::rename(&head, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(made: Result<(), Failure>) -> Option<Vec<u8>> {
        let above = tempfile::tempdir().unwrap();
        let (folder, file) = (above.path().join("folder"), above.path().join("file"));
        fs::create_dir(&folder).unwrap();
        for (name, text) in
            [(HEAD, "head"), (SHARED_OBJECT, "so"), (DESCRIPTION, "{}"), ("log", "")]
        {
            fs::write(folder.join(name), text).unwrap();
        }
        let status = made.is_ok();
        assert_eq!(keep(made, &folder, &file).is_ok(), status);
        assert!(!folder.exists());
        fs::read(file).ok()
    }

    #[test]
    fn one_file_has_all_of_it_and_the_folder_goes() {
        let bytes = kept(Ok(())).unwrap();
        let (content, digest) = bytes.split_at(bytes.len() - 32);
        assert_eq!(content, b"head\x02\0\0\0\0\0\0\0so\x02\0\0\0\0\0\0\0{}\0\0\0\0\0\0\0\0");
        assert_eq!(digest, Sha256::digest(content).as_slice());
        let none = kept(Err(Failure::Program(String::new()))).unwrap();
        assert!(none.starts_with(b"head\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "nothing was made");
        assert_eq!(kept(Err(Failure::Internal(String::new()))), None);
    }

    #[test]
    fn what_is_made_again_replaces_nothing_when_it_fails() {
        let above = tempfile::tempdir().unwrap();
        let (folder, file) = (above.path().join("folder"), above.path().join("file"));
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "as before").unwrap();
        assert!(keep_good(Err(Failure::Program(String::new())), &folder, &file).is_err());
        assert_eq!(
            (fs::read(file).unwrap().as_slice(), folder.exists()),
            (&b"as before"[..], false)
        );
    }

    #[test]
    fn what_cannot_be_kept_is_a_failure_and_leaves_nothing() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let lost = keep(Ok(()), &folder, &above.path().join("file"));
        assert!(matches!(lost, Err(Failure::Internal(_))));
        assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
    }
}
