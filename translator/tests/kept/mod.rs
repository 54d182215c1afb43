//! Texts kept beside what they are made of, which a person has read. `GOLDEN=write` writes them anew.

use std::fs;
use std::path::Path;

/// Compares what `make` says of each file in `folder` with this `ending` with the text kept beside it.
pub fn check(folder: &str, ending: &str, make: &dyn Fn(&Path) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let write = std::env::var_os("GOLDEN").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    let entries = fs::read_dir(&folder).expect("the folder is there");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|has| has != ending) {
            continue;
        }
        let text = make(&path);
        let kept = path.with_extension("txt");
        if write {
            fs::write(&kept, text).expect("the text can be written");
        } else if fs::read_to_string(&kept).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "texts differ from the kept ones; now:\n{}", wrong.join("\n"));
}
