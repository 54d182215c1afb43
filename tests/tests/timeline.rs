//! `vicinity timeline` and `vicinity compare` as commands: what they print, and what they say to files that are no
//! traces.

use std::path::{Path, PathBuf};
use std::process::Command;

use vicinity_tests::trace::Shape;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn vicinity(arguments: &[&str]) -> (Option<i32>, String, String) {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    assert!(command.exists(), "{} is not there: run `make` first", command.display());
    let output = Command::new(command).args(arguments).output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn whole() -> Vec<u8> {
    let mut bytes = Vec::new();
    Shape::SMALL.write(&mut bytes).expect("memory takes it");
    bytes
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the target folder has a plain name")
}

#[test]
fn files_that_are_no_traces_cost_one_line() {
    let other = br#"[{"ph":"B","name":"main","ts":1,"pid":1,"tid":1}]"#;
    let later = br#"{"otherData":{"vicinity":9},"traceEvents":[]}"#;
    let header = &whole()[..300];
    let cases: [(&str, &[u8], &str); 6] = [
        ("timeline-empty", b"", "is empty"),
        ("timeline-text", b"seconds,4\n", "is not JSON"),
        ("timeline-other", other, "another tool"),
        ("timeline-later", later, "version 9"),
        ("timeline-header", header, "before its first event"),
        ("timeline-gzip", b"\x1f\x8b\x08\x00garbage-that-is-no-deflate-stream", "cannot be read"),
    ];
    for (name, bytes, expected) in cases {
        let path = file(name, bytes);
        let page = path.with_extension("html");
        let (status, said, complained) = vicinity(&["timeline", text(&path), "-o", text(&page)]);
        assert_eq!((status, said.as_str()), (Some(125), ""), "{name}");
        assert!(complained.contains(expected), "{name}: {complained}");
        assert_eq!(complained.lines().count(), 1, "{name}: {complained}");
        assert!(!page.exists(), "{name}");
    }
    let (status, _, complained) = vicinity(&["timeline", "/no/such/trace"]);
    assert_eq!((status, complained.lines().count()), (Some(125), 1), "{complained}");
    let (status, _, complained) = vicinity(&["compare", "/no/such/trace", "/nor/this"]);
    assert_eq!((status, complained.lines().count()), (Some(125), 1), "{complained}");
}

#[test]
fn a_page_lies_beside_its_trace_and_never_on_it() {
    let path = file("timeline-beside.json", &whole());
    let (status, said, _) = vicinity(&["timeline", text(&path)]);
    assert_eq!(status, Some(0));
    assert!(said.contains("timeline-beside.html"), "{said}");
    let path = file("timeline-same.html", &whole());
    let (status, _, complained) = vicinity(&["timeline", text(&path)]);
    assert_eq!((status, complained.contains("would replace the trace")), (Some(2), true));
    assert_eq!(std::fs::read(&path).expect("still there"), whole());
}

#[test]
fn half_a_trace_is_half_a_timeline() {
    let bytes = whole();
    let path = file("timeline-half.json", &bytes[..bytes.len() / 2]);
    let (status, said, complained) = vicinity(&["timeline", "--text", text(&path)]);
    assert_eq!(status, Some(0), "{complained}");
    assert!(complained.contains("what follows is lost"), "{complained}");
    let tasks = said.lines().find(|line| line.starts_with("Tasks ")).unwrap_or_default();
    let count: usize =
        tasks.split([' ', ';']).filter_map(|word| word.parse().ok()).next().unwrap_or(0);
    assert!((1_000..1_600).contains(&count), "{tasks}");
}

/// Regions end last: where a trace is cut, theirs is what is missing.
#[test]
fn a_trace_that_is_not_whole_has_no_bounds() {
    let bytes = whole();
    let path = file("timeline-cut.json", &bytes[..bytes.len() / 2]);
    let (_, said, _) = vicinity(&["timeline", "--text", text(&path)]);
    assert!(said.contains("Critical path    unknown"), "{said}");
    assert!(!said.contains("upper bound") && !said.contains("outside parallel regions"), "{said}");
    let other = file("timeline-uncut.json", &bytes);
    let (_, said, _) = vicinity(&["compare", text(&path), text(&other)]);
    let line = said.lines().find(|line| line.starts_with("critical path")).unwrap_or_default();
    assert!(line.contains("unknown"), "{said}");
}

#[test]
fn events_that_say_what_cannot_be_are_told_of() {
    let text_of = String::from_utf8(whole()).expect("text");
    let negative = text_of.replace("\"dur\":1", "\"dur\":-1");
    let path = file("timeline-negative.json", negative.as_bytes());
    for arguments in
        [&["timeline", "--text", text(&path)][..], &["simulate", "--from-trace", text(&path)]]
    {
        let (status, _, complained) = vicinity(arguments);
        assert_eq!(status, Some(0), "{complained}");
        let about = complained.lines().filter(|line| line.contains("a negative `dur`"));
        assert_eq!(about.count(), 1, "{complained}");
    }
    let wrong = text_of.replacen("\"at\":0", "\"at\":\"zero\"", 1);
    let path = file("timeline-wrong.json", wrong.as_bytes());
    let (status, _, complained) = vicinity(&["timeline", text(&path)]);
    assert_eq!((status, complained.lines().count()), (Some(125), 1), "{complained}");
    assert!(
        complained.contains("whose `args.at` makes no sense: invalid type: string"),
        "{complained}"
    );
}

/// As with gcc and malloc: every place that tells shares says that there are none, and what to do.
#[test]
fn unknown_data_is_not_local_data() {
    let unknown = String::from_utf8(whole()).expect("text").replace("\"bytes\":[", "\"unknown\":[");
    let path = file("timeline-unknown.json", unknown.as_bytes());
    let (_, said, _) = vicinity(&["timeline", "--text", text(&path)]);
    assert!(
        said.contains("No task's data is known. Allocate with omp_malloc, or compile with clang"),
        "{said}"
    );
    let (_, said, _) = vicinity(&["compare", text(&path), text(&path)]);
    let line = said.lines().find(|line| line.starts_with("remote bytes")).unwrap_or_default();
    assert!(line.contains("unknown") && said.contains("A, B: No task's data is known"), "{said}");
    let page = path.with_extension("html");
    vicinity(&["timeline", text(&path), "-o", text(&page)]);
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("No task's data is known"));
    let single = ["--scheduler", "locality", "--distribution", "fine"];
    for more in [&[][..], &single[..]] {
        let arguments = [&["simulate", "--from-trace", text(&path)], more].concat();
        let (status, said, complained) = vicinity(&arguments);
        assert_eq!(status, Some(0), "{complained}");
        assert!(complained.contains("No task's data is known"), "{complained}");
        assert!(!said.contains("100%"), "{said}");
    }
}

#[test]
fn text_and_comparison_name_the_functions() {
    let a = file("timeline-a.json", &whole());
    let mut bytes = Vec::new();
    Shape { remote_cost: 0, ..Shape::SMALL }.write(&mut bytes).expect("memory takes it");
    let b = file("timeline-b.json", &bytes);
    let (status, said, _) = vicinity(&["timeline", "--text", text(&a)]);
    assert_eq!(status, Some(0));
    for expected in
        ["Elapsed", "Critical path", "sweep:31", "residual:48", "% of the bytes of `sweep:31`"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let (status, said, _) = vicinity(&["compare", text(&a), text(&b)]);
    assert_eq!(status, Some(0));
    let sweep = said.lines().find(|line| line.starts_with("sweep:31")).unwrap_or_default();
    assert!(sweep.contains("0.7"), "remote accesses cost nothing in the second run: {sweep}");
    assert!(said.contains("B is faster") && said.contains("lies in tasks and loops."), "{said}");
}
