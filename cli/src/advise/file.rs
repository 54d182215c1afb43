//! The advice file: what `vicinity advise -o` writes and `vicinity run --advice` does (docs/advise.md, The file).

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use vicinity_policy::distribution::Distribution;

use crate::failure::Failure;

/// The version of the form.
const VERSION: u64 = 1;
/// Variables that advice may set.
const SETTINGS: [&str; 5] = [
    "OMP_NUM_THREADS",
    "OMP_SCHEDULE",
    "OMP_WAIT_POLICY",
    "OMP_DATA_DISTRIBUTION",
    "VICINITY_SCHEDULER",
];

/// Blocks of one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockAdvice {
    /// For people.
    pub place: String,
    /// `program+0x11b6`, the innermost call first.
    pub origin: Vec<String>,
    pub distribution: String,
}

/// A variable of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableAdvice {
    pub name: String,
    pub at: String,
    pub bytes: u64,
    pub distribution: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    pub program: String,
    /// The machine that it was found for.
    pub machine: String,
    pub blocks: Vec<BlockAdvice>,
    pub variables: Vec<VariableAdvice>,
    pub settings: Vec<(String, String)>,
}

impl Advice {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.variables.is_empty() && self.settings.is_empty()
    }

    /// Whether large blocks or variables are to be placed.
    pub fn places(&self) -> bool {
        let whole = self.settings.iter().any(|(name, _)| name == "OMP_DATA_DISTRIBUTION");
        whole || !self.blocks.is_empty() || !self.variables.is_empty()
    }

    /// The value of VICINITY_PLACEMENT (`vicinity_alloc::placed::rules`).
    pub fn placement(&self) -> String {
        let block = |it: &BlockAdvice| format!("{}:{}", it.distribution, it.origin.join("<"));
        let variable = |it: &VariableAdvice| format!("{}:{},{}", it.distribution, it.at, it.bytes);
        let rules = self.blocks.iter().map(block).chain(self.variables.iter().map(variable));
        rules.collect::<Vec<_>>().join(";")
    }

    pub fn to_json(&self) -> Value {
        let blocks: Vec<Value> = self
            .blocks
            .iter()
            .map(|it| json!({ "place": it.place, "origin": it.origin, "distribution": it.distribution }))
            .collect();
        let variables: Vec<Value> = self
            .variables
            .iter()
            .map(|it| {
                json!({
                    "name": it.name, "at": it.at, "bytes": it.bytes, "distribution": it.distribution,
                })
            })
            .collect();
        let settings: serde_json::Map<String, Value> = self
            .settings
            .iter()
            .map(|(name, value)| (name.clone(), Value::String(value.clone())))
            .collect();
        json!({
            "vicinity_advice": VERSION,
            "program": self.program,
            "machine": self.machine,
            "blocks": blocks,
            "variables": variables,
            "settings": settings,
        })
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        fs::write(path, format!("{:#}\n", self.to_json()))
            .map_err(|error| Failure::own(format!("cannot write {}: {error}", path.display())))
    }

    pub fn read(path: &Path) -> Result<Advice, Failure> {
        let failed = |what: String| Failure::own(format!("{}: {what}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| failed(format!("is not JSON, so no advice: {error}")))?;
        parse(&value).map_err(failed)
    }
}

/// What a field has to be, and its name with those around it.
struct Field<'a> {
    name: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    fn wrong(&self, wanted: &str) -> String {
        format!("the field `{}` is not {wanted}: {}", self.name, self.value)
    }

    fn of(&self, name: &str) -> Result<Field<'a>, String> {
        let full =
            if self.name.is_empty() { name.to_string() } else { format!("{}.{name}", self.name) };
        let value = self.value.get(name).ok_or_else(|| format!("the field `{full}` is missing"))?;
        Ok(Field { name: full, value })
    }

    fn text(&self) -> Result<String, String> {
        self.value.as_str().map(str::to_string).ok_or_else(|| self.wrong("a text"))
    }

    fn each(&self) -> Result<Vec<Field<'a>>, String> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let field = |(at, value)| Field { name: format!("{}[{at}]", self.name), value };
        Ok(list.iter().enumerate().map(field).collect())
    }

    fn distribution(&self) -> Result<String, String> {
        let word = self.text()?;
        let known = ["standard", "fine", "coarse", "blocked"];
        match known.contains(&word.as_str()) {
            true => Ok(word),
            false => Err(self.wrong(&format!("one of {}", known.join(", ")))),
        }
    }

    /// `program+0x11b6`.
    fn address(&self) -> Result<String, String> {
        let text = self.text()?;
        let (file, offset) = text.rsplit_once("+0x").ok_or_else(|| self.wrong("FILE+0xOFFSET"))?;
        let is_plain = !file.is_empty() && !file.contains([';', '<', ',', ':']);
        match is_plain && usize::from_str_radix(offset, 16).is_ok() {
            true => Ok(text),
            false => Err(self.wrong("FILE+0xOFFSET")),
        }
    }
}

fn parse(value: &Value) -> Result<Advice, String> {
    let all = Field { name: String::new(), value };
    if !value.is_object() || value.get("vicinity_advice").is_none() {
        return Err("is not an advice file: the field `vicinity_advice` is missing".to_string());
    }
    let version = all.of("vicinity_advice")?;
    if version.value.as_u64() != Some(VERSION) {
        return Err(version.wrong(&format!("{VERSION}, the version that this command reads")));
    }
    let mut advice = Advice {
        program: all.of("program")?.text()?,
        machine: all.of("machine")?.text()?,
        ..Advice::default()
    };
    for block in all.of("blocks")?.each()? {
        let origin = block.of("origin")?;
        let addresses: Vec<String> =
            origin.each()?.iter().map(Field::address).collect::<Result<_, _>>()?;
        if addresses.is_empty() {
            return Err(origin.wrong("a list of at least one place"));
        }
        advice.blocks.push(BlockAdvice {
            place: block.of("place")?.text()?,
            origin: addresses,
            distribution: block.of("distribution")?.distribution()?,
        });
    }
    for variable in all.of("variables")?.each()? {
        let bytes = variable.of("bytes")?;
        advice.variables.push(VariableAdvice {
            name: variable.of("name")?.text()?,
            at: variable.of("at")?.address()?,
            bytes: bytes.value.as_u64().ok_or_else(|| bytes.wrong("a whole number"))?,
            distribution: variable.of("distribution")?.distribution()?,
        });
    }
    let settings = all.of("settings")?;
    let list = settings.value.as_object().ok_or_else(|| settings.wrong("an object"))?;
    for (name, value) in list {
        let field = Field { name: format!("settings.{name}"), value };
        if !SETTINGS.contains(&name.as_str()) {
            let known = SETTINGS.join(", ");
            return Err(format!(
                "the field `{}` is no setting that advice may have: {known}",
                field.name
            ));
        }
        let text = field.text()?;
        let is_word = |word: &&(&str, Distribution)| word.0 == text;
        if name == "OMP_DATA_DISTRIBUTION" && !Distribution::WORDS.iter().any(|it| is_word(&it)) {
            return Err(field.wrong("a distribution"));
        }
        advice.settings.push((name.clone(), text));
    }
    Ok(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Advice {
        let origin = vec!["heat+0x11b6".to_string(), "heat+0x1301".to_string()];
        let text = str::to_string;
        Advice {
            program: text("/home/me/heat"),
            machine: text("epyc-nps4"),
            blocks: vec![BlockAdvice {
                place: text("heat.c:9"),
                origin,
                distribution: text("blocked"),
            }],
            variables: vec![VariableAdvice {
                name: text("field"),
                at: text("heat+0x4060"),
                bytes: 8 << 20,
                distribution: text("fine"),
            }],
            settings: vec![(text("OMP_NUM_THREADS"), text("4"))],
        }
    }

    #[test]
    fn advice_comes_back_as_it_was_written() {
        assert_eq!(parse(&example().to_json()), Ok(example()));
        let expected = "blocked:heat+0x11b6<heat+0x1301;fine:heat+0x4060,8388608";
        assert_eq!(example().placement(), expected);
        let rules = vicinity_alloc::placed::rules::parse(expected);
        assert_eq!(rules.map(|rules| rules.len()), Some(2));
    }

    #[test]
    fn a_broken_file_is_told_by_its_field() {
        let with = |pointer: &str, value: Value| {
            let mut json = example().to_json();
            *json.pointer_mut(pointer).expect("the example has it") = value;
            parse(&json).expect_err("it is broken")
        };
        assert!(with("/vicinity_advice", json!(2)).contains("`vicinity_advice` is not 1"));
        assert!(
            with("/blocks/0/distribution", json!("near"))
                .contains("`blocks[0].distribution` is not one of")
        );
        assert!(
            with("/blocks/0/origin/1", json!("heat"))
                .contains("`blocks[0].origin[1]` is not FILE+0xOFFSET")
        );
        assert!(with("/blocks/0/origin", json!([])).contains("`blocks[0].origin`"));
        assert!(
            with("/variables/0/bytes", json!(-1))
                .contains("`variables[0].bytes` is not a whole number")
        );
        assert!(with("/settings", json!({"LD_PRELOAD": "x"})).contains("`settings.LD_PRELOAD`"));
        assert!(
            with("/settings", json!({"OMP_DATA_DISTRIBUTION": "x"}))
                .contains("`settings.OMP_DATA_DISTRIBUTION`")
        );
        let mut json = example().to_json();
        json.as_object_mut().unwrap().remove("blocks");
        assert!(parse(&json).unwrap_err().contains("`blocks` is missing"));
        assert!(parse(&json!([1])).unwrap_err().contains("not an advice file"));
    }
}
