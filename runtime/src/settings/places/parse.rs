//! From the text of a variable to a place list.

use super::{Level, PlaceInterval, PlacesSpec, ResourceInterval};
use crate::settings::kinds::value_of;
use crate::settings::text::Cursor;

/// Parses `OMP_PLACES`: `cores`, `threads(4)`, `{0,1},{2:4:2},!{3}`, `{0:2}:4:2`, `0,2,4`.
pub fn places(text: &str) -> Option<PlacesSpec> {
    let mut cursor = Cursor::new(text);
    let word = cursor.word();
    let spec = if word.is_empty() {
        PlacesSpec::Explicit(place_list(&mut cursor)?)
    } else {
        let level = value_of(Level::WORDS, word)?;
        let count = match cursor.eat('(') {
            true => Some(cursor.positive()?).filter(|_| cursor.eat(')')).map(Some)?,
            false => None,
        };
        PlacesSpec::Abstract { level, count }
    };
    cursor.at_end().then_some(spec)
}

fn place_list(cursor: &mut Cursor) -> Option<Vec<PlaceInterval>> {
    let mut list = Vec::new();
    loop {
        list.push(place_interval(cursor)?);
        if !cursor.eat(',') {
            return Some(list);
        }
    }
}

fn place_interval(cursor: &mut Cursor) -> Option<PlaceInterval> {
    let exclude = cursor.eat('!');
    let resources =
        if cursor.eat('{') { resource_list(cursor)? } else { vec![single(cursor.number()?)] };
    let (count, stride) = if exclude { (1, 1) } else { interval(cursor)? };
    Some(PlaceInterval { exclude, resources, count, stride })
}

/// The inside of braces and the closing brace.
fn resource_list(cursor: &mut Cursor) -> Option<Vec<ResourceInterval>> {
    let mut list = Vec::new();
    loop {
        let exclude = cursor.eat('!');
        let first = cursor.number()?;
        let (count, stride) = if exclude { (1, 1) } else { interval(cursor)? };
        list.push(ResourceInterval { exclude, first, count, stride });
        if !cursor.eat(',') {
            return cursor.eat('}').then_some(list);
        }
    }
}

/// `:count:stride`, `:count` or nothing.
fn interval(cursor: &mut Cursor) -> Option<(u32, i64)> {
    if !cursor.eat(':') {
        return Some((1, 1));
    }
    let count = cursor.positive()?;
    let stride = if cursor.eat(':') { cursor.signed()? } else { 1 };
    Some((count, stride))
}

/// Parses `GOMP_CPU_AFFINITY`: processors and ranges with steps, `0 3 1-2 4-15:2`, one place each.
pub fn cpu_affinity(text: &str) -> Option<PlacesSpec> {
    let mut cursor = Cursor::new(text);
    let mut list = Vec::new();
    while !cursor.at_end() {
        list.push(processor_range(&mut cursor)?);
        cursor.eat(',');
    }
    (!list.is_empty()).then_some(PlacesSpec::Explicit(list))
}

/// Parses the `proclist` of `KMP_AFFINITY`: `0,3,{1,2},4-7:2`, without its brackets.
pub fn proc_list(text: &str) -> Option<PlacesSpec> {
    let mut cursor = Cursor::new(text);
    let mut list = Vec::new();
    loop {
        list.push(if cursor.eat('{') {
            let resources = resource_list(&mut cursor)?;
            PlaceInterval { exclude: false, resources, count: 1, stride: 1 }
        } else {
            processor_range(&mut cursor)?
        });
        if !cursor.eat(',') {
            return cursor.at_end().then_some(PlacesSpec::Explicit(list));
        }
    }
}

/// `first`, `first-last` or `first-last:step`, as one place a processor.
fn processor_range(cursor: &mut Cursor) -> Option<PlaceInterval> {
    let first = cursor.number()?;
    let (mut count, mut stride) = (1, 1);
    if cursor.eat('-') {
        let last = cursor.number().filter(|&last| last >= first)?;
        let step = if cursor.eat(':') { cursor.positive()? } else { 1 };
        count = ((last - first) / step).saturating_add(1);
        stride = i64::from(step);
    }
    Some(PlaceInterval { exclude: false, resources: vec![single(first)], count, stride })
}

fn single(first: u32) -> ResourceInterval {
    ResourceInterval { exclude: false, first, count: 1, stride: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_understood_and_shown_alike() {
        for (text, shown) in [
            ("cores", "cores"),
            (" Threads ( 4 ) ", "threads(4)"),
            ("NUMA_DOMAINS", "numa_domains"),
            ("ll_caches(2)", "ll_caches(2)"),
            ("{0,1},{2,3}", "{0,1},{2,3}"),
            ("{ 0 : 4 }, {4:4}", "{0:4},{4:4}"),
            ("{0:4}:4:4", "{0:4}:4:4"),
            ("{0:2:8}:3:-2", "{0:2:8}:3:-2"),
            ("{0:8,!3},!{4:8:1}", "{0:8,!3},!{4:8}"),
            ("0:4:2,9", "{0}:4:2,{9}"),
            ("!5", "!{5}"),
        ] {
            assert_eq!(places(text).map(|spec| spec.to_string()).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in [
            "",
            "core",
            "cores(0)",
            "cores(",
            "cores()",
            "cores(2",
            "cores(2)x",
            "cores 2",
            "{",
            "{}",
            "{0",
            "{0,}",
            "{0},",
            "{0}{1}",
            "{-1}",
            "{0:0}",
            "{0}:0",
            "{0:1:}",
            "{a}",
            "0 1",
            "!",
            "{!}",
            "!{0}:2",
            "{0}:1:2:3",
            "{4294967296}",
            "{0},cores",
            "\u{e9}",
            "{0}:2:--1",
        ] {
            assert_eq!(places(text), None, "{text}");
        }
    }

    #[test]
    fn cpu_affinity_takes_blanks_or_commas() {
        let shown = |text| cpu_affinity(text).map(|spec| spec.to_string());
        let wanted = Some("{0},{3},{1}:2,{4}:6:2".to_owned());
        assert_eq!(shown("0 3 1-2 4-15:2"), wanted);
        assert_eq!(shown("0,3, 1-2 ,4-15:2"), wanted);
        for text in ["", "x", "3-1", "1-", "1-3:0", ",", "1,,2", "1:2", "1-2-3"] {
            assert_eq!(shown(text), None, "{text}");
        }
        assert!(shown("0-4294967295").is_some());
    }

    #[test]
    fn proc_lists() {
        let shown = |text| proc_list(text).map(|spec| spec.to_string());
        assert_eq!(shown("0,3,{1,2},4-7:3").as_deref(), Some("{0},{3},{1,2},{4}:2:3"));
        for text in ["", "0 1", "{0", "0,", "{}", "1-0"] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
