//! From bytes to a `Trace`, event by event: what is kept is the values, never the text.
//!
//! A file may be compressed (gzip, told by its first bytes), and may end anywhere: a program that crashed
//! leaves no closing brackets. As long as the header and one event are there, what follows the damage is lost
//! and `Trace::cut` says so. A field of the wrong type is an error wherever it is.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::build::Builder;
use super::error::{Error, VERSION};
use super::event::{EventReader, Header, Where};
use super::model::Trace;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const BUFFER_BYTES: usize = 1 << 18;

/// Reads a file.
pub fn open(path: &Path) -> Result<Trace, Error> {
    let file = File::open(path).map_err(Error::Unreadable)?;
    from_stream(BufReader::with_capacity(BUFFER_BYTES, file))
}

/// Reads what a file holds.
pub fn read(bytes: &[u8]) -> Result<Trace, Error> {
    from_stream(bytes)
}

fn from_stream(mut stream: impl BufRead) -> Result<Trace, Error> {
    let start = stream.fill_buf().map_err(Error::Unreadable)?;
    if start.is_empty() {
        return Err(Error::Empty);
    }
    if start.starts_with(&GZIP) {
        let plain = MultiGzDecoder::new(stream);
        return from_json(BufReader::with_capacity(BUFFER_BYTES, plain));
    }
    from_json(stream)
}

fn from_json(stream: impl BufRead) -> Result<Trace, Error> {
    let mut document = Document::default();
    let mut parser = serde_json::Deserializer::from_reader(stream);
    let parsed = parser.deserialize_any(DocumentVisitor(&mut document)).and_then(|()| parser.end());
    document.finish(parsed.err())
}

/// What has been seen so far; it survives an error of the parser.
#[derive(Default)]
struct Document {
    /// The first thing in the file was not an object.
    no_object: bool,
    has_events: bool,
    /// The parser is in the header.
    in_header: bool,
    header: Option<Header>,
    builder: Builder,
    /// The field that the parser stopped in.
    stopped_in: Where,
}

impl Document {
    fn finish(self, stopped: Option<serde_json::Error>) -> Result<Trace, Error> {
        let recorded = self.builder.has_events();
        let Some(error) = stopped else {
            return match self.header {
                _ if self.no_object => Err(Error::OtherTool),
                _ if !self.has_events => Err(Error::NotATrace),
                None => Err(Error::OtherTool),
                Some(header) => self.builder.finish(header, None),
            };
        };
        if let Some(found) = self.header.as_ref().and_then(other_version) {
            return Err(found);
        }
        let ended = error.is_eof() || error.io_error_kind() == Some(io::ErrorKind::UnexpectedEof);
        if self.in_header && error.is_data() {
            return Err(Error::Header(error));
        }
        let field = self.stopped_in.path();
        match self.header {
            Some(header) if recorded && !error.is_data() => {
                self.builder.finish(header, Some(error.to_string()))
            }
            Some(_) if error.is_data() => Err(Error::Event { field, error }),
            None if self.has_events && (error.is_data() || recorded) => Err(Error::OtherTool),
            _ if error.is_data() => Err(Error::NotATrace),
            _ if ended => Err(Error::CutTooEarly),
            _ if error.is_io() => Err(Error::Unreadable(error.into())),
            _ => Err(Error::NotJson(error)),
        }
    }
}

fn other_version(header: &Header) -> Option<Error> {
    match header.vicinity {
        None => Some(Error::OtherTool),
        Some(VERSION) => None,
        Some(version) => Some(Error::OtherVersion(version)),
    }
}

/// The object of the file, or the bare list that other tools write.
struct DocumentVisitor<'d>(&'d mut Document);

impl<'de> Visitor<'de> for DocumentVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `traceEvents`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "otherData" => {
                    self.0.in_header = true;
                    let header = self.0.header.insert(map.next_value()?);
                    self.0.in_header = false;
                    if let Some(error) = other_version(header) {
                        return Err(A::Error::custom(error));
                    }
                }
                "traceEvents" => {
                    self.0.has_events = true;
                    let Document { builder, stopped_in, .. } = &mut *self.0;
                    map.next_value_seed(Events(builder, stopped_in))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.no_object = true;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// The list of events, each given to the builder as it comes.
struct Events<'b>(&'b mut Builder, &'b Where);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(event) = seq.next_element_seed(EventReader(self.1))? {
            self.0.add(event);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use vicinity_policy::topology::LocationId;

    use super::super::example::{HEADER, region, task, text, wait};
    use super::super::model::{Body, RegionIndex, SpanKind, TaskIndex};
    use super::*;

    fn example() -> String {
        text(&[
            task(
                7,
                "leaf",
                1,
                (103.5, 104.125),
                r#","parent":3,"created":101,"ready":102.001,"kind":"deferred","after":[3,99],"bytes":[64,128],
                "dealt":1,"at":1,"from":0,"hops":1,"stolen":true,"line":"a.c:12","counters":[2]"#,
            ),
            wait("taskwait", 3, 0, (103.0, 104.0)),
            task(
                3,
                "root",
                0,
                (101.0, 109.0),
                r#","parent":2,"kind":"included","bytes":null,"at":null"#,
            ),
            region(2, 1, 0, (100.0, 110.0)),
            r#"{"ph":"i","name":"a mark","ts":1}"#.to_string(),
        ])
    }

    fn complaint(bytes: &[u8]) -> String {
        let text = read(bytes).expect_err("no trace").to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn fields_arrive() {
        let text = example().replace("\"missing_events\":0", "\"missing_events\":3");
        let trace = read(text.as_bytes()).unwrap();
        assert_eq!((trace.program.as_str(), trace.arguments.len()), ("./example", 2));
        assert_eq!((trace.missing_events, trace.cut, trace.end_ns), (3, false, 10_000));
        let strange = "task 7 has an `after` with a task that ended after its start: it is kept";
        assert_eq!(trace.notes, ["no cycles here", strange]);
        assert_eq!(trace.settings, [("OMP_NUM_THREADS".to_string(), "2".to_string())]);
        assert_eq!((trace.threads[1].name.as_str(), trace.threads[1].location.0), ("worker 1", 1));
        let [root, leaf] = &trace.tasks[..] else { panic!("two tasks") };
        assert_eq!((trace.name_of(root), root.start_ns, root.end_ns), ("root", 1_000, 9_000));
        assert!(root.included && !root.stolen && !leaf.included && leaf.stolen);
        assert_eq!(root.parent, Body::Region(RegionIndex(0)));
        assert_eq!((leaf.created_ns, leaf.ready_ns, leaf.queued_ns()), (1_000, 2_001, 1_499));
        assert_eq!((leaf.start_ns, leaf.elapsed_ns()), (3_500, 625));
        assert_eq!(leaf.parent, Body::Task(TaskIndex(0)));
        assert_eq!(leaf.line.map(|line| trace.names[line as usize].as_str()), Some("a.c:12"));
        assert_eq!(trace.bytes_of(leaf), [(LocationId(0), 64), (LocationId(1), 128)]);
        assert_eq!(trace.after_of(leaf), [TaskIndex(0)], "task 99 is not in the trace");
        assert_eq!(trace.counters_of(leaf), [2.0]);
        assert_eq!((leaf.dealt, leaf.from), (Some(LocationId(1)), Some(LocationId(0))));
        let wait = &trace.spans[0];
        assert_eq!((wait.kind, wait.body), (SpanKind::Wait, Body::Task(TaskIndex(0))));
        assert_eq!((wait.start_ns, wait.end_ns), (3_000, 4_000));
        assert_eq!(trace.topology.distance(LocationId(0), LocationId(1)), 21);
    }

    #[test]
    fn a_cut_file_gives_what_is_whole() {
        let whole = example();
        let cut = read(&whole.as_bytes()[..whole.len() - 40]).unwrap();
        assert!(cut.cut && cut.tasks.len() == 2, "the last brackets are missing");
        let in_region = whole.find("\"region\"").unwrap();
        let cut = read(&whole.as_bytes()[..in_region]).unwrap();
        assert_eq!((cut.tasks.len(), cut.tasks[0].parent), (2, Body::Outside));
        let zeros = [&whole.as_bytes()[..in_region], &[0; 64]].concat();
        assert!(read(&zeros).unwrap().notes.last().unwrap().contains("damaged"));
    }

    #[test]
    fn compressed_files_are_told_by_their_first_bytes() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let body: Vec<String> =
            (1..2001).map(|id| task(id, "t", 0, (id as f64, id as f64 + 0.7), "")).collect();
        encoder.write_all(text(&body).as_bytes()).unwrap();
        let bytes = encoder.finish().unwrap();
        assert_eq!(read(&bytes).unwrap().tasks.len(), 2000);
        let half = read(&bytes[..bytes.len() / 2]).unwrap();
        assert!(half.cut && (1..2000).contains(&half.tasks.len()));
        assert!(complaint(&[&GZIP[..], &[9; 30]].concat()).contains("cannot be read"));
    }

    #[test]
    fn what_is_no_trace_is_named() {
        assert!(complaint(b"").contains("is empty"));
        assert!(complaint(b"\x7fELF\x02").contains("not JSON"));
        assert!(complaint(b"time,task\n1,2\n").contains("not JSON"));
        assert!(complaint(b"{}").contains("no trace"));
        assert!(complaint(b"42").contains("no trace"));
        assert!(complaint(br#"{"traceEvents":7}"#).contains("another tool"));
        assert!(complaint(br#"[{"ph":"X","name":"a","ts":1}]"#).contains("another tool"));
        let theirs = br#"{"traceEvents":[{"ph":"X","name":"a","args":{"id":"0x7"}}]}"#;
        assert!(complaint(theirs).contains("another tool"));
        assert!(
            complaint(br#"{"traceEvents":[],"otherData":{"version":"x"}}"#)
                .contains("another tool")
        );
        let newer = text(&[]).replace("\"vicinity\":1", "\"vicinity\":2");
        assert!(complaint(newer.as_bytes()).contains("version 2"));
        assert!(complaint(format!("{{{HEADER}").as_bytes()).contains("before its first event"));
        let skewed = text(&[]).replace("[10,21]", "[10,5]");
        assert!(complaint(skewed.as_bytes()).contains("impossible machine"));
        let wrong = text(&[task(1, "t", 0, (0.0, 1.0), r#","at":"here""#)]);
        assert!(
            complaint(wrong.as_bytes()).contains("whose `args.at` makes no sense: invalid type")
        );
        let wrong = text(&[]).replace("\"program\":\"./example\"", "\"program\":5");
        assert!(complaint(wrong.as_bytes()).contains("header (`otherData`) that makes no sense"));
        let nameless =
            [r#"{"ph":"X","cat":"task","name":"t","ts":1,"dur":1,"args":{}}"#.to_string()];
        assert!(complaint(text(&nameless).as_bytes()).contains("a task `t` without an `id`"));
        let far = text(&[task(1, "t", 0, (0.0, 1.0), r#","at":60000"#)]);
        assert!(complaint(far.as_bytes()).contains("60001 locations"));
        let twice = [task(1, "t", 0, (0.0, 1.0), ""), task(1, "t", 0, (2.0, 3.0), "")];
        assert!(complaint(text(&twice).as_bytes()).contains("the `id` 1"));
        let shared = [task(1, "t", 0, (0.0, 1.0), ""), region(1, 1, 0, (0.0, 3.0))];
        assert!(complaint(text(&shared).as_bytes()).contains("the `id` 1"));
    }

    /// Each is one line that names the event and the field, and says what is made of it.
    #[test]
    fn what_cannot_be_is_said_once() {
        let said = |events: &[String]| {
            let notes = read(text(events).as_bytes()).unwrap().notes;
            notes[1..].to_vec()
        };
        let one = |more: &str| said(&[task(5, "t", 0, (10.0, 20.0), more)]);
        let backwards: Vec<String> = (3..53).map(|id| task(id, "t", 0, (10.0, 9.0), "")).collect();
        assert_eq!(
            said(&backwards),
            ["task 3 has a negative `dur`: 0 is taken instead (50 events in all)"]
        );
        assert_eq!(
            said(&[wait("taskwait", 0, 0, (1.0, 0.0))]),
            ["the wait of task 0 has a negative `dur`: 0 is taken instead"]
        );
        assert!(one(r#","ready":12"#)[0].starts_with("task 5 has a `ready` after its start"));
        assert!(
            one(r#","ready":9,"created":10.5"#)[0]
                .starts_with("task 5 has a `created` after it was ready")
        );
        assert!(
            one(r#","created":-1e13"#)[0]
                .starts_with("task 5 has a `created` more than eleven days away")
        );
        assert!(
            one(r#","parent":77"#)[0].starts_with("task 5 has a `parent` that is not in the trace")
        );
        assert!(
            one(r#","after":[78]"#)[0]
                .starts_with("task 5 has an `after` that is not in the trace")
        );
        let early =
            [task(1, "t", 1, (30.0, 40.0), ""), task(2, "t", 0, (10.0, 20.0), r#","parent":1"#)];
        assert!(said(&early)[0].starts_with("task 2 has a `parent` that began after its creation"));
        let timeless = r#"{"ph":"X","cat":"task","name":"t","dur":1,"args":{"id":9}}"#.to_string();
        assert_eq!(said(&[timeless]), ["task 9 has no `ts`: 0 is taken instead"]);
        // Clocks of different cores differ by that much.
        assert_eq!(one(r#","ready":10.9,"created":10.8"#), [""; 0]);
    }

    #[test]
    fn a_trace_that_is_not_whole_has_no_upper_bound() {
        let speedup = |text: &str| {
            let trace = read(text.as_bytes()).unwrap();
            crate::trace::analysis::Analysis::of(&trace).path.speedup(&trace)
        };
        let whole = example();
        assert!(speedup(&whole).is_some_and(|times| times >= 1.0));
        assert_eq!(speedup(&whole[..whole.find("\"region\"").unwrap()]), None);
        assert_eq!(speedup(&whole.replace("\"missing_events\":0", "\"missing_events\":3")), None);
        assert_eq!(speedup(&whole.replace("\"exit\"", "\"running\"")), None);
    }

    #[test]
    fn absurd_times_are_cut() {
        let absurd = [
            task(
                1,
                "t",
                0,
                (-1e300, 1e300),
                r#","created":1e300,"bytes":[18446744073709551615,9]"#,
            ),
            task(2, "t", 1, (-1e300, 1e300), r#","bytes":[18446744073709551615]"#),
        ];
        let trace = read(text(&absurd).as_bytes()).unwrap();
        assert!(trace.end_ns <= 3_000_000_000_000_000);
        let analysis = crate::trace::analysis::Analysis::of(&trace);
        assert!(analysis.path.length_ns <= trace.end_ns);
    }

    #[test]
    fn nothing_makes_it_panic() {
        let whole = example().into_bytes();
        for end in 0..whole.len() {
            let _ = read(&whole[..end]);
        }
        let mut random = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = (random >> 33) as usize % bytes.len();
                bytes[place] = b"0123456789-e.,[]{}\"x\xff"[(random >> 60) as usize];
            }
            if let Ok(trace) = read(&bytes) {
                let _ = crate::trace::analysis::Analysis::of(&trace);
            }
        }
    }
}
