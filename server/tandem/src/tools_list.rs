//! `tandem tools`

use std::process::ExitCode;

use anstyle::Style;
use serde_json::{Value, json};

use crate::cli::ToolsArgs;
use crate::stdout::print_line;

pub(crate) fn run(args: &ToolsArgs) -> ExitCode {
    if let Some(dialect) = &args.dialect {
        anstream::eprintln!("tandem tools: unknown dialect `{dialect}`");
        return ExitCode::from(2);
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
