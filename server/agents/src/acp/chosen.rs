//! Which agent a call is about.

use tools::{Code, Context, ToolError};

use crate::catalog::{AgentProgram, AgentPrograms, is_installed};
use crate::library::{Kind, documents};

/// The agent of a call.
pub(crate) struct Chosen {
    pub(crate) name: String,
    pub(crate) program: AgentProgram,
    /// The instructions of a defined agent.
    pub(crate) instructions: Option<String>,
}

fn is_ready(program: &AgentProgram) -> bool {
    program.acp.first().is_some_and(|first| is_installed(first))
}

fn unavailable(tool: &str, what: &str, hint: String) -> ToolError {
    ToolError::new(Code::Unavailable, format!("{tool}: {what}")).hint(hint)
}

/// The first agent that is installed.
///
/// # Errors
/// If there is none.
pub(crate) fn choose_any(context: &Context<'_>, tool: &str) -> Result<Chosen, ToolError> {
    let found = AgentPrograms::of(context.session).iter().find(|(_, program)| is_ready(program));
    let (name, program) = found.ok_or_else(|| {
        let hint = "install one that speaks the Agent Client Protocol, such as `claude-agent-acp`";
        unavailable(tool, "no agent is installed", hint.to_owned())
    })?;
    Ok(Chosen { name: name.clone(), program: program.clone(), instructions: None })
}

/// The installed or defined agent with a name.
///
/// # Errors
/// If there is none, or it cannot be started.
pub(crate) fn choose(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &str,
) -> Result<Chosen, ToolError> {
    let wanted = wanted.trim();
    if let Some(program) = AgentPrograms::of(context.session).get(wanted) {
        if is_ready(program) {
            let (name, program) = (wanted.to_owned(), program.clone());
            return Ok(Chosen { name, program, instructions: None });
        }
        let what = format!("{}: is not installed as an agent server", program.about);
        let hint = match program.acp.first() {
            Some(first) => format!("it would be started as `{first}`, which is not on PATH"),
            None => "it does not speak the Agent Client Protocol".to_owned(),
        };
        return Err(unavailable(tool, &what, hint));
    }
    let defined = documents(context, tool, Kind::Agent)?;
    let Some(defined) = defined.into_iter().find(|document| document.name == wanted) else {
        let what = format!("there is no agent called `{wanted:.60}`");
        let hint = "`catalog` with `category: agents` lists them".to_owned();
        return Err(unavailable(tool, &what, hint));
    };
    let follows = choose_any(context, tool).map_err(|error| match error.hint.clone() {
        Some(hint) => unavailable(
            tool,
            &format!("{wanted:.60}: no agent is installed that could follow its instructions"),
            hint,
        ),
        None => error,
    })?;
    Ok(Chosen { instructions: Some(defined.text), ..follows })
}
