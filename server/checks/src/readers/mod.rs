//! Readers of what build tools and test runners print, one file a format.
//!
//! A reader gets the output in pieces and keeps only what it needs, so its memory is bounded. Output may
//! be broken or incomplete: programs are killed, crash, and mix other messages in. A reader skips what it
//! cannot parse, and never panics.

mod cargo;
mod comparison;
mod coverage;
mod document;
mod eslint;
mod gcc;
mod go_test;
mod jest;
mod junit;
mod libtest;
mod lines;
mod mypy;
mod nextest;
mod paths;
mod patterns;
mod place;
mod pyright;
mod rspec;
mod ruff;
mod sarif;
mod tap;
mod unittest;
mod vitest;

use regex::Regex;
use serde::Deserialize;

pub(crate) use self::coverage::{CoverageReader, ranges};
use self::document::Document;
pub(crate) use self::junit::read_report;
use self::lines::Lines;
use crate::findings::Findings;

/// A format of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// Messages of `cargo --message-format=json`, and the text of libtest.
    Cargo,
    /// `cargo nextest run --message-format libtest-json-plus`.
    Nextest,
    /// JUnit XML somewhere in the output.
    Junit,
    /// The Test Anything Protocol, with the diagnostics of Node.
    Tap,
    /// `go test -json`.
    GoTest,
    /// The JSON report of Jest.
    Jest,
    /// The JUnit report of Vitest.
    Vitest,
    /// The text of Python's unittest.
    Unittest,
    /// The JSON report of RSpec.
    Rspec,
    /// `eslint --format json`.
    Eslint,
    /// `ruff check --output-format json-lines`.
    Ruff,
    /// `mypy --output json`.
    Mypy,
    /// `pyright --outputjson`.
    Pyright,
    /// SARIF 2.1.
    Sarif,
    /// `gcc -fdiagnostics-format=json`.
    Gcc,
    /// A path a line.
    Paths,
    /// Text, by the patterns of the command.
    #[default]
    Text,
}

/// A reader of one run's output.
pub(crate) trait Reader {
    /// Takes the next piece of the output.
    fn push(&mut self, bytes: &[u8], found: &mut Findings);
    /// Takes the end.
    fn finish(&mut self, found: &mut Findings);
}

/// A reader for a format; `patterns` find diagnostics in text.
pub(crate) fn reader(format: Format, patterns: &[Regex]) -> Box<dyn Reader> {
    match format {
        Format::Cargo => Box::new(Lines::new(cargo::Cargo::default())),
        Format::Nextest => Box::new(Lines::new(nextest::Nextest::default())),
        Format::Junit => Box::new(Document::new(junit::read)),
        Format::Tap => Box::new(Lines::new(tap::Tap::default())),
        Format::GoTest => Box::new(Lines::new(go_test::GoTest::default())),
        Format::Jest => Box::new(Document::new(jest::read)),
        Format::Vitest => Box::new(Document::new(vitest::read)),
        Format::Unittest => Box::new(Lines::new(unittest::Unittest::default())),
        Format::Rspec => Box::new(Document::new(rspec::read)),
        Format::Eslint => Box::new(Document::new(eslint::read)),
        Format::Ruff => Box::new(Lines::new(ruff::Ruff)),
        Format::Mypy => Box::new(Lines::new(mypy::Mypy)),
        Format::Pyright => Box::new(Document::new(pyright::read)),
        Format::Sarif => Box::new(Document::new(sarif::read)),
        Format::Gcc => Box::new(Lines::new(gcc::Gcc)),
        Format::Paths => Box::new(Lines::new(paths::Paths)),
        Format::Text => Box::new(Lines::new(patterns::Patterns::new(patterns))),
    }
}

/// A number of a JSON value as a line or column; 0 is none.
fn position(value: &serde_json::Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

/// A text of a JSON value.
fn text(value: &serde_json::Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
