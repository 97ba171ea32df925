//! Reads `.vscode/launch.json`. It is untrusted text: nothing in it runs without approval.

use std::collections::BTreeMap;

use ::debug::Adapters;
use serde_json::{Map, Value};

use super::failure;
use super::launch_variables::LaunchVariables;
use super::program::{DebugTarget, StartRequest};
use tools::{Code, Context, Effect, ToolError};

/// Its path.
const FILE: &str = ".vscode/launch.json";
/// Limits: size in bytes, and number of configurations.
const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_CONFIGURATIONS: usize = 500;
/// Fields for people or editors, which are ignored silently.
const IGNORED_FIELDS: &[&str] = &[
    "name",
    "type",
    "request",
    "presentation",
    "order",
    "group",
    "internalConsoleOptions",
    "windows",
    "osx",
    "linux",
    "version",
    "__configurationTarget",
];

/// The configurations of a workspace.
#[derive(Debug, Default)]
pub(super) struct Configurations {
    all: Vec<Map<String, Value>>,
    compounds: Vec<Compound>,
}

/// Several configurations that start together.
#[derive(Debug, Clone)]
pub(super) struct Compound {
    pub(super) name: String,
    pub(super) configurations: Vec<String>,
}

/// A parsed configuration.
#[derive(Debug, Clone)]
pub(super) struct ParsedConfiguration {
    pub(super) name: String,
    pub(super) start: StartRequest,
    /// Its unsupported fields.
    pub(super) left_out: Vec<String>,
}

/// The effect of reading it.
pub(super) fn effect(context: &Context<'_>) -> Result<Effect, ToolError> {
    Ok(Effect::read(&context.snapshot.locate(FILE)?))
}

impl Configurations {
    /// The workspace's configurations; empty if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read, or is not JSON (comments and trailing commas are accepted).
    pub(super) fn read(context: &Context<'_>, tool: &str) -> Result<Self, ToolError> {
        let path = context.snapshot.locate(FILE)?;
        if !context.may_read(&path) {
            let message = format!("{tool}: {FILE}: may not be read");
            return Err(ToolError::new(Code::Denied, message));
        }
        let text = match context.snapshot.read(&path) {
            Ok(file) => file.text.to_string(),
            Err(workspace::FileError::NotFound { .. }) => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        Self::parse(text).map_err(|why| failure::invalid(tool, &format!("{FILE}: {why}")))
    }

    fn parse(mut text: String) -> Result<Self, String> {
        if text.len() > MAX_FILE_BYTES {
            return Err(format!("it is longer than {MAX_FILE_BYTES} bytes"));
        }
        json_strip_comments::strip(&mut text).map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let all =
            list("configurations").into_iter().take(MAX_CONFIGURATIONS).filter_map(
                |one| match one {
                    Value::Object(fields) => Some(with_platform_fields(fields)),
                    _ => None,
                },
            );
        let compounds = list("compounds").into_iter().take(MAX_CONFIGURATIONS).filter_map(|one| {
            let name = one["name"].as_str()?.to_owned();
            let names = one["configurations"].as_array()?.iter();
            // In multi-root workspaces they are objects with a name.
            let names = names.filter_map(|n| n.as_str().or_else(|| n["name"].as_str()));
            Some(Compound { name, configurations: names.map(str::to_owned).collect() })
        });
        Ok(Self { all: all.collect(), compounds: compounds.collect() })
    }

    pub(super) fn compounds(&self) -> &[Compound] {
        &self.compounds
    }

    /// Every configuration: name, type, request, and the parsed form or an error.
    pub(super) fn parse_all(
        &self,
        table: &Adapters,
        variables: &LaunchVariables,
    ) -> Vec<(String, String, String, Result<ParsedConfiguration, String>)> {
        let all = self.all.iter().map(|fields| {
            let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
            let parsed = parse_configuration(fields, table, variables);
            (text("name").into(), text("type").into(), text("request").into(), parsed)
        });
        all.collect()
    }

    /// What a name starts: one configuration, or all of a compound.
    ///
    /// # Errors
    /// `E_NO_MATCH` with the existing names; `E_UNSUPPORTED` if it cannot be parsed.
    pub(super) fn by_name(
        &self,
        tool: &str,
        name: &str,
        table: &Adapters,
        variables: &LaunchVariables,
    ) -> Result<Vec<ParsedConfiguration>, ToolError> {
        let compound = self.compounds.iter().find(|compound| compound.name == name);
        let names = compound.map_or_else(|| vec![name.to_owned()], |c| c.configurations.clone());
        if names.is_empty() || names.len() > 8 {
            let why = format!("`{name:.80}` starts {} configurations", names.len());
            return Err(failure::invalid(tool, &why));
        }
        let one = |name: &String| {
            let fields = self
                .all
                .iter()
                .find(|fields| fields.get("name").and_then(Value::as_str) == Some(name.as_str()));
            let fields = fields.ok_or_else(|| {
                let message = format!("{tool}: {FILE} has no configuration `{name:.80}`");
                let known = self.all.iter().filter_map(|f| f.get("name")?.as_str());
                let known: Vec<_> = known.take(50).collect();
                ToolError::new(Code::NoMatch, message).hint(match &known[..] {
                    [] => "it has none".to_owned(),
                    known => format!("it has {}", known.join(", ")),
                })
            })?;
            parse_configuration(fields, table, variables).map_err(|why| {
                let message = format!("{tool}: configuration `{name:.80}`: {why}");
                ToolError::new(Code::Unsupported, message)
            })
        };
        names.iter().map(one).collect()
    }
}

/// The fields, with overrides for this operating system applied.
fn with_platform_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    let own = if cfg!(target_os = "macos") { "osx" } else { "linux" };
    if let Some(Value::Object(own)) = fields.remove(own) {
        fields.extend(own);
    }
    fields
}

fn parse_configuration(
    fields: &Map<String, Value>,
    table: &Adapters,
    variables: &LaunchVariables,
) -> Result<ParsedConfiguration, String> {
    let mut read = FieldReader { fields, variables, known: Vec::new() };
    let name = read.text("name")?.ok_or("it has no name")?;
    let kind = read.text("type")?.ok_or("it has no type")?;
    let request = read.text("request")?.unwrap_or_else(|| "launch".to_owned());
    let of_kind: Vec<_> = table.iter().filter(|adapter| adapter.types.contains(&kind)).collect();
    let debugger = match &of_kind[..] {
        [] => {
            return Err(format!("no debug adapter is known for type `{kind:.60}`"));
        }
        [one] => Some(one.name.clone()),
        // Any installed adapter.
        _ => None,
    };
    let mode = read.text("mode")?.unwrap_or_default();
    let target = match request.as_str() {
        "launch" => read.launch_target(&mode)?,
        "attach" => match read.field("processId") {
            Some(Value::Number(pid)) => {
                let pid = pid.as_u64().and_then(|pid| u32::try_from(pid).ok());
                DebugTarget::Process(pid.filter(|pid| *pid > 0).ok_or("`processId` is no process")?)
            }
            _ => return Err("it attaches to something other than a process id".to_owned()),
        },
        other => return Err(format!("its request is `{other:.40}`, not launch or attach")),
    };
    let start = StartRequest {
        target,
        args: read.words("args")?,
        cwd: read.text("cwd")?.unwrap_or_else(|| ".".to_owned()),
        env: read.environment()?,
        debugger,
        stop_on_entry: read.flag("stopOnEntry") || read.flag("stopAtEntry"),
        own_code_only: read.field("justMyCode") != Some(&Value::Bool(false)),
        network: false,
        sandbox: true,
    };
    let left_out = read.left_out();
    Ok(ParsedConfiguration { name, start, left_out })
}

/// The fields of a configuration; records which were read.
struct FieldReader<'c> {
    fields: &'c Map<String, Value>,
    variables: &'c LaunchVariables,
    known: Vec<&'static str>,
}

impl<'c> FieldReader<'c> {
    fn field(&mut self, name: &'static str) -> Option<&'c Value> {
        self.known.push(name);
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn flag(&mut self, name: &'static str) -> bool {
        self.field(name) == Some(&Value::Bool(true))
    }

    fn text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        match self.field(name) {
            None => Ok(None),
            Some(Value::String(text)) => self.variables.substitute(text).map(Some),
            Some(_) => Err(format!("`{name}` is no text")),
        }
    }

    fn words(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        match self.field(name) {
            None => Ok(Vec::new()),
            Some(Value::String(line)) => {
                let words =
                    shlex::split(line).ok_or(format!("`{name}` has an unterminated quote"))?;
                words.iter().map(|word| self.variables.substitute(word)).collect()
            }
            Some(Value::Array(list)) => {
                let word = |word: &Value| match word {
                    Value::String(word) => self.variables.substitute(word),
                    Value::Number(number) => Ok(number.to_string()),
                    _ => Err(format!("`{name}` contains something other than strings")),
                };
                list.iter().map(word).collect()
            }
            Some(_) => Err(format!("`{name}` is no list")),
        }
    }

    fn launch_target(&mut self, mode: &str) -> Result<DebugTarget, String> {
        if let Some(module) = self.text("module")? {
            return Ok(DebugTarget::Module(module));
        }
        let Some(program) = self.text("program")? else {
            return Err("it has neither `program` nor `module`".to_owned());
        };
        match mode {
            "" | "auto" | "debug" | "exec" => Ok(DebugTarget::File(program)),
            other => Err(format!(
                "its mode `{other:.40}` is not supported; start a test by name with `test`"
            )),
        }
    }

    fn environment(&mut self) -> Result<BTreeMap<String, String>, String> {
        let mut all = BTreeMap::new();
        let of_pairs = self.field("environment").and_then(Value::as_array);
        for pair in of_pairs.into_iter().flatten() {
            if let (Some(name), Some(value)) = (pair["name"].as_str(), pair["value"].as_str()) {
                all.insert(name.to_owned(), self.variables.substitute(value)?);
            }
        }
        for (name, value) in self.field("env").and_then(Value::as_object).into_iter().flatten() {
            let value = match value {
                // Null unsets a variable; the environment is clean anyway.
                Value::Null => continue,
                Value::String(text) => self.variables.substitute(text)?,
                other => other.to_string(),
            };
            all.insert(name.clone(), value);
        }
        Ok(all)
    }

    /// The fields that were not read.
    fn left_out(&self) -> Vec<String> {
        let is_new = |name: &&String| {
            !IGNORED_FIELDS.contains(&name.as_str()) && !self.known.contains(&name.as_str())
        };
        let explanation = |name: &String| match name.as_str() {
            "preLaunchTask" | "postDebugTask" => format!("{name}: tasks are not run"),
            "console" | "externalConsole" => format!("{name}: output goes to debug_output"),
            "envFile" => format!("{name}: not supported"),
            name => format!("{name:.60}: not known here"),
        };
        self.fields.keys().filter(is_new).take(50).map(explanation).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
        // as editors write it
        "version": "0.2.0",
        "configurations": [
            { "name": "app", "type": "debugpy", "request": "launch", "program": "${file}",
              "args": ["--in", "${workspaceFolder}/data", 3], "console": "integratedTerminal",
              "env": { "LEVEL": "${env:LEVEL}", "GONE": null }, "preLaunchTask": "build",
              "linux": { "cwd": "${workspaceFolder}/sub" }, },
            { "name": "page", "type": "chrome", "request": "launch", "url": "http://x" },
            { "name": "pick", "type": "lldb", "request": "attach", "pid": "${command:pick}" },
            { "name": "bin", "type": "cppdbg", "request": "launch", "program": "a.out",
              "args": "one 'two three'", "environment": [{ "name": "A", "value": "b" }],
              "stopAtEntry": true },
            7,
        ],
        "compounds": [{ "name": "both", "configurations": ["app", { "name": "bin" }] }],
    }"#;

    fn variables() -> LaunchVariables {
        let environment = BTreeMap::from([("LEVEL".to_owned(), "9".to_owned())]);
        LaunchVariables::new("/w", Some("/w/src/app.py"), environment)
    }

    #[test]
    fn parses_configurations_and_reports_unsupported_fields() {
        let all = Configurations::parse(TEXT.to_owned()).unwrap();
        let (table, variables) = (Adapters::builtin(), variables());
        let both = all.by_name("t", "both", table, &variables).unwrap();
        let [app, bin] = &both[..] else { panic!("two: {both:?}") };
        assert!(matches!(&app.start.target, DebugTarget::File(file) if file == "/w/src/app.py"));
        assert_eq!(app.start.args, ["--in", "/w/data", "3"]);
        assert_eq!((app.start.cwd.as_str(), app.start.env["LEVEL"].as_str()), ("/w/sub", "9"));
        assert_eq!(app.start.debugger.as_deref(), Some("debugpy"));
        let left_out = app.left_out.join("; ");
        assert!(left_out.contains("preLaunchTask: tasks are not run"), "{left_out}");
        assert_eq!(bin.start.args, ["one", "two three"]);
        assert!(bin.start.stop_on_entry && bin.start.debugger.is_none());
        assert_eq!(bin.start.env["A"], "b");
        for (name, explanation) in [
            ("page", "type `chrome`"),
            ("pick", "other than a process id"),
            ("none", "no configuration `none`"),
        ] {
            let error = all.by_name("t", name, table, &variables).unwrap_err();
            assert!(error.message.contains(explanation), "{}", error.message);
        }
        assert_eq!(all.parse_all(table, &variables).len(), 4);
    }

    #[test]
    fn reports_invalid_json() {
        for text in ["{", "[", "{\"configurations\": [}", "\u{0}"] {
            assert!(Configurations::parse(text.to_owned()).is_err(), "{text}");
        }
        assert!(Configurations::parse("{}".to_owned()).unwrap().all.is_empty());
        assert!(Configurations::parse("[1]".to_owned()).unwrap().all.is_empty());
    }
}
