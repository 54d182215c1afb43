//! The library that `make` built exports exactly what `capi/openmp/exports.txt` lists, under the
//! symbol versions it lists, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use vicinity_tests::symbols::{self, Export, objdump};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent")
}

/// `target/dist/lib`, wherever cargo keeps its target folder.
fn lib_folder() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().expect("the scratch folder lies in the target folder").join("dist/lib")
}

fn library() -> PathBuf {
    let path = lib_folder().join("libvicinity.so.1");
    assert!(path.exists(), "{} is not there: run `make` first", path.display());
    path
}

struct Listed {
    exports: BTreeSet<Export>,
    nodes: BTreeSet<String>,
}

fn listed() -> Listed {
    let text = fs::read_to_string(root().join("capi/openmp/exports.txt")).expect("exports.txt");
    let mut listed = Listed { exports: BTreeSet::new(), nodes: BTreeSet::new() };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [] => {}
            ["node", name] | ["node", name, _] => {
                listed.nodes.insert(name.to_string());
            }
            [symbol, versions] => {
                for (index, version) in versions.split(',').enumerate() {
                    let at = if index == 0 { "@@" } else { "@" };
                    let version = version.split('=').next().unwrap_or_default();
                    listed.exports.insert(format!("{symbol}{at}{version}"));
                }
            }
            _ => panic!("exports.txt: cannot read `{line}`"),
        }
    }
    listed
}

fn lines(of: &BTreeSet<String>, without: &BTreeSet<String>) -> String {
    of.difference(without).map(|line| format!("\n  {line}")).collect()
}

#[test]
fn the_library_exports_what_is_listed() {
    let (listed, exported) = (listed().exports, symbols::exported(&library()));
    let missing = lines(&listed, &exported);
    let extra = lines(&exported, &listed);
    assert!(missing.is_empty(), "listed in exports.txt and not exported:{missing}");
    assert!(extra.is_empty(), "exported and not listed in exports.txt:{extra}");
}

#[test]
fn every_version_node_exists() {
    let defined = symbols::nodes(&library(), "libvicinity.so.1");
    assert_eq!(defined, listed().nodes);
}

#[test]
fn the_library_is_one_object_that_stays_loaded() {
    let headers = objdump("-p", &library());
    let value = |key: &str| {
        let words = headers.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        words
            .filter(|words| words.first() == Some(&key))
            .map(|words| words[1].to_string())
            .collect()
    };
    let soname: Vec<String> = value("SONAME");
    assert_eq!(soname, ["libvicinity.so.1"]);
    // DF_1_NODELETE: worker threads and thread-local destructors outlive a dlclose.
    let flags: Vec<String> = value("FLAGS_1");
    let flags = flags.first().map_or(0, |flags| {
        u64::from_str_radix(flags.trim_start_matches("0x"), 16).expect("FLAGS_1 is a number")
    });
    assert_ne!(flags & 0x8, 0, "DF_1_NODELETE is not set");
    for needed in value("NEEDED") as Vec<String> {
        let system = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"];
        assert!(system.contains(&needed.as_str()), "the library needs {needed}");
    }
    for name in ["libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"] {
        let link =
            fs::read_link(lib_folder().join("omp").join(name)).expect("a link for each name");
        assert_eq!(link, Path::new("../libvicinity.so.1"), "{name}");
    }
    let file = |name: &str| fs::metadata(lib_folder().join(name)).expect("a file");
    let known = file("omp/libgomp-libvicinity.so.1");
    assert_eq!(known.ino(), file("libvicinity.so.1").ino(), "a second name, not a copy");
}
