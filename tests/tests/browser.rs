//! The page of `vicinity timeline` in a real browser: it opens, draws, zooms, selects, searches and compares, and
//! nothing lands on the console. Where ChromeDriver is not installed (scripts/setup.sh installs it), it says so.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use vicinity_tests::browser::Browser;
use vicinity_tests::trace::Shape;

const WINDOW: (u32, u32) = (1400, 900);
/// Different colours on the drawing: background, text and axes alone have a few.
const COLOURS: &str =
    "const c = document.getElementById('base'), copy = document.createElement('canvas');
    copy.width = c.width; copy.height = c.height;
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(c, 0, 0);
    const left = 132 * devicePixelRatio, top = 24 * devicePixelRatio;
    const pixels = context.getImageData(left, top, c.width - left, c.height - top);
    return new Set(new Uint32Array(pixels.data.buffer)).size;";

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn vicinity(arguments: &[&Path]) {
    let command = scratch().parent().expect("target").join("dist/bin/vicinity");
    assert!(command.exists(), "{} is not there: run `make` first", command.display());
    let output = Command::new(command).args(arguments).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn trace(name: &str, shape: Shape) -> PathBuf {
    let path = scratch().join(name).with_extension("json");
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    shape.write(&mut file).and_then(|()| file.flush()).expect("written");
    path
}

/// The page of a trace, or of two.
fn page(name: &str, traces: &[&Path]) -> PathBuf {
    let page = scratch().join(name).with_extension("html");
    let action = if traces.len() == 1 { "timeline" } else { "compare" };
    vicinity(&[&[Path::new(action)], traces, &[Path::new("-o"), &page]].concat());
    page
}

fn browser(test: &str) -> Option<Browser> {
    let browser = Browser::start(&scratch().join(test), WINDOW);
    if browser.is_none() {
        // Past the harness, which swallows what a passing test prints.
        let line =
            format!("{test}: skipped, chromedriver is not installed (sh scripts/setup.sh)\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    browser
}

fn open(browser: &Browser, page: &Path) {
    browser.open(page);
    browser.until("document.documentElement.dataset.ready === 'yes'");
}

/// The middle of what is drawn of a task that depends on others, in the window.
const SOME_TASK: &str = "const t = window.timeline, run = t.runs[0];
    let task = Math.floor(run.tasks / 2);
    while (!run.predecessorsOf(task).length || run.self[task] < run.length[task]) task++;
    t.reveal(run, task, true);
    const row = t.rowOf(run, run.thread[task]), d = t.drawing, box = d.overlay.getBoundingClientRect();
    d.view = t.view;
    const x = (d.x(run.startOf(task)) + d.x(run.endOf(task))) / 2;
    return [task, box.left + x, box.top + d.y(row) + row.height / 2];";

#[test]
fn a_timeline_works_in_a_browser() {
    let Some(browser) = browser("timeline") else { return };
    let trace = trace("browser-timeline", Shape::SMALL);
    open(&browser, &page("browser-timeline", &[&trace]));
    let colours = browser.evaluate(COLOURS);
    assert!(colours.as_u64() > Some(50), "the drawing has {colours} colours");

    let canvas = browser.evaluate(
        "const b = document.getElementById('overlay').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 200]",
    );
    let middle = (canvas[0].as_f64().unwrap(), canvas[1].as_f64().unwrap());
    let span =
        || browser.evaluate("return timeline.view.to - timeline.view.from").as_f64().unwrap();
    let whole = span();
    browser.wheel(middle, -400);
    browser.until(&format!("timeline.view.to - timeline.view.from < {}", whole * 0.7));
    let from = browser.evaluate("return timeline.view.from").as_f64().unwrap();
    browser.drag(&[middle, (middle.0 - 150.0, middle.1)]);
    browser.until(&format!("timeline.view.from > {from}"));
    assert!(browser.evaluate(COLOURS).as_u64() > Some(20));

    let some = browser.evaluate(SOME_TASK);
    let place = (some[1].as_f64().unwrap(), some[2].as_f64().unwrap());
    browser.point(place);
    browser.until("!document.getElementById('tip').hidden && document.getElementById('tip').textContent.includes('self time')");
    browser.click(place);
    browser.until(&format!("timeline.selected?.task === {}", some[0]));
    let shown = browser.evaluate("return [timeline.edges.predecessors.length, document.getElementById('selection').textContent]");
    assert!(shown[0].as_u64() > Some(0), "dependences are found");
    assert!(shown[1].as_str().unwrap().contains("mean distance"), "{shown}");

    browser.keys("n");
    browser.until(&format!("timeline.selected && timeline.selected.task !== {}", some[0]));
    browser.keys("m");
    browser.until("document.getElementById('mode').value === 'remote'");
    browser.keys("0/residual");
    browser.until("document.getElementById('matches').textContent === '320'");
    browser.keys("\u{E007}");
    browser.until("timeline.selected.run.nameOf(timeline.selected.task) === 'residual:48'");
    for mode in ["cost", "stalls", "function", "stolen", "path"] {
        browser.evaluate(&format!("timeline.search(''); timeline.setMode('{mode}')"));
        assert!(browser.evaluate(COLOURS).as_u64() > Some(2), "{mode}");
    }
    assert_eq!(browser.log(), [""; 0], "the console is empty");
}

#[test]
fn stalls_are_shown_by_the_best_that_was_recorded() {
    let Some(browser) = browser("stalls") else { return };
    open(&browser, &page("browser-stalls", &[&trace("browser-stalls", Shape::SMALL)]));
    let shown = browser.evaluate(include_str!("browser/stalls.js"));
    assert_eq!(
        shown,
        json!([
            ["stalled cycles: 0% of all", "50% of all or more", [0, 250, 125, 50]],
            ["misses of the last cache: 0 a µs", "20 a µs or more", [0, 125, 250, 250]],
            [
                "time for its bytes: 1 × its function's quickest",
                "3 × its function's quickest or more",
                [0, 250, 0, 125]
            ],
        ])
    );
}

#[test]
fn two_runs_share_their_axes() {
    let Some(browser) = browser("compare") else { return };
    let a = trace("browser-a", Shape::SMALL);
    let b = trace("browser-b", Shape { remote_cost: 0, seed: 5, ..Shape::SMALL });
    open(&browser, &page("browser-compare", &[&a, &b]));
    let state = browser.evaluate(
        "return [timeline.runs.length, timeline.layout.rows.length, timeline.longest === Math.max(...timeline.runs.map((r) => r.endNs))]",
    );
    assert_eq!(state, json!([2, 32, true]));
    browser.until("document.getElementById('panel').textContent.includes('B / A')");
    assert!(browser.evaluate(COLOURS).as_u64() > Some(50));
    assert_eq!(browser.log(), [""; 0], "the console is empty");
}

/// Long tasks and short ones, over many bins and pixels or within one.
#[test]
fn no_time_is_lost_between_bins_or_pixels() {
    let Some(browser) = browser("times") else { return };
    let trace = trace("browser-times", Shape::SMALL);
    open(&browser, &page("browser-times", &[&trace]));
    let wrong = browser.evaluate(include_str!("browser/times.js"));
    assert_eq!(wrong, json!([]));
}

/// One that crashed before any task, on a machine that it does not describe.
#[test]
fn a_trace_of_nothing_opens() {
    let Some(browser) = browser("nothing") else { return };
    let trace = scratch().join("browser-nothing.json");
    let text = r#"{"otherData":{"vicinity":1},"traceEvents":[
        {"ph":"X","pid":1,"tid":3,"cat":"region","name":"</script><b>","ts":1,"dur":2,"args":{"id":1}},"#;
    std::fs::write(&trace, text).expect("a file");
    open(&browser, &page("browser-nothing", &[&trace]));
    browser.keys("npdfm0+-");
    assert_eq!(browser.log(), [""; 0], "the console is empty");
}

/// `cargo test -p vicinity-tests --test browser -- --ignored --nocapture` prints how long it takes.
#[test]
#[ignore = "a measurement, of half a minute"]
fn a_million_tasks_stay_fluid() {
    let Some(browser) = browser("million") else { return };
    let trace = trace("browser-million", Shape::of_tasks(1_000_000));
    let page = page("browser-million", &[&trace]);
    let start = std::time::Instant::now();
    open(&browser, &page);
    let opened = start.elapsed();
    let frames = browser.evaluate(
        "const t = timeline, times = {};
        for (const mode of ['cost', 'function']) {
            const start = performance.now();
            t.setMode(mode);
            times[mode + ': change of colour'] = performance.now() - start;
            let worst = 0, total = 0;
            t.fit();
            for (let frame = 0; frame < 60; frame++) {
                t.zoom(0.85);
                const start = performance.now();
                t.paint();
                worst = Math.max(worst, performance.now() - start);
                total += performance.now() - start;
            }
            times[mode + ': mean frame'] = total / 60;
            times[mode + ': worst frame'] = worst;
            t.fit();
        }
        const start = performance.now();
        t.search('residual');
        times.search = performance.now() - start;
        return times;",
    );
    println!("opened in {opened:?}; milliseconds: {frames:#}");
    for mode in ["cost", "function"] {
        let mean = frames[format!("{mode}: mean frame")].as_f64();
        assert!(mean < Some(100.0), "{mode}: {mean:?} ms a frame");
    }
    assert_eq!(browser.log(), [""; 0], "the console is empty");
}
