//! `capi/openmp/releases.txt`: what the compilers' own runtimes export, release by release.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Why a symbol is not exported: the key of a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Exported,
    Not(String),
    Missing(String),
}

/// Symbols of one release under one version node that have the same answer.
#[derive(Clone, Debug)]
pub struct Group {
    pub node: String,
    pub answer: Answer,
    pub symbols: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Release {
    pub name: String,
    pub remark: String,
    pub groups: Vec<Group>,
}

#[derive(Default, Debug)]
pub struct Releases {
    pub reasons: BTreeMap<String, String>,
    pub releases: Vec<Release>,
}

impl Releases {
    pub fn read(repository: &Path) -> Releases {
        let path = repository.join("capi/openmp/releases.txt");
        let text = fs::read_to_string(&path).expect("releases.txt can be read");
        let mut all = Releases::default();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            all.take(line);
        }
        all
    }

    fn take(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "reason" => {
                let (key, text) = rest.split_once(' ').expect("a reason has a text");
                self.reasons.insert(key.to_owned(), text.to_owned());
            }
            "release" => {
                let (name, remark) = rest.split_once(' ').unwrap_or((rest, ""));
                let (name, remark) = (name.to_owned(), remark.to_owned());
                self.releases.push(Release { name, remark, groups: Vec::new() });
            }
            "node" => self.open(Some(rest), Answer::Exported),
            "not" => self.open(None, Answer::Not(self.known(rest))),
            "missing" => self.open(None, Answer::Missing(self.known(rest))),
            _ => {
                let group = self.last().groups.last_mut().expect("symbols stand under a node");
                group.symbols.extend(line.split_whitespace().map(str::to_owned));
            }
        }
    }

    fn known(&self, key: &str) -> String {
        assert!(self.reasons.contains_key(key), "releases.txt: `{key}` is no reason");
        key.to_owned()
    }

    /// Begins a group, under this node or the one before.
    fn open(&mut self, node: Option<&str>, answer: Answer) {
        let groups = &mut self.last().groups;
        let before = groups.last().map(|group| group.node.clone());
        let node = node.map(str::to_owned).or(before).expect("an answer stands under a node");
        groups.push(Group { node, answer, symbols: Vec::new() });
    }

    fn last(&mut self) -> &mut Release {
        self.releases.last_mut().expect("releases.txt begins with a release")
    }

    /// Every group, with the name of its release.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &Group)> {
        self.releases
            .iter()
            .flat_map(|release| release.groups.iter().map(|group| (release.name.as_str(), group)))
    }
}
