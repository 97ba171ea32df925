//! The Test Anything Protocol, with the YAML diagnostics of Node and the comments of bats.

use std::sync::LazyLock;

use regex::Regex;
use saphyr::{LoadableYamlNode, Yaml};

use super::lines::LineFormat;
use super::place::place;
use crate::findings::{Failure, Findings};

/// Lines kept of the diagnostics of one test.
const MAX_LINES: usize = 500;

/// Where bats says that a test failed.
static BATS_PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"in test file (?P<file>.+), line (?P<line>\d+)\)?$").ok());

/// The format.
#[derive(Default)]
pub(crate) struct Tap {
    /// Names of the tests that have begun, with their indentation.
    parents: Vec<(usize, String)>,
    test: Option<Test>,
    /// The lines of its YAML block, and the block's indentation.
    block: Option<(usize, Vec<String>)>,
}

/// A test whose diagnostics may follow.
struct Test {
    name: String,
    own_name: String,
    passed: bool,
    skipped: bool,
    yaml: Vec<String>,
    comments: Vec<String>,
}

impl LineFormat for Tap {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some((own, lines)) = &mut self.block {
            if text == "..." && indent <= *own {
                let (own, lines) = self.block.take().unwrap_or_default();
                if let Some(test) = &mut self.test {
                    let cut = |line: &String| line.get(own..).unwrap_or_default().to_owned();
                    test.yaml = lines.iter().map(cut).collect();
                }
            } else if lines.len() < MAX_LINES {
                lines.push(line.to_owned());
            }
            return;
        }
        if text == "---" && self.test.is_some() {
            self.block = Some((indent, Vec::new()));
            return;
        }
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            self.finish(found);
            self.parents.retain(|(other, _)| *other < indent);
            self.parents.push((indent, name.to_owned()));
            found.begin(name);
        } else if let Some(result) = result(text) {
            self.finish(found);
            self.begin(indent, result, found);
        } else if let Some(comment) = text.strip_prefix('#')
            && let Some(test) = &mut self.test
            && test.comments.len() < MAX_LINES
        {
            test.comments.push(comment.strip_prefix(' ').unwrap_or(comment).to_owned());
        }
    }

    fn end(&mut self, found: &mut Findings) {
        self.finish(found);
    }
}

/// Whether it passed, its name, and its directive.
fn result(text: &str) -> Option<(bool, &str, &str)> {
    let (passed, rest) = match text.strip_prefix("ok") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("not ok")?),
    };
    // `ok` alone is a result, `okay` is not.
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
    let rest = rest.trim_start().strip_prefix("- ").unwrap_or(rest.trim_start());
    let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
    Some((passed, name.trim(), directive))
}

impl Tap {
    fn begin(&mut self, indent: usize, result: (bool, &str, &str), found: &mut Findings) {
        let (passed, name, directive) = result;
        self.parents.retain(|(other, _)| *other < indent);
        let parents = self.parents.iter().map(|(_, name)| name.as_str());
        let full: Vec<&str> = parents.chain([name]).collect();
        found.has_tests = true;
        found.end(name);
        let directive = directive.to_ascii_lowercase();
        self.test = Some(Test {
            name: full.join(" > "),
            own_name: name.to_owned(),
            // What is not done yet may fail.
            passed: passed || directive.starts_with("todo"),
            skipped: directive.starts_with("skip") || directive.starts_with("todo"),
            yaml: Vec::new(),
            comments: Vec::new(),
        });
    }

    fn finish(&mut self, found: &mut Findings) {
        self.block = None;
        let Some(test) = self.test.take() else { return };
        let yaml = test.yaml.join("\n");
        let yaml = Yaml::load_from_str(&yaml).unwrap_or_default();
        let field = |name: &str| yaml.first().and_then(|map| map.as_mapping_get(name));
        let string = |name: &str| field(name).and_then(|value| value.as_str()).map(str::to_owned);
        // A suite, or a test around others: they are counted themselves.
        let is_suite = string("type").as_deref() == Some("suite")
            || string("failureType").as_deref() == Some("subtestsFailed");
        match (test.skipped, test.passed, is_suite) {
            (_, _, true) => return,
            (true, true, _) => return found.skip(),
            (_, true, _) => return found.pass(),
            _ => {}
        }
        let comments = test.comments.join("\n");
        let stack = string("stack").unwrap_or_default();
        let message = string("error").or_else(|| string("message")).unwrap_or(comments.clone());
        let bats = BATS_PLACE.as_ref().and_then(|form| form.captures(test.comments.first()?));
        let at = match &bats {
            Some(captures) => Some((captures["file"].to_owned(), captures["line"].parse().ok())),
            None => place(&stack).map(|(file, line)| (file, Some(line))),
        };
        let declared = string("location").and_then(|location| {
            let mut parts = location.rsplitn(3, ':');
            let (_, line) = (parts.next()?, parts.next()?.parse().ok()?);
            Some((parts.next()?.to_owned(), Some(line)))
        });
        // A test program that failed as a whole is named by its path.
        let whole = std::path::Path::new(&test.own_name).is_absolute();
        let unit = match (&declared, whole) {
            (_, true) => vec![test.own_name.clone()],
            (Some((file, _)), _) => vec![file.clone()],
            _ => Vec::new(),
        };
        let at = at.or(declared).or_else(|| whole.then(|| (test.own_name.clone(), None)));
        let (file, line) = at.map_or((None, None), |(file, line)| (Some(file), line));
        let value = |name: &str| field(name).map(shown);
        let has_both = field("expected").is_some() && field("actual").is_some();
        found.fail(Failure {
            name: test.name,
            id: if whole { String::new() } else { test.own_name },
            unit,
            file,
            line,
            message: message.trim().to_owned(),
            expected: value("expected").filter(|_| has_both),
            found: value("actual").filter(|_| has_both),
            output: if yaml.is_empty() { String::new() } else { comments },
        });
    }
}

/// A YAML value as one would write it.
fn shown(value: &Yaml<'_>) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    if let Some(number) = value.as_integer() {
        return number.to_string();
    }
    if let Some(number) = value.as_floating_point() {
        return number.to_string();
    }
    if let Some(boolean) = value.as_bool() {
        return boolean.to_string();
    }
    if let Some(list) = value.as_sequence() {
        return format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", "));
    }
    if let Some(map) = value.as_mapping() {
        let fields = map.iter().map(|(name, value)| format!("{}: {}", shown(name), shown(value)));
        return format!("{{{}}}", fields.collect::<Vec<_>>().join(", "));
    }
    "null".to_owned()
}
