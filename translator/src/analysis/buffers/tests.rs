//! Kernels in text, and what is found of their arrays.

use super::*;
use crate::view::text::parse;

/// What is found of `%t`, in a group of 16 items; `alone`: its arguments are distinct.
fn found(alone: bool, body: &str) -> Result<Copy, Why> {
    found_of("size 16 1 1 uniform", alone, body)
}

fn found_of(size: &str, alone: bool, body: &str) -> Result<Copy, Why> {
    let text = format!(
        "kernel k(t: local, a: global, b: global, n: i64) {size}
        entry:
          %l = local_id 0
          %g = global_id 0
          %from = address %a %g*4
          %to = address %b %g*4
          {body}"
    );
    let function = parse(&text);
    let analysis = Analysis::new(&function);
    let facts = Facts { distinct: vec![alone; 3], ..Facts::default() };
    find(&function, &analysis, &facts).remove(0).found
}

const COPY: &str = "%v = load %from : f32
    %p = address %t %l*4
    store %v %p
    barrier";

fn read_at(index: &str) -> Result<Copy, Why> {
    found(true, &format!("{COPY}\n{index}\n%x = load %q : f32\nstore %x %to\nret"))
}

/// How much further the next item loads, and where the first item of the first group does.
fn loads_at(found: Result<Copy, Why>) -> Result<(i128, i128), Why> {
    found.map(|copy| {
        let Made::Sum(_, terms) = &copy.reads[0].address else { panic!("a sum") };
        let factor = |wanted: &[Atom]| {
            let term = terms.iter().find(|(_, atoms)| atoms == wanted);
            term.map_or(0, |&(factor, _)| factor)
        };
        (factor(&[Atom::Local(0)]), factor(&[]))
    })
}

#[test]
fn reads_within_the_group_have_a_writer() {
    let at = |index: &str| loads_at(read_at(index));
    assert_eq!(at("%q = address %t 12"), Ok((0, 12)));
    assert_eq!(at("%q = address %t %l*4"), Ok((4, 0)));
    assert_eq!(at("%r = sub 15 %l\n%q = address %t %r*4"), Ok((-4, 60)));
}

/// A row with one element more at each end: `left` and `right` are conditions of its stores, `next` how far `right` is.
fn row_with_ends(left: &str, right: &str, next: &str) -> Result<(i128, i128), Why> {
    let body = format!(
        "%v = load %from : f32
          %p = address %t %l*4 +4
          store %v %p
          %both = or %l %l
          %away = xor %l 15
          %rest = or %away %away
          %first = {left}
          branch %first one two
        one:
          %fl = address %a %g*4 -4
          %vl = load %fl : f32
          store %vl %t
          jump two
        two:
          %last = {right}
          branch %last three all
        three:
          %fr = address %a %g*4 {next}
          %vr = load %fr : f32
          %pr = address %t %l*4 +8
          store %vr %pr
          jump all
        all:
          barrier
          %q = address %t %l*4 +8
          %x = load %q : f32
          %q2 = address %t %l*4
          %x2 = load %q2 : f32
          store %x %to
          ret"
    );
    loads_at(found(true, &body))
}

#[test]
fn several_stores_cover_what_is_read_together() {
    let (first, last) = ("eq %l 0", "eq %l 15");
    assert_eq!(row_with_ends(first, last, "+4"), Ok((4, 4)));
    assert_eq!(row_with_ends("slt %l 1", "sgt %l 14", "+4"), Ok((4, 4)));
    // Two comparisons that LLVM has made one.
    assert_eq!(row_with_ends("eq %both 0", "eq %rest 0", "+4"), Ok((4, 4)));
    assert_eq!(row_with_ends("ult %both 1", "eq %away 0", "+4"), Ok((4, 4)));
    assert_eq!(row_with_ends("eq %both 1", last, "+4"), Err(Why::Several));
    assert_eq!(row_with_ends("ult %both 3", last, "+4"), Err(Why::Several));
    // From elsewhere, not by all who should, not by a test that says all.
    assert_eq!(row_with_ends(first, last, "+8"), Err(Why::Several));
    assert!(matches!(row_with_ends("eq %l 1", last, "+4"), Err(Why::Place(_) | Why::Several)));
    assert!(matches!(row_with_ends(first, "slt %l 15", "+4"), Err(Why::Place(_))));
    assert_eq!(row_with_ends("slt %n 1", last, "+4"), Err(Why::Several));
}

/// A loop in which sixteen items copy `limit` elements, of which the last is read.
fn copied_in_a_loop(limit: &str, read: &str) -> Result<(i128, i128), Why> {
    let body = format!(
        "%some = slt %l {limit}
          branch %some head all
        head:
          %i = phi [entry %l] [head %i1] : i64
          %first = sub %g %l
          %f = address %a %first*4 %i*4
          %v = load %f : f32
          %p = address %t %i*4
          store %v %p
          %i1 = add.nsw %i 16
          %more = slt %i1 {limit}
          branch %more head all
        all:
          barrier
          %q = address %t {read}
          %x = load %q : f32
          store %x %to
          ret"
    );
    loads_at(found(true, &body))
}

#[test]
fn copies_in_loops_are_those_of_items_to_come() {
    assert_eq!(copied_in_a_loop("40", "156"), Ok((0, 156)));
    assert_eq!(copied_in_a_loop("40", "%l*4 +96"), Ok((4, 96)));
    assert!(matches!(copied_in_a_loop("40", "160"), Err(Why::Place(_))));
    assert!(matches!(copied_in_a_loop("40", "%l*4 +100"), Err(Why::Place(_))));
    assert!(matches!(copied_in_a_loop("%n", "0"), Err(Why::Place(_))));
}

/// A copy of what a condition says is inside, and of what it is elsewhere; by a branch, or where loads may be tried.
fn with_border(condition: &str, outside: &str, by_select: bool) -> Result<Copy, Why> {
    let copied = match by_select {
        true => {
            format!("%c = {condition}\n%w = load %from : f32\n%v = select %c %w {outside} : f32")
        }
        false => format!(
            "%c = {condition}
              branch %c inside all
            inside:
              %w = load %from : f32
              jump all
            all:
              %v = phi [entry {outside}] [inside %w] : f32"
        ),
    };
    found(
        true,
        &format!(
            "{copied}
              %p = address %t %l*4
              store %v %p
              barrier
              %r = sub 15 %l
              %q = address %t %r*4
              %x = load %q : f32
              store %x %to
              ret"
        ),
    )
}

#[test]
fn a_border_is_what_the_writer_stored() {
    for by_select in [false, true] {
        let copy = with_border("slt %g 100", "0", by_select).expect("a copy");
        assert!(copy.outside.is_some_and(|outside| outside.inside));
        let Some(Made::Again(_, operands)) = &copy.reads[0].condition else { panic!("a test") };
        // The id of the writer, which is 15 less what the reader has.
        let Made::Sum(_, terms) = &operands[0] else { panic!("a sum") };
        assert!(terms.contains(&(-1, vec![Atom::Local(0)])));
        assert!(terms.contains(&(15, vec![])));
    }
    // What each item has for itself is no border.
    let outside = |outside: &str| with_border("slt %g 100", outside, false).map(|_| ());
    assert_eq!(outside("%n"), Err(Why::Other));
}

#[test]
fn reads_beyond_the_group_or_between_elements_have_none() {
    let fails = |index: &str| assert!(matches!(read_at(index), Err(Why::Place(_))), "{index}");
    fails("%q = address %t 64");
    fails("%q = address %t %l*4 +4");
    fails("%q = address %t %l*4 -4");
    fails("%q = address %t %l*8");
    fails("%q = address %t %l*4 +2");
    fails("%q = address %t %n*4");
    fails("%q = address %t %l*2");
}

#[test]
fn what_may_be_written_is_read_when_it_was_read() {
    let body =
        |to: &str| format!("{COPY}\n%q = address %t 12\n%x = load %q : f32\nstore %x {to}\nret");
    assert!(found(true, &body("%to")).is_ok());
    assert!(matches!(found(false, &body("%to")), Err(Why::Written(_))));
    assert!(matches!(found(true, &body("%from")), Err(Why::Written(_))));
    let ordered = body("%to").replace("ret", "%c = atomic %to 1 : i32\nret");
    assert!(matches!(found(true, &ordered), Err(Why::Written(_))));
}

#[test]
fn all_items_copy_once_in_front_of_the_barrier() {
    let without = COPY.replace("barrier", "");
    let reads = "%q = address %t 12\n%x = load %q : f32\nstore %x %to";
    let fails = |body: &str| assert_eq!(found(true, body).map(|_| ()), Err(Why::Phase), "{body}");
    fails(&format!("{without}\n{reads}\nret"));
    fails(&format!("{without}\n{reads}\nbarrier\nret"));
    let guarded = format!(
        "%c = slt %l 8
          branch %c some all
        some:
          {without}
          jump all
        all:
          barrier
          {reads}
          ret"
    );
    // The first eight have.
    assert!(found(true, &guarded).is_ok());
    let beyond = guarded.replace("address %t 12", "address %t 32");
    assert!(matches!(found(true, &beyond), Err(Why::Place(_))));
    let repeated = format!(
        "jump head
        head:
          %k = phi [entry 0] [head %k1] : i64
          {COPY}
          %k1 = add %k 1
          %more = slt %k1 %n
          branch %more head done
        done:
          {reads}
          ret"
    );
    fails(&repeated);
    // Read in the iteration behind.
    let carried = format!(
        "jump head
        head:
          %k = phi [entry 0] [head %k1] : i64
          {reads}
          {COPY}
          %k1 = add %k 1
          %more = slt %k1 %n
          branch %more head done
        done:
          ret"
    );
    fails(&carried);
    let within =
        carried.replace(reads, "barrier").replace("%k1 = add", &format!("{reads}\n%k1 = add"));
    assert!(found(true, &within).is_ok());
}

#[test]
fn sizes_must_be_known_and_stores_alone() {
    let body = format!("{COPY}\n%q = address %t 12\n%x = load %q : f32\nstore %x %to\nret");
    for size in ["", "size 16 1 1", "uniform"] {
        assert_eq!(found_of(size, true, &body).map(|_| ()), Err(Why::Size), "{size}");
    }
    let changed = body.replace("barrier", "%w = load %a : f32\nstore %w %p\nbarrier");
    assert_eq!(found(true, &changed).map(|_| ()), Err(Why::Several));
    let other = body.replace("store %v %p", "store %n %p");
    assert_eq!(found(true, &other).map(|_| ()), Err(Why::Other));
    assert!(found_of("size 16 2 1 uniform", true, &body).is_err());
}

#[test]
fn what_neighbours_would_load_far_apart_stays() {
    let columns = COPY
        .replace("%v = load", "%col = address %a %l*64\n%v = load")
        .replace("load %from", "load %col");
    let body = format!("{columns}\n%q = address %t %l*4\n%x = load %q : f32\nstore %x %to\nret");
    assert_eq!(found(true, &body).map(|_| ()), Err(Why::Reorganizes));
}

#[test]
fn addresses_must_be_made_of_ids() {
    let by = |index: &str| {
        let copy = COPY.replace(
            "%v = load %from",
            &format!("{index}\n%far = address %a %i*4 %l*4\n%v = load %far"),
        );
        found(true, &format!("{copy}\n%q = address %t 12\n%x = load %q : f32\nstore %x %to\nret"))
            .map(|_| ())
    };
    assert_eq!(by("%i = load %a : i64"), Ok(()));
    assert_eq!(
        by("%o = address %a %g*8\n%h = load %o : i64\n%i = and %h 1"),
        Err(Why::Reorganizes)
    );
    assert_eq!(by("%i = mul %n %n"), Ok(()));
}

/// A tile of `rows` by 16 items that copies from rows of 1,024 bytes; a loop over `count` of its rows, of which the reader's own is
/// the first if `own`.
fn rows_of_tile(rows: u32, count: u32, own: bool) -> Result<(), Why> {
    let row = if own { "%row = add.nsw %y %k" } else { "%row = add.nsw %k 0" };
    // As many rows more as the loop goes beyond the group's.
    let more = if own { count - 1 } else { 0 };
    let body = format!(
        "%y = local_id 1
          %limit = add.nsw {rows} {more}
          jump copy
        copy:
          %r = phi [entry %y] [copied %r1] : i64
          %in = slt %r %limit
          branch %in copied all
        copied:
          %f = address %a %r*1024 %l*4
          %v = load %f : f32
          %p = address %t %r*64 %l*4
          store %v %p
          %r1 = add.nsw %r {rows}
          jump copy
        all:
          barrier
          jump head
        head:
          %k = phi [all 0] [body %k1] : i64
          %c = slt %k {count}
          branch %c body done
        body:
          {row}
          %q = address %t %row*64 %l*4
          %x = load %q : f32
          store %x %to
          %k1 = add.nsw %k 1
          jump head
        done:
          ret"
    );
    found_of(&format!("size 16 {rows} 1 uniform"), true, &body).map(|_| ())
}

#[test]
fn rows_that_stay_in_the_cache_together_may_be_far_apart() {
    // A filter of 7 rows, one of 9.
    assert_eq!(rows_of_tile(16, 7, true), Ok(()));
    assert_eq!(rows_of_tile(16, 9, true), Err(Why::Reorganizes));
    // Those of a tile are not the reader's own.
    assert_eq!(rows_of_tile(8, 8, false), Err(Why::Reorganizes));
}
