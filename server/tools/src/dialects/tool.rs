//! A dialect and its tools.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;
use toml::Spanned;

use super::file::{DialectFile, ToolFile};
use super::schema;
use crate::jq::Filter;
use crate::toml_lines::line_of_mistake;
use crate::{Code, Entry, ToolError, family, registry};

/// A dialect.
pub struct Dialect {
    name: String,
    /// What it is a dialect of.
    title: String,
    tools: Vec<DialectTool>,
    pub(super) result: Option<LazyFilter>,
    pub(super) error: Option<LazyFilter>,
}

/// A tool of a dialect.
pub struct DialectTool {
    file: ToolFile,
    input_schema: Value,
    entry: Option<&'static Entry>,
    pub(super) arguments: Option<LazyFilter>,
    pub(super) result: Option<LazyFilter>,
}

/// A mistake in a dialect file: where, and what.
#[derive(Debug, Clone)]
pub(super) struct FileMistake {
    /// The file and line, as `FILE:LINE`.
    place: String,
    message: String,
}

impl FileMistake {
    pub(super) fn into_error(self, dialect: &str) -> ToolError {
        let message = format!("dialect `{dialect}`: {}: {}", self.place, self.message);
        ToolError::new(Code::InvalidParams, message).hint("docs/dialects.md describes the format")
    }
}

/// The variables that every filter may use: the parameters of the call under the dialect's names, the tool's
/// name in the dialect, and `{duration_ms, sandbox}` of the call.
const VARIABLES: [&str; 3] = ["$params", "$tool", "$meta"];

/// A filter that is compiled when it is first used.
pub(super) struct LazyFilter {
    text: String,
    /// What it is for, for messages.
    purpose: String,
    /// The file that it is in, and the lines of its text.
    file: String,
    lines: Vec<usize>,
    /// Whether it reads `$params`, which may be large.
    pub(super) uses_params: bool,
    compiled: OnceLock<Result<Filter, FileMistake>>,
}

impl LazyFilter {
    fn new(source: &Source<'_>, written: Spanned<String>, purpose: String) -> Self {
        let line_starts =
            std::iter::once(0).chain(written.get_ref().match_indices('\n').map(|(at, _)| at + 1));
        let lines =
            line_starts.map(|start| line_of_mistake(source.text, &written, start)).collect();
        let uses_params = written.get_ref().contains("$params");
        let (text, file) = (written.into_inner(), source.file.clone());
        Self { text, purpose, file, lines, uses_params, compiled: OnceLock::new() }
    }

    pub(super) fn compiled(&self) -> Result<&Filter, &FileMistake> {
        let compile = || {
            Filter::compile(&self.text, &VARIABLES).map_err(|mistake| {
                let line = self.text[..mistake.offset].matches('\n').count();
                self.mistake(line, &mistake.message)
            })
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// A mistake in line `line`, 0-based, of its text.
    pub(super) fn mistake(&self, line: usize, message: &str) -> FileMistake {
        let shown: String =
            self.text.lines().nth(line).unwrap_or_default().trim().chars().take(60).collect();
        let line = self.lines.get(line).copied().unwrap_or(1);
        FileMistake {
            place: format!("{}:{line}", self.file),
            message: format!("{}: {message}, in `{shown}`", self.purpose),
        }
    }
}

/// The text of a dialect file and its name for messages.
struct Source<'a> {
    text: &'a str,
    file: String,
}

impl Dialect {
    /// Parses a dialect file; `path` is `None` for a built-in one.
    pub(super) fn parse(
        name: &str,
        text: &str,
        path: Option<PathBuf>,
    ) -> Result<Self, FileMistake> {
        let file = path.map_or_else(|| format!("{name}.toml"), |path| path.display().to_string());
        let source = Source { text, file };
        let parsed = DialectFile::parse(text).map_err(|(line, message)| FileMistake {
            place: format!("{}:{line}", source.file),
            message,
        })?;
        let envelope = |written: Option<Spanned<String>>, purpose: &str| {
            written.map(|written| LazyFilter::new(&source, written, format!("envelope: {purpose}")))
        };
        let mut tools: Vec<DialectTool> = Vec::new();
        for tool in parsed.tool {
            let names = tool.aliases.iter().chain([&tool.name]);
            let duplicate =
                names.into_iter().find(|name| tools.iter().any(|known| known.is_named(name)));
            if let Some(duplicate) = duplicate {
                let message = format!("there are two tools `{duplicate:.60}`");
                return Err(FileMistake { place: source.file, message });
            }
            tools.push(DialectTool::new(&source, tool)?);
        }
        Ok(Self {
            name: name.to_owned(),
            title: parsed.title,
            tools,
            result: envelope(parsed.envelope.result, "result"),
            error: envelope(parsed.envelope.error, "error"),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is a dialect of.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// All its tools, in the order of its reference.
    #[must_use]
    pub fn tools(&self) -> &[DialectTool] {
        &self.tools
    }

    /// The tool with this name or alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&DialectTool> {
        self.tools.iter().find(|tool| tool.is_named(name))
    }

    /// Parses a dialect file and compiles its filters; `path` is for messages, `None` for a built-in dialect.
    ///
    /// # Errors
    /// `E_INVALID_PARAMS` with the first mistake, its file and its line.
    pub fn from_text(name: &str, text: &str, path: Option<PathBuf>) -> Result<Self, ToolError> {
        let parsed = Self::parse(name, text, path).map_err(|mistake| mistake.into_error(name))?;
        parsed.check()?;
        Ok(parsed)
    }

    /// Compiles all filters.
    ///
    /// # Errors
    /// The first mistake in them.
    pub fn check(&self) -> Result<(), ToolError> {
        let of_tools = self.tools.iter().flat_map(|tool| [&tool.arguments, &tool.result]);
        let mut filters = [&self.result, &self.error].into_iter().chain(of_tools).flatten();
        let mistake = filters.find_map(|filter| filter.compiled().err().cloned());
        mistake.map_or(Ok(()), |mistake| Err(mistake.into_error(&self.name)))
    }
}

impl DialectTool {
    fn new(source: &Source<'_>, mut file: ToolFile) -> Result<Self, FileMistake> {
        let mistake = |message: String| FileMistake {
            place: source.file.clone(),
            message: format!("tool `{:.60}`: {message}", file.name),
        };
        let input_schema = schema::input_schema(&file).map_err(mistake)?;
        let entry = match &file.calls {
            Some(name) => match registry::find(name) {
                None if family::not_built_in(name).is_none() => {
                    return Err(mistake(format!(
                        "`calls = \"{name:.60}\"`: there is no such tool; `tandem tools` lists them"
                    )));
                }
                entry => entry,
            },
            None => None,
        };
        let filter = |written: Option<Spanned<String>>, purpose: &str| {
            written.map(|written| {
                LazyFilter::new(source, written, format!("{}: {purpose}", file.name))
            })
        };
        let (arguments, result) = (file.arguments.take(), file.result.take());
        let (arguments, result) = (filter(arguments, "arguments"), filter(result, "result"));
        Ok(Self { file, input_schema, entry, arguments, result })
    }

    fn is_named(&self, name: &str) -> bool {
        self.file.name == name || self.file.aliases.iter().any(|alias| alias == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Its other names.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.file.aliases
    }

    /// One sentence for models.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.file.about
    }

    /// The dialect's own permission level or tier.
    #[must_use]
    pub fn level(&self) -> Option<&str> {
        self.file.level.as_deref()
    }

    /// The tool that does the work; `None` if there is none yet, or it is not built in.
    #[must_use]
    pub fn entry(&self) -> Option<&'static Entry> {
        self.entry
    }

    /// The error if the tool that does the work is not built in.
    pub(super) fn not_built_in(&self) -> Option<ToolError> {
        self.file.calls.as_deref().and_then(family::not_built_in)
    }

    /// JSON Schema of its parameters.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// The documented fields of its result, as `matches[].path: string`.
    #[must_use]
    pub fn returns(&self) -> &[String] {
        &self.file.returns
    }

    /// Parameters of example calls, as JSON.
    #[must_use]
    pub fn examples(&self) -> &[String] {
        &self.file.examples
    }

    /// The call's parameters under their proper names.
    ///
    /// # Errors
    /// If they do not fit the tool's schema.
    pub fn checked(&self, params: Value) -> Result<Value, ToolError> {
        schema::checked(self.name(), &self.input_schema, &self.file.parameter_aliases, params)
    }
}
