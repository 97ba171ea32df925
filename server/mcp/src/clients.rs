//! Which form of a result a client can use.

/// Agents that show a result's `structuredContent` to their model, in place of the text or beside it,
/// or that drop it. By the beginning of the client's name, in lower case. The sources are in
/// docs/decisions/0015-text-for-models.md.
const AGENTS: &[&str] = &[
    "amp",
    "claude",
    "cline",
    "codex",
    "continue",
    "copilot",
    "crush",
    "cursor",
    "gemini",
    "github copilot",
    "github-copilot",
    "goose",
    "intellij",
    "jetbrains",
    "junie",
    "kilo",
    "kimi",
    "local-agent-mode",
    "opencode",
    "qwen",
    "roo",
    "visual studio code",
    "vscode",
    "windsurf",
    "zed",
];

/// Whether the client is an agent. Its results are text only: its model would read the JSON, which is
/// several times as long.
pub(crate) fn is_agent(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    AGENTS.iter().any(|agent| {
        // `amp` is not the beginning of `ampere`.
        let rest = name.strip_prefix(agent);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_agents_by_their_names() {
        for agent in ["claude-code", "Claude Code", "codex-mcp-client", "Visual Studio Code", "zed"]
        {
            assert!(is_agent(agent), "{agent}");
        }
        for program in ["mcp", "mcp-inspector", "ampere", "zedboard", ""] {
            assert!(!is_agent(program), "{program}");
        }
    }
}
