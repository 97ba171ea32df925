//! Project kinds: how a project is recognised, and how it is built, tested and checked. All of it is
//! data, a TOML file for each kind; a person adds their own in `~/.config/tandem/checks`.

mod coverage;
mod library;
mod selects;
mod template;

use std::collections::BTreeMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::coverage::{CoverageSettings, Recorder};
pub(crate) use self::library::Kinds;
pub(crate) use self::selects::Selects;
pub(crate) use self::template::{Quote, Values, expand};
use crate::packages::PackageFolder;
use crate::readers::Format;

/// What is checked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Check {
    /// It builds.
    Build,
    /// Its tests pass.
    Test,
    /// Linters have nothing to say.
    Lint,
    /// Its types fit.
    Typecheck,
    /// It is formatted.
    Format,
}

impl Check {
    /// The tool that makes it.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Typecheck => "typecheck",
            Self::Format => "format",
        }
    }
}

/// A project kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kind {
    /// Its name, of its file.
    #[serde(skip)]
    pub(crate) name: String,
    /// A folder with one of these files is such a project. `*.EXTENSION` is any file that ends so.
    pub(crate) files: Vec<String>,
    /// Extensions of its sources: they choose among kinds that share a folder.
    #[serde(default)]
    extensions: Vec<String>,
    /// Where its package manager keeps what it fetches.
    #[serde(default)]
    pub(crate) packages: Option<PackageFolder>,
    #[serde(default)]
    build: Vec<Runner>,
    #[serde(default)]
    test: Vec<Runner>,
    #[serde(default)]
    lint: Vec<Runner>,
    #[serde(default)]
    typecheck: Vec<Runner>,
    #[serde(default)]
    format: Vec<Runner>,
}

impl Kind {
    /// Its runners for a check, the preferred ones first.
    pub(crate) fn runners(&self, check: Check) -> &[Runner] {
        match check {
            Check::Build => &self.build,
            Check::Test => &self.test,
            Check::Lint => &self.lint,
            Check::Typecheck => &self.typecheck,
            Check::Format => &self.format,
        }
    }

    /// Whether a file of this extension is one of its sources.
    pub(crate) fn has_sources(&self, extension: &str) -> bool {
        self.extensions.iter().any(|own| own == extension)
    }
}

/// A program that makes a check, and how it is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runner {
    /// Its name in calls and results.
    pub(crate) name: String,
    /// Files of the project, or of a folder above it, one of which configures it; `FILE#WORD` contains
    /// the word. Without any, it is used if nothing else is configured.
    #[serde(default)]
    pub(crate) configured: Vec<String>,
    /// Programs that must be there besides that of the command.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// Folders of the project, or above it, that may have the program; otherwise it is searched on PATH.
    #[serde(default)]
    pub(crate) near: Vec<String>,
    /// Commands that must succeed first.
    #[serde(default)]
    pub(crate) before: Vec<Vec<String>>,
    /// The command; `{NAME}` stands for the words of NAME, if the call has that parameter.
    pub(crate) command: Vec<String>,
    /// The words for parameters.
    #[serde(default)]
    pub(crate) words: BTreeMap<String, Vec<String>>,
    /// Words by the path of a call, in place of `words.path`; the first that fits.
    #[serde(default)]
    pub(crate) places: Vec<PlaceWords>,
    /// How names of tests are quoted in the words for `only`.
    #[serde(default)]
    pub(crate) quote: Quote,
    /// Whether it runs all files whose paths contain a given path: a folder needs its slash then.
    #[serde(default)]
    pub(crate) matches_parts: bool,
    /// What joins the parts of a symbol's name to the name of a test.
    #[serde(default)]
    pub(crate) names: Option<String>,
    /// Whether `only` takes that name after the module of the test's file, and runs nothing else.
    #[serde(default)]
    pub(crate) names_whole: bool,
    /// The `filter` that finds only the test of that name, `{}`.
    #[serde(default)]
    pub(crate) names_filter: Option<String>,
    /// Whether that name begins with the test's file.
    #[serde(default)]
    pub(crate) names_file: bool,
    /// How it is given the tests that a change affects.
    #[serde(default)]
    pub(crate) selects: Option<Selects>,
    /// How it reports which lines its tests run.
    #[serde(default)]
    pub(crate) coverage: Option<CoverageSettings>,
    /// Environment variables.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The format of its output.
    #[serde(default)]
    pub(crate) reads: Format,
    /// Where that output is.
    #[serde(default)]
    pub(crate) stream: Stream,
    /// Patterns of lines of the rest of its output.
    #[serde(default)]
    pub(crate) patterns: Vec<Pattern>,
    /// Report files that it writes, relative to the project, in JUnit XML: `FOLDER/*.xml` are several.
    #[serde(default)]
    pub(crate) reports: Vec<String>,
    /// Tools whose results its own include: those of a linter that compiles include the compiler's.
    #[serde(default)]
    pub(crate) covers: Vec<String>,
    /// A text of its output that says that it is not installed.
    #[serde(default)]
    pub(crate) missing: Option<String>,
    /// Exit codes besides 0 that say that all is well.
    #[serde(default)]
    pub(crate) passes: Vec<i32>,
    /// How it is installed.
    pub(crate) install: String,
}

/// Words for paths that a pattern matches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceWords {
    /// The folder that the path begins with.
    pub(crate) under: String,
    /// Which placeholder gets the words.
    pub(crate) into: String,
    /// The words; `{stem}` is the file's name without its extension, `{module}` its path as a module.
    pub(crate) words: Vec<String>,
}

/// Which of its streams a runner's output is read from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stream {
    /// Standard output; standard error is read by patterns.
    #[default]
    Stdout,
    /// Standard error; standard output is read by patterns.
    Stderr,
    /// Both as one.
    Both,
}

/// A regular expression of a kind's file.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(pub(crate) Regex);

/// Limit for a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let regex = regex::RegexBuilder::new(&text).size_limit(MAX_PATTERN_BYTES).build();
        regex.map(Self).map_err(serde::de::Error::custom)
    }
}
