//! Places in sources, and what a careless edit makes of them.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::project::{Language, Project};
use crate::Failure;

/// A change of one place.
pub(super) struct Mutation {
    pub(super) file: PathBuf,
    shown: String,
    span: Range<usize>,
    text: String,
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Mutation {
    /// What distinguishes it from all others of its project.
    pub(super) fn key(&self) -> String {
        format!("{} at {}", self.shown, self.span.start)
    }

    /// Changes the file; returns what it was.
    pub(super) fn apply(&self) -> Result<String, Failure> {
        let failed = |error| format!("{}: {error}", self.file.display());
        let original = fs::read_to_string(&self.file).map_err(failed)?;
        let mut text = original.clone();
        text.replace_range(self.span.clone(), &self.text);
        fs::write(&self.file, text).map_err(failed)?;
        Ok(original)
    }
}

/// Operators and words, and what replaces them.
const PYTHON: &[(&str, &str)] = &[
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" <= ", " > "),
    (" >= ", " < "),
    (" + ", " - "),
    (" - ", " + "),
    (" and ", " or "),
    (" or ", " and "),
    (" not in ", " in "),
    (" is not ", " is "),
    ("if not ", "if "),
    ("True", "False"),
    ("False", "True"),
    ("return ", "return None and "),
    (" += ", " -= "),
    ("[0]", "[-1]"),
    ("raise ", "pass; x = "),
    (" 0", " 1"),
    (" 1", " 2"),
];
const RUST: &[(&str, &str)] = &[
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" <= ", " > "),
    (" >= ", " < "),
    (" + ", " - "),
    (" - ", " + "),
    (" && ", " || "),
    (" || ", " && "),
    ("if !", "if "),
    ("true", "false"),
    ("false", "true"),
    (" += ", " -= "),
    (" 0", " 1"),
    (" 1", " 2"),
];

/// All mutations of a project's sources, tests left out.
pub(super) fn mutations(project: &Project) -> Result<Vec<Mutation>, Failure> {
    let mut found = Vec::new();
    for file in project.sources()? {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let name = file.strip_prefix(&project.folder).unwrap_or(&file).to_owned();
        add(&mut found, &file, &name, &text, project.language);
    }
    Ok(found)
}

fn add(found: &mut Vec<Mutation>, file: &Path, name: &Path, text: &str, language: Language) {
    let (table, comment) = match language {
        Language::Python => (PYTHON, "#"),
        Language::Rust => (RUST, "//"),
    };
    let (mut start, mut in_docstring) = (0, false);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let at = start;
        start += line.len();
        let trimmed = line.trim_start();
        if language == Language::Rust && trimmed.starts_with("#[cfg(test)]") {
            break;
        }
        // Text between triple quotes is skipped: most of it is documentation.
        let quotes = line.matches("\"\"\"").count() + line.matches("'''").count();
        if in_docstring || quotes > 0 {
            in_docstring ^= quotes % 2 == 1;
            continue;
        }
        if trimmed.starts_with(comment)
            || ["import ", "from ", "use "].iter().any(|s| trimmed.starts_with(s))
        {
            continue;
        }
        let code = line.split(comment).next().unwrap_or_default();
        for (from, to) in table {
            for (column, _) in code.match_indices(from) {
                let end = column + from.len();
                let is_part = from.ends_with(|c: char| c.is_ascii_alphanumeric())
                    && code[end..]
                        .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                // A string is text for people more often than not.
                if is_part || code[..column].matches(['"', '\'']).count() % 2 == 1 {
                    continue;
                }
                let shown = format!(
                    "{}:{}: `{}` for `{}`",
                    name.display(),
                    number + 1,
                    to.trim(),
                    from.trim()
                );
                let span = at + column..at + end;
                found.push(Mutation { file: file.to_owned(), shown, span, text: (*to).to_owned() });
            }
        }
    }
}
