//! `tandem tools`

use std::process::ExitCode;

use anstyle::Style;
use serde_json::{Value, json};
use tools::{Dialect, DialectTool, ToolError};

use crate::cli::ToolsArgs;
use crate::stdout::print_line;

pub(crate) fn run(args: &ToolsArgs) -> ExitCode {
    if let Some(name) = &args.dialect {
        return match tools::dialect(name) {
            Ok(dialect) => list_dialect(&dialect, args),
            Err(error) => {
                report(&error);
                ExitCode::from(2)
            }
        };
    }
    if args.json {
        let list: Vec<Value> = tools::registry()
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "aliases": tool.aliases,
                    "description": tool.description,
                    "effects": tool.effects,
                    "idempotent": tool.idempotent,
                    "examples": tool.examples,
                    "inputSchema": tool.listed_schema,
                    "outputSchema": tool.output_schema,
                })
            })
            .collect();
        print_line!("{:#}", Value::from(list));
        return ExitCode::SUCCESS;
    }
    let made = [
        (args.markdown, tools::reference as fn() -> String),
        (args.lua, tools::lua),
        (args.typescript, tools::typescript),
        (args.dialects, tools::dialects_page),
    ];
    if let Some((_, make)) = made.iter().find(|(is_wanted, _)| *is_wanted) {
        crate::stdout::write(format_args!("{}", make()));
        return ExitCode::SUCCESS;
    }
    let bold = Style::new().bold();
    for tool in tools::registry() {
        let aliases = match tool.aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        let effects: Vec<_> = tool.effects.iter().map(|kind| kind.as_str()).collect();
        print_line!("{bold}{}{bold:#}{aliases} [{}]", tool.name, effects.join(", "));
        print_line!("    {}\n", tool.description);
    }
    ExitCode::SUCCESS
}

/// Prints the tools of a dialect: those that work, or with `--missing` those that do not yet.
fn list_dialect(dialect: &Dialect, args: &ToolsArgs) -> ExitCode {
    let listed = dialect.tools().iter().filter(|tool| tool.entry().is_none() == args.missing);
    if args.json {
        let listed: Vec<Value> = listed.map(dialect_tool).collect();
        print_line!("{:#}", Value::from(listed));
        return ExitCode::SUCCESS;
    }
    let bold = Style::new().bold();
    for tool in listed {
        let also = tool.aliases().join(", ");
        let also = if also.is_empty() { also } else { format!(" (also {also})") };
        let parameters: Vec<String> = tool.input_schema()["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                let required = tool.input_schema()["required"].as_array();
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
                let kind = schema["type"].as_str().unwrap_or("any");
                format!("{name}{}: {kind}", if is_required { "" } else { "?" })
            })
            .collect();
        let level = tool.level().map(|level| format!(" [{level}]")).unwrap_or_default();
        let calls = tool.entry().map(|entry| format!(" -> {}", entry.name)).unwrap_or_default();
        let parameters = parameters.join(", ");
        print_line!("{bold}{}{bold:#}{also} {{{parameters}}}{level}{calls}", tool.name());
        print_line!("    {}\n", tool.description());
    }
    ExitCode::SUCCESS
}

fn dialect_tool(tool: &DialectTool) -> Value {
    json!({
        "name": tool.name(),
        "aliases": tool.aliases(),
        "description": tool.description(),
        "level": tool.level(),
        "calls": tool.entry().map(|entry| entry.name),
        "inputSchema": tool.input_schema(),
        "returns": tool.returns(),
        "examples": tool.examples(),
    })
}

/// Prints an error on stderr.
pub(crate) fn report(error: &ToolError) {
    let hint = error.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    anstream::eprintln!("tandem: {error}{hint}");
}
