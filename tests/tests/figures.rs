//! The figures that README.md and docs/locality.md quote are those that were measured: each is looked up in the table of
//! `results/` that it comes from, or computed by the command that the page names.
//!
//! A figure agrees with a measured value if the value, rounded as the figure is, gives it: to its decimals, and numbers of
//! four digits to the last but one.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn text(file: &str) -> String {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests folder has a parent");
    std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Whether `shown` is `value`, rounded.
fn agrees(shown: &str, value: f64) -> bool {
    let Ok(number) = shown.parse::<f64>() else { return false };
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).count() as i32;
    let step = match shown.split_once('.') {
        Some((_, decimals)) => 10_f64.powi(-digits(decimals)),
        None if digits(shown) > 3 => 10.0,
        None => 1.0,
    };
    (number - value).abs() <= step * 0.501
}

/// The cells of a row of a table in Markdown.
fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The row of a Markdown file that begins with this cell.
fn row<'a>(file: &'a str, first: &str) -> Vec<&'a str> {
    let mut rows = file.lines().filter(|line| line.starts_with('|')).map(cells);
    rows.find(|row| row[0] == first).unwrap_or_else(|| panic!("no row {first}"))
}

#[test]
fn figures_are_rounded_to_what_they_show() {
    assert!(agrees("5.9", 5.89) && agrees("2110", 2108.0) && agrees("11", 10.53));
    assert!(!agrees("5.9", 5.84) && !agrees("2110", 2121.0) && !agrees("11", 11.8));
}

/// Medians by program, threads and contender.
fn overheads() -> HashMap<(String, String, String), f64> {
    let table = text("results/task-overhead/table.txt");
    let (mut medians, mut program, mut threads) = (HashMap::new(), String::new(), String::new());
    for line in table.lines().skip(1).take_while(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        if !line.starts_with(' ') {
            program = words.next().expect("a program").to_string();
            threads = words.next().expect("threads").to_string();
        }
        let (Some(contender), Some(median)) = (words.next(), words.next()) else { continue };
        let median = median.parse().unwrap_or(f64::NAN);
        medians.insert((program.clone(), threads.clone(), contender.to_string()), median);
    }
    medians
}

#[test]
fn the_readme_has_the_measured_overheads() {
    let (readme, medians) = (text("README.md"), overheads());
    for (label, program) in [
        ("fib", "fib"),
        ("nqueens", "nqueens"),
        ("knapsack", "knapsack"),
        ("floorplan", "floorplan"),
        ("tasks with two dependences each", "deps_two"),
        ("an empty parallel region", "fork_join"),
    ] {
        let row = row(&readme, label);
        let contenders = ["gcc/libgomp", "clang/libomp", "vicinity-gcc", "vicinity-clang"];
        for (shown, contender) in row[1..].iter().zip(contenders) {
            let value = medians[&(program.to_string(), "2".to_string(), contender.to_string())];
            assert!(
                agrees(shown, value),
                "README.md: {label}, {contender}: {shown}, measured {value}"
            );
        }
    }
}

/// The word of a text that stands before `after`.
fn before<'a>(text: &'a str, after: &str) -> &'a str {
    let at = text.find(after).unwrap_or_else(|| panic!("README.md does not say `{after}`"));
    text[..at].split_whitespace().last().expect("a figure")
}

#[test]
fn the_readme_has_the_measured_opencl() {
    let tables = text("results/opencl/tables.md");
    let readme = text("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let number = |cell: &str| -> f64 { cell.trim_matches('*').parse().unwrap_or(f64::NAN) };
    let means = row(&tables, "chosen");
    let times = tables.split("## Kernel time on two threads").nth(1).expect("the table of times");
    let times = times.split("\n## ").next().expect("its rows");
    let kernels = times.lines().filter(|line| line.starts_with("| ")).skip(1).map(cells);
    let to_pocl: Vec<f64> = kernels.map(|row| number(row[4]) / number(row[3])).collect();
    let extremes = [f64::min, f64::max].map(|one| to_pocl.iter().copied().reduce(one).unwrap());
    for (after, value) in [
        (" of our own", to_pocl.len() as f64),
        (" times as fast as on PoCL 3.1", number(means[1])),
        (" times as fast as on Intel's runtime", number(means[2])),
        (" to 79 times as fast as PoCL, kernel", extremes[0]),
        (" times as fast as PoCL, kernel by kernel", extremes[1]),
        (" ms, an empty kernel", number(row(&tables, "the same, cached, ms")[2])),
        (
            " us from enqueue to finish",
            number(row(&tables, "an empty kernel, enqueue to finish, us")[2]),
        ),
    ] {
        let shown = before(&readme, after);
        assert!(agrees(shown, value), "README.md: `{shown}{after}`, measured {value}");
    }
}

/// What the command that the page names says: times relative to its base, by program and policy.
fn simulated(programs: &str) -> HashMap<[String; 3], f64> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target");
    let output = Command::new(target.join("dist/bin/vicinity"))
        .args(["simulate", "--machine", "opteron6172", "--json", "--program", programs])
        .args(["--scheduler", "locality,workstealing"])
        .output()
        .expect("the command starts: run `make` first");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let runs = told["runs"].as_array().expect("runs").iter();
    let key = |run: &Value| {
        ["program", "scheduler", "distribution"].map(|name| run[name].as_str().unwrap().to_string())
    };
    runs.map(|run| (key(run), run["to_base"].as_f64().expect("a time"))).collect()
}

#[test]
fn the_page_on_locality_has_the_simulated_times() {
    let programs = ["map", "matmul", "vecmul", "sparselu", "jacobi", "reduction"];
    let (page, times) = (text("docs/locality.md"), simulated(&programs.join(",")));
    for program in programs {
        let row = row(&page, program);
        let (advised, other) =
            if row[2] == "`coarse`" { ("coarse", "fine") } else { ("fine", "coarse") };
        let policies = [
            ["locality", advised],
            ["locality", other],
            ["workstealing", "coarse"],
            ["locality", "standard"],
        ];
        for (shown, [scheduler, distribution]) in row[3..].iter().zip(policies) {
            let value = times[&[program, scheduler, distribution].map(str::to_string)];
            let what = format!("{program}, {scheduler}, {distribution}");
            assert!(
                agrees(shown, value),
                "docs/locality.md: {what}: {shown}, simulated {value:.4}"
            );
        }
    }
}
