//! The name of the file: a process has one of its own, also where several have the same environment.

use crate::launcher::{self, Rank};

/// `%p` becomes the process number, and `%r` the rank. Of several ranks of MPI each gets its number before the end of the
/// name if that has neither.
pub fn of_this_process(template: &str) -> String {
    file_name(template, std::process::id(), launcher::world())
}

fn file_name(template: &str, process: u32, rank: Option<Rank>) -> String {
    let number = rank.map_or(0, |rank| rank.number);
    let is_one_of_several = rank.is_some_and(|rank| rank.of > 1);
    if is_one_of_several && !template.contains("%p") && !template.contains("%r") {
        return numbered(template, number);
    }
    template.replace("%p", &process.to_string()).replace("%r", &number.to_string())
}

/// `heat.json` is `heat.rank3.json`, and `heat.json.gz` is `heat.rank3.json.gz`.
fn numbered(name: &str, number: u32) -> String {
    let folder = name.rfind('/').map_or(0, |slash| slash + 1);
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let end = plain.rfind('.').filter(|&dot| dot > folder).unwrap_or(plain.len());
    format!("{}.rank{number}{}", &name[..end], &name[end..])
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_names_of_their_own() {
        let named = |template, of| {
            let rank = Rank { number: 3, of, variable: "PMI_RANK" };
            file_name(template, 77, Some(rank))
        };
        assert_eq!(named("heat.json", 4), "heat.rank3.json");
        assert_eq!(named("a.b/heat", 4), "a.b/heat.rank3");
        assert_eq!(named("a/.heat", 4), "a/.heat.rank3");
        assert_eq!(named("heat.json.gz", 4), "heat.rank3.json.gz");
        assert_eq!(named("h%r.json", 4), "h3.json");
        assert_eq!(named("h-%p.json", 4), "h-77.json");
        assert_eq!(named("heat.json", 1), "heat.json");
        assert_eq!(file_name("h%r-%p.json", 77, None), "h0-77.json");
    }
}
