//! Prompts for common work. They name the tools that serve it best.

use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};

/// Longest value of an argument, in characters.
const MAX_ARGUMENT_CHARS: usize = 2_000;

/// A prompt. In its text `{name}` stands for an argument.
struct Template {
    name: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    text: &'static str,
}

struct Argument {
    name: &'static str,
    description: &'static str,
    is_required: bool,
}

const PATH: Argument =
    Argument { name: "path", description: "A file or folder", is_required: true };

const TEMPLATES: &[Template] = &[
    Template {
        name: "review_changes",
        description: "Review the uncommitted changes",
        arguments: &[],
        text: "Review the uncommitted changes of this workspace. Read them with git_diff, and the code \
               around them where the diff is not enough. Check what calls the changed functions with \
               find_referencing_symbols. Report bugs first, each with file and line and why it is one; \
               then what is unclear. Change nothing.",
    },
    Template {
        name: "fix_problems",
        description: "Fix the errors and warnings in a file or folder",
        arguments: &[PATH],
        text: "Fix the problems that get_diagnostics reports for {path}. Find the cause of each before \
               you edit, edit with apply_edit, and check with get_diagnostics that it is gone and that \
               no other file has a new one.",
    },
    Template {
        name: "explain_symbol",
        description: "Explain a function, class or type, and who uses it",
        arguments: &[Argument {
            name: "symbol",
            description: "Its name, such as `Ledger.add`",
            is_required: true,
        }],
        text: "Explain `{symbol}`. Find it with find_symbol, read its code, and list who uses it with \
               find_referencing_symbols. Say what it does, what it expects, and what would break if it \
               changed.",
    },
    Template {
        name: "write_tests",
        description: "Write tests for a file, in the project's own style",
        arguments: &[PATH],
        text: "Write tests for {path}. Look at the project's existing tests first and follow their style \
               and place. Cover the edges: empty input, limits, errors. Run the new tests with \
               run_command and fix what fails.",
    },
    Template {
        name: "debug_failure",
        description: "Find out why a command fails, with the debugger",
        arguments: &[Argument {
            name: "command",
            description: "The command that fails, such as `pytest tests/test_a.py`",
            is_required: true,
        }],
        text: "`{command}` fails. Run it with run_command and read the output. If that does not show the \
               cause, set a breakpoint with debug_breakpoint where it starts to go wrong, run it with \
               debug_attach, and look at the variables. Fix the cause, not the symptom, and run the \
               command again.",
    },
    Template {
        name: "commit_changes",
        description: "Commit the uncommitted changes in sensible steps",
        arguments: &[],
        text: "Commit the uncommitted changes. Read them with git_diff, and git_log for the style of \
               messages. Group what belongs together, stage each group with git_stage and commit it \
               with git_commit. Leave out what looks unintended, and say so.",
    },
];

/// All prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |template: &Template| {
        let arguments: Vec<_> = template
            .arguments
            .iter()
            .map(|argument| {
                PromptArgument::new(argument.name)
                    .with_description(argument.description)
                    .with_required(argument.is_required)
            })
            .collect();
        let arguments = (!arguments.is_empty()).then_some(arguments);
        Prompt::new(template.name, Some(template.description), arguments)
    };
    TEMPLATES.iter().map(prompt).collect()
}

/// The prompt `name` with its arguments filled in.
///
/// # Errors
/// If there is no such prompt, or an argument is missing or unknown.
pub(crate) fn get(name: &str, given: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let template = TEMPLATES.iter().find(|template| template.name == name).ok_or_else(|| {
        let names: Vec<_> = TEMPLATES.iter().map(|template| template.name).collect();
        ErrorData::invalid_params(format!("no such prompt; there are {}", names.join(", ")), None)
    })?;
    let is_known = |name: &String| template.arguments.iter().any(|known| known.name == *name);
    if let Some(unknown) = given.keys().find(|name| !is_known(name)) {
        let shown: String = unknown.chars().take(60).collect();
        return Err(ErrorData::invalid_params(format!("{name}: no argument `{shown}`"), None));
    }
    let mut text = template.text.to_owned();
    for argument in template.arguments {
        let value = given.get(argument.name).and_then(|value| value.as_str()).unwrap_or_default();
        if value.is_empty() && argument.is_required {
            let message = format!("{name}: the argument `{}` is missing", argument.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let value: String = value.chars().take(MAX_ARGUMENT_CHARS).collect();
        text = text.replace(&format!("{{{}}}", argument.name), &value);
    }
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Ok(GetPromptResult::new(messages).with_description(template.description))
}

#[cfg(test)]
mod tests {
    use rmcp::model::object;
    use serde_json::json;

    use super::*;

    #[test]
    fn prompts_name_tools_that_exist_and_fill_in_all_arguments() {
        crate::add_families();
        for template in TEMPLATES {
            let given = template.arguments.iter().map(|known| (known.name.to_owned(), json!("X")));
            let prompt = get(template.name, &given.collect()).unwrap();
            let text = prompt.messages[0].content.as_text().unwrap().text.clone();
            assert!(!text.contains('{'), "{text}");
            assert_eq!(text.contains('X'), !template.arguments.is_empty(), "{text}");
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for tool in words.filter(|word| word.contains('_')) {
                assert!(tools::find(tool).is_some(), "{}: {tool}", template.name);
            }
        }
    }

    #[test]
    fn wrong_arguments_are_named() {
        let error = |name: &str, given| get(name, &object(given)).unwrap_err().message;
        assert!(error("nope", json!({})).contains("review_changes"));
        assert!(error("fix_problems", json!({})).contains("`path` is missing"));
        assert!(error("fix_problems", json!({ "pth": "a" })).contains("no argument `pth`"));
    }
}
