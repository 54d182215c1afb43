//! Programs that use OpenCL through the system's loader, on the driver that `make` built.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use vicinity_tests::driver::Driver;

const DRIVER: Driver = Driver { scratch: env!("CARGO_TARGET_TMPDIR") };

/// Builds one of the programs in `tests/opencl/driver`, once for all tests.
fn build(source: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let folder = DRIVER.scratch("opencl-driver");
    fs::create_dir_all(&folder).expect("a folder to build in");
    let program = folder.join(source.replace('.', "-"));
    let mut built_before = BUILT.lock().expect("builds do not panic twice");
    if built_before.contains(&program) {
        return program;
    }
    Driver::build(source, &program);
    built_before.insert(program.clone());
    program
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = DRIVER.scratch("driver-folders").join(name);
    let _ = fs::set_permissions(folder.join("opencl"), Permissions::from_mode(0o755));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The program, with only our platform to be found.
fn on_vicinity(program: &Path, cache: &Path) -> Command {
    let mut command = Command::new(program);
    DRIVER.set_for(&mut command, cache);
    command
}

/// What it prints, if nothing goes wrong.
fn said(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{said}{complained}", output.status);
    assert_eq!(complained, "", "{command:?}");
    said
}

fn passes(source: &str) {
    assert_eq!(said(&mut on_vicinity(&build(source), &folder(source))), "");
}

#[test]
fn misuse_gets_error_codes() {
    passes("misuse.c");
}

#[test]
fn objects_answer_and_live_as_long_as_they_are_needed() {
    passes("objects.c");
}

#[test]
fn programs_are_built_in_every_way() {
    passes("programs.c");
}

#[test]
fn extensions_do_what_they_say() {
    passes("extensions.c");
}

/// By whoever reads it here, and where nobody does.
#[test]
fn programs_may_be_spirv() {
    let (program, cache) = (build("il.c"), folder("il"));
    assert_eq!(
        said(on_vicinity(&program, &cache).env("VICINITY_SPIRV", "/nowhere")),
        "nobody reads it\n"
    );
    assert_eq!(
        said(&mut on_vicinity(&program, &cache)),
        "read\n",
        "scripts/setup.sh installs a reader"
    );
}

#[test]
fn halves_are_rounded_once() {
    passes("halves.c");
}

#[test]
fn shared_memory_is_allocated_used_and_asked_for() {
    passes("usm.c");
}

#[test]
fn command_buffers_are_replayed_as_they_were_recorded() {
    passes("command_buffers.c");
}

#[test]
fn launches_in_command_buffers_may_be_changed() {
    passes("mutable_commands.c");
}

#[test]
fn items_of_a_sub_group_know_of_each_other() {
    passes("sub_groups.c");
}

#[test]
fn shuffles_and_blocks_of_intel_are_what_its_extension_says() {
    passes("intel_sub_groups.c");
}

#[test]
fn bytes_go_where_they_should() {
    passes("transfers.c");
}

#[test]
fn files_are_read_and_written_by_commands() {
    let (program, cache) = (build("files.c"), folder("files-cache"));
    for workers in ["1", "4"] {
        let mut command = on_vicinity(&program, &cache);
        assert_eq!(said(command.arg(folder("files")).env("OMP_NUM_THREADS", workers)), "");
    }
}

#[test]
fn images_are_read_and_written_by_kernels_and_commands() {
    passes("images.c");
}

#[test]
fn ranges_that_end_within_a_group_have_no_other_items() {
    passes("special.c");
}

#[test]
fn launches_run_code_that_is_right_for_their_strides() {
    let (program, cache) = (build("strides.c"), folder("strides"));
    for mode in ["never", "always", "auto"] {
        let mut command = on_vicinity(&program, &cache);
        assert_eq!(said(command.env("VICINITY_SPECIALIZE", mode)), "", "{mode}");
    }
}

#[test]
fn groups_may_wait_for_those_before_them() {
    passes("chains.c");
}

#[test]
fn launches_compute_the_same_while_two_codes_are_tried() {
    let (program, cache) = (build("rivals.c"), folder("rivals"));
    let run = |rivals, wanted| {
        let mut command = on_vicinity(&program, &cache);
        said(command.env("VICINITY_RIVALS", rivals).arg(wanted))
    };
    // The second time all is in the cache.
    assert_eq!([run("auto", "3"), run("auto", "3"), run("never", "2")], ["3\n", "3\n", "2\n"]);
    let mut command = on_vicinity(&program, &cache);
    let output = command.env("VICINITY_RIVALS", "told").output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    let finding = "vicinity: f, groups of 64 x 1 x 1: ";
    assert!(output.status.success() && told.starts_with(finding), "{told}");
    assert!(told.contains("(ns an item: as chosen ") && told.contains(", vectors "), "{told}");
}

#[test]
fn what_kernels_only_add_to_is_as_if_each_item_had_added_to_it() {
    passes("reduced.c");
}

#[test]
fn what_was_released_is_there_in_its_callback() {
    passes("callbacks.c");
}

/// A driver of its own, before whose `libvicinity.so.1` stands a library that refuses tasks; on one location and on several.
#[test]
fn commands_without_tasks_end_with_an_error() {
    let (folder, libraries) = (folder("failing"), DRIVER.dist().join("lib"));
    let shim = folder.join("libvicinity.so.1");
    let built = Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(Driver::sources().join("include"))
        .arg(Driver::sources().join("failing_library.c"))
        .args(["-Wl,--no-as-needed", "-l:libvicinity.so.1", "-L"])
        .arg(&libraries)
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .arg("-o")
        .arg(&shim)
        .output()
        .expect("gcc starts");
    assert!(built.status.success(), "gcc: {}", String::from_utf8_lossy(&built.stderr));
    let driver = folder.join("libvicinity_cl.so");
    fs::copy(libraries.join("libvicinity_cl.so"), &driver).expect("a copy of the driver");
    fs::write(folder.join("failing.icd"), format!("{}\n", driver.display())).expect("a vendor");
    for machine in [None, Some("numa:4 core:2 pu:1")] {
        let mut command = on_vicinity(&build("failing.c"), &folder);
        command.env("VICINITY_TRANSLATE", DRIVER.dist().join("bin/vicinity-translate"));
        command.env("OCL_ICD_VENDORS", &folder).arg(&shim);
        if let Some(machine) = machine {
            command.env("HWLOC_SYNTHETIC", machine).env("OMP_NUM_THREADS", "8");
        }
        assert_eq!(said(&mut command), "", "on {machine:?}");
    }
}

#[test]
fn too_little_memory_is_an_error() {
    passes("scarce.c");
}

/// Once in a process, however many programs it builds and launches.
#[test]
fn variables_that_are_not_understood_cost_a_line() {
    let mut command = on_vicinity(&build("special.c"), &folder("variables"));
    command.env("VICINITY_ORDER", "depth-first").env("VICINITY_EFFORT", "lots");
    command.env("VICINITY_LOCAL", "gone").env("VICINITY_VECTORS", "all");
    let output =
        command.env("VICINITY_SPECIALIZE", "perhaps").output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    let line = |variable: &str, value: &str, words: &str| {
        format!(
            "vicinity: {variable}='{value}' is not understood; allowed: {words}; used instead: auto"
        )
    };
    let expected = [
        line("VICINITY_EFFORT", "lots", "auto, full, less, none"),
        line("VICINITY_LOCAL", "gone", "auto, kept"),
        line("VICINITY_ORDER", "depth-first", "auto, dfo, bfo, paper, reference, observed"),
        line("VICINITY_SPECIALIZE", "perhaps", "auto, always, never"),
        line("VICINITY_VECTORS", "all", "auto, always, half, double, never"),
    ];
    assert!(output.status.success() && lines == expected, "{said}");
}

#[test]
fn brief_commands_come_in_order_and_one_at_a_time() {
    passes("spot.c");
}

#[test]
fn groups_may_wait_for_each_other_where_each_has_a_compute_unit() {
    passes("waiting.c");
}

#[test]
fn threads_share_objects() {
    passes("threads.c");
}

#[test]
fn the_cpp_interface_works() {
    passes("wrapper.cpp");
}

#[test]
fn the_system_lists_the_platform() {
    let output = said(&mut on_vicinity(Path::new("clinfo"), &folder("clinfo")));
    assert!(output.contains("Vicinity") && !output.contains("error -"), "{output}");
}

/// What a loader looks up by name, and nothing that could get in the way of other libraries.
#[test]
fn the_driver_exports_what_a_loader_needs() {
    let library = DRIVER.dist().join("lib/libvicinity_cl.so");
    let output = Command::new("nm").args(["--dynamic", "--defined-only"]).arg(library).output();
    let text = String::from_utf8(output.expect("nm starts").stdout).expect("names");
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    names.sort_unstable();
    let expected = ["clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetPlatformIDsKHR"];
    assert_eq!(names, expected);
}

#[test]
fn the_command_starts_programs_with_our_platform_alone() {
    let mut command = Command::new(DRIVER.dist().join("bin/vicinity"));
    command.args(["run", "--opencl", "clinfo", "--list"]);
    let output = said(command.env("VICINITY_CACHE_DIR", folder("command")));
    assert!(output.starts_with("Platform #0: Vicinity\n") && !output.contains("#1"), "{output}");
}

#[test]
fn kernels_print_in_order_with_their_program() {
    let output = said(&mut on_vicinity(&build("prints.c"), &folder("prints")));
    let expected = "before\nx = 7, 1.50, text, 1,2,3,4, 100%\nafter\n";
    assert_eq!(output, expected);
}

/// Nobody waits for a kernel that never ends.
#[test]
fn programs_end_while_kernels_run() {
    let (program, cache) = (build("leaves.c"), folder("leaves"));
    for arguments in [&[][..], &["fork"]] {
        let start = Instant::now();
        assert_eq!(said(on_vicinity(&program, &cache).args(arguments)), "leaves\n");
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

/// It has its compiler and its linker in itself.
#[test]
fn programs_are_built_where_no_other_program_can_be_found() {
    let mut command = on_vicinity(&build("cached.c"), &folder("alone"));
    assert_eq!(said(command.env("PATH", "/nowhere")), "42\n");
}

#[test]
fn a_missing_compiler_is_named_with_its_package() {
    let mut command = on_vicinity(&build("cached.c"), &folder("compiler"));
    let output = command.env("VICINITY_CLANG", "clang-of-nowhere").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.matches("clang-of-nowhere is not installed").count(), 1, "{said}");
    assert!(said.contains("apt-get install clang-19"), "{said}");
}

/// The files of cached programs.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let list = fs::read_dir(cache.join("opencl")).into_iter().flatten().flatten();
    list.map(|entry| entry.path()).collect()
}

#[test]
fn the_cache_is_used_and_mended() {
    let (program, cache) = (build("cached.c"), folder("mended"));
    let mut run = on_vicinity(&program, &cache);
    assert_eq!(said(&mut run), "42\n");
    let found = entries(&cache);
    assert_eq!(found.len(), 1, "{found:?}");
    // Without a translator there is only the cache.
    let nobody = Path::new("/nowhere/vicinity-translate");
    let whole = fs::read(&found[0]).expect("an entry");
    for damage in [&b""[..], b"damaged", &whole[..whole.len() / 2], &whole[..whole.len() - 1]] {
        fs::write(&found[0], damage).expect("an entry that can be written");
        assert_eq!(said(&mut run), "42\n");
        assert_eq!(fs::read(&found[0]).expect("an entry").len(), whole.len(), "it was mended");
    }
    fs::remove_file(&found[0]).expect("an entry to remove");
    let output = on_vicinity(&program, &cache).env("VICINITY_TRANSLATE", nobody).output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("/nowhere/vicinity-translate cannot be started"), "{said}");
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let program = build("cached.c");
    let sealed = folder("sealed");
    fs::create_dir(sealed.join("opencl")).expect("a folder");
    fs::set_permissions(sealed.join("opencl"), Permissions::from_mode(0o555)).expect("a mode");
    let file = folder("file").join("cache");
    fs::write(&file, "").expect("a file in place of a folder");
    // A device without room, and a file system that takes no files.
    for cache in [&sealed, &file, Path::new("/dev/full"), Path::new("/proc")] {
        assert_eq!(said(&mut on_vicinity(&program, cache)), "42\n", "{cache:?}");
    }
    fs::set_permissions(sealed.join("opencl"), Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn included_files_belong_to_the_cached_program() {
    let (program, cache) = (build("cached.c"), folder("included"));
    let headers = folder("headers with blanks");
    for number in ["1", "2", "1"] {
        fs::write(headers.join("number.h"), "#include \"deeper.h\"\n").expect("a header");
        let deeper = format!("#define NUMBER {number}\n");
        fs::write(headers.join("deeper.h"), deeper).expect("a header");
        let mut run = on_vicinity(&program, &cache);
        assert_eq!(said(run.arg(&headers)), format!("{number}\n"));
    }
    // A program for each number, and the list of what they include.
    assert_eq!(entries(&cache).len(), 3);
    // Without a translator there is only the cache.
    let mut run = on_vicinity(&program, &cache);
    run.env("VICINITY_TRANSLATE", Path::new("/nowhere/vicinity-translate"));
    run.arg(&headers);
    let output = run.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "another translator's programs are not taken");
}

/// However a file is included, and wherever it is found: when it changes, or another comes before it, the program does.
#[test]
fn no_program_is_older_than_what_it_includes() {
    let (program, cache) = (build("cached.c"), folder("stale"));
    let place = folder("stale headers");
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a header");
    };
    let compiled = cache.join("notes");
    let run = |include: &str| {
        let mut command = on_vicinity(&program, &cache);
        command
            .env("VICINITY_TRANSLATE", Driver::sources().join("slow.sh"))
            .env("NOTES", &compiled);
        command
            .env("TRANSLATOR", DRIVER.dist().join("bin/vicinity-translate"))
            .env("HOW", "at once");
        command.args(["-I first -I second", include]).current_dir(&place);
        said(command.env("CPATH", place.join("third"))).trim().to_owned()
    };
    let compilations = || fs::read_to_string(&compiled).unwrap_or_default().lines().count();
    write("third/number.h", "#define NUMBER 3");
    let includes = [
        "#include \"number.h\"",
        "/* a comment */ #include <number.h>",
        "#import <number.h>",
        "#inc\\\nlude <number.h>",
        "%: include <number.h>",
        "#define NAME <number.h>\n#include NAME",
        "#if __has_include(<first.h>)\n#define NUMBER 9\n#else\n#include <number.h>\n#endif",
    ];
    for include in includes {
        let _ = fs::remove_file(place.join("first/number.h"));
        let _ = fs::remove_file(place.join("first.h"));
        let _ = fs::remove_file(place.join("second/first.h"));
        // In the current folder, where the compiler does not look.
        write("number.h", "#define NUMBER 0");
        for number in ["10", "20"] {
            write("second/number.h", &format!("#define NUMBER {number}"));
            assert_eq!(run(include), number, "{include}");
        }
        let before = compilations();
        assert_eq!(run(include), "20", "{include}");
        let is_known = !include.contains("__has_include");
        assert_eq!(compilations() == before, is_known, "{include}");
        write("first/number.h", "#define NUMBER 30");
        assert_eq!(run(include), "30", "{include}: another comes first");
        write("second/first.h", "");
        let expected = if is_known { "30" } else { "9" };
        assert_eq!(run(include), expected, "{include}");
    }
}

/// What lies in an entry's place is replaced, and nobody waits for it.
#[test]
fn what_is_no_file_in_the_cache_is_replaced() {
    let (program, cache) = (build("cached.c"), folder("no-files"));
    let mut run = on_vicinity(&program, &cache);
    assert_eq!(said(&mut run), "42\n");
    let entry = entries(&cache).remove(0);
    let pipe =
        || assert!(Command::new("mkfifo").arg(&entry).status().expect("it starts").success());
    let link = || std::os::unix::fs::symlink("/dev/zero", &entry).expect("a link");
    let folder = || fs::create_dir_all(entry.join("deeper")).expect("a folder");
    for wrong in [&pipe as &dyn Fn(), &link, &folder] {
        fs::remove_file(&entry).expect("an entry");
        wrong();
        assert_eq!(said(&mut run), "42\n");
        assert!(entry.symlink_metadata().expect("an entry").is_file());
    }
}

/// Code is run that lies there: so it is not taken from where others may write.
#[test]
fn a_cache_that_others_may_write_is_not_used() {
    let (program, cache) = (build("cached.c"), folder("open"));
    let mut run = on_vicinity(&program, &cache);
    assert_eq!(said(&mut run), "42\n");
    let (folder, entry) = (cache.join("opencl"), entries(&cache).remove(0));
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&entry)), (0o700, 0o600), "as they are made");
    fs::write(&entry, "untouched").expect("an entry");
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("a mode");
    let output = run.output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n");
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(complained.lines().count(), 1, "{complained}");
    assert!(complained.contains("opencl may be written by others (mode 777)"), "{complained}");
    assert_eq!(fs::read(&entry).expect("an entry"), b"untouched");
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("a mode");
    // An entry that others may have written is made anew.
    fs::set_permissions(&entry, Permissions::from_mode(0o666)).expect("a mode");
    assert_eq!(said(&mut run), "42\n");
    assert_eq!(mode(&entry), 0o600);
}

/// A folder that goes while a program runs is made again, or done without.
#[test]
fn a_cache_may_vanish_at_any_time() {
    let (program, cache) = (build("cached.c"), folder("vanishing"));
    let mut command = on_vicinity(&program, &cache);
    command
        .env("VICINITY_TRANSLATE", Driver::sources().join("vanish.sh"))
        .env("FOLDER", cache.join("opencl"));
    command.env("TRANSLATOR", DRIVER.dist().join("bin/vicinity-translate"));
    assert_eq!(said(&mut command), "42\n");
    assert_eq!(entries(&cache).len(), 1);
    // A disk that is full before the entry is whole.
    let entry = entries(&cache).remove(0);
    let blocks = (fs::metadata(&entry).expect("an entry").len() - 1) / 512;
    fs::remove_file(entry).expect("an entry");
    let mut shell = on_vicinity(Path::new("sh"), &cache);
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\"")]).arg(&program);
    shell.env("VICINITY_TRANSLATE", Driver::sources().join("vanish.sh")).env("FOLDER", "/nowhere");
    shell.env("TRANSLATOR", DRIVER.dist().join("bin/vicinity-translate"));
    assert_eq!(said(&mut shell), "42\n");
    assert_eq!(entries(&cache), [] as [PathBuf; 0], "no part of it is left");
}

#[test]
fn the_cache_stays_below_its_size() {
    let (program, cache) = (build("cached.c"), folder("bounded"));
    let run = |size: &str, number: usize| {
        let mut command = on_vicinity(&program, &cache);
        let line = format!("#define NUMBER {number}");
        command.env("VICINITY_CACHE_SIZE", size).args(["-w", &line]);
        assert_eq!(said(&mut command), format!("{number}\n"));
        entries(&cache).len()
    };
    assert_eq!([1, 2, 3].map(|number| run("1M", number)), [1, 2, 3]);
    let bytes = fs::metadata(&entries(&cache)[0]).expect("an entry").len();
    // There is room for three, and for two when it is made.
    assert_eq!(run(&(bytes * 7 / 2).to_string(), 4), 2);
    assert_eq!(run("0", 5), 0);
    let mut command = on_vicinity(&program, &cache);
    let output = command.env("VICINITY_CACHE_SIZE", "much").output().expect("the program starts");
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "vicinity: VICINITY_CACHE_SIZE='much' is not understood; \
        allowed: a number of bytes, or one followed by K, M or G; used instead: 1G\n";
    assert_eq!((complained.as_str(), output.stdout.as_slice()), (expected, &b"42\n"[..]));
}

#[test]
fn processes_fill_one_cache_at_a_time() {
    let (program, cache) = (build("cached.c"), folder("crowd"));
    let start = |_| -> Child {
        on_vicinity(&program, &cache).stdout(Stdio::piped()).spawn().expect("the program starts")
    };
    let crowd: Vec<Child> = (0..6).map(start).collect();
    for child in crowd {
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success());
        assert_eq!(output.stdout, b"42\n");
    }
    assert_eq!(entries(&cache).len(), 1);
}

/// Every kernel of the corpus through the loader, by the code for any local size and by that made for each.
#[test]
fn code_for_one_local_size_computes_the_same() {
    let (program, cache) = (build("corpus.c"), folder("corpus"));
    let corpus = Driver::sources().parent().expect("tests/opencl").to_path_buf();
    let files = fs::read_dir(corpus).expect("the corpus").flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "cl"));
    let compare = |file: &Path| {
        let results = cache.join(file.with_extension("results").file_name().expect("a file"));
        let run = |mode, what| {
            let mut command = on_vicinity(&program, &cache);
            command.env("VICINITY_SPECIALIZE", mode).arg(file).arg(what).arg(&results);
            said(&mut command).trim().parse::<usize>().expect("a number")
        };
        let kept = run("never", "save");
        assert_eq!(run("always", "compare"), kept, "{file:?}");
        kept
    };
    let (first, second): (Vec<_>, Vec<_>) = files.enumerate().partition(|(at, _)| at % 2 == 0);
    let all =
        |files: &[(usize, PathBuf)]| files.iter().map(|(_, file)| compare(file)).sum::<usize>();
    // They mostly wait for the translator.
    let launches = thread::scope(|scope| {
        let other = scope.spawn(|| all(&second));
        all(&first) + other.join().expect("the same results")
    });
    // A program for each file, and code for most launches: not for ranges with smaller last groups.
    let made = entries(&cache).len();
    assert!(launches > 300 && made * 2 > launches, "{made} entries for {launches} launches");
}

/// A translator that misbehaves is a failed build with a log, and the program goes on.
#[test]
fn a_translator_that_crashes_is_a_failed_build() {
    let (program, cache) = (build("cached.c"), folder("crashing"));
    let script = Driver::sources().join("translate.sh");
    let cases = [
        ("crash", "crashed, by signal 11"),
        ("fail", "broken\nvicinity-translate failed, with status 3"),
        ("nothing", "ended without a program"),
        ("refuse", "wrong"),
        ("options", "no such option"),
        ("noise", "cannot be loaded: the program's description"),
    ];
    for (how, log) in cases {
        let mut command = on_vicinity(&program, &cache);
        command.env("VICINITY_TRANSLATE", &script).env("HOW", how);
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(log), "{how}: {said}");
        assert_eq!(output.status.code(), Some(1), "{how}: {said}");
    }
}
