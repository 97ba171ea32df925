//! The clients that `tandem setup` knows: where each keeps its configuration, and what to write there.
//!
//! `source` names the document that describes the format. What no document says was read in the
//! client's source or seen in the client itself, and is said in a comment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::entry::Field::{self, Extensions, Flag, Invocation, List, Number, Program, Text};

/// How a client stores its configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON; comments and trailing commas are accepted and kept.
    Json,
    Toml,
    Yaml,
}

/// One client.
pub(super) struct Client {
    /// The name on the command line.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The document that describes the configuration.
    pub(super) source: &'static str,
    /// Programs whose presence on `PATH` shows that the client is installed.
    programs: &'static [&'static str],
    pub(super) format: Format,
    /// The user's configuration: the first path whose variable is set, `~` being the home folder.
    user: &'static [&'static str],
    /// Another name of the configuration file, used if only that one exists.
    alternative: Option<&'static str>,
    /// The configuration of a project, relative to its folder.
    pub(super) project: Option<&'static str>,
    /// The keys that lead to the table of servers.
    pub(super) servers: &'static [&'static str],
    pub(super) entry: &'static [(&'static str, Field)],
    /// What a new file holds besides the entry.
    pub(super) new_file: &'static str,
    /// Whether it is set up only if it is named.
    pub(super) is_optional: bool,
    /// Whether it is started from a desktop, whose `PATH` may differ from the shell's.
    pub(super) is_desktop: bool,
}

/// Arguments for clients that start servers in the project's folder.
const MCP: &[&str] = &["mcp"];
/// Arguments for clients that start servers elsewhere and replace this variable.
const MCP_IN_WORKSPACE_FOLDER: &[&str] = &["mcp", "--workspace", "${workspaceFolder}"];

pub(super) static CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        source: "https://code.claude.com/docs/en/mcp",
        programs: &["claude"],
        format: Format::Json,
        user: &["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"],
        alternative: None,
        project: Some(".mcp.json"),
        servers: &["mcpServers"],
        entry: &[("type", Text("stdio")), ("command", Program), ("args", List(MCP))],
        new_file: "",
        is_optional: false,
        is_desktop: false,
    },
    // A plugin in Claude Code's folder of skills, where `claude plugin init` makes them; it is loaded
    // without being installed. Optional, because tool calls then run in this server, whose client may
    // not be able to ask the person for approvals.
    Client {
        name: "claude-code-lsp",
        title: "Claude Code's language server",
        source: "https://code.claude.com/docs/en/plugins-reference#lsp-servers",
        programs: &["claude"],
        format: Format::Json,
        user: &[
            "$CLAUDE_CONFIG_DIR/skills/tandem/.claude-plugin/plugin.json",
            "~/.claude/skills/tandem/.claude-plugin/plugin.json",
        ],
        alternative: None,
        project: None,
        servers: &["lspServers"],
        entry: &[
            ("command", Program),
            ("args", List(&["lsp"])),
            ("extensionToLanguage", Extensions),
        ],
        new_file: r#"{
  "name": "tandem",
  "description": "Definitions, references and diagnostics by Tandem's language server"
}
"#,
        is_optional: true,
        is_desktop: false,
    },
    Client {
        name: "codex",
        title: "Codex",
        source: "https://developers.openai.com/codex/mcp",
        programs: &["codex"],
        format: Format::Toml,
        user: &["$CODEX_HOME/config.toml", "~/.codex/config.toml"],
        alternative: None,
        project: Some(".codex/config.toml"),
        servers: &["mcp_servers"],
        entry: &[
            ("command", Program),
            ("args", List(MCP)),
            // Codex passes a short list of variables only (`DEFAULT_ENV_VARS` in its rmcp-client).
            // Without these, the server of an editor is not found.
            (
                "env_vars",
                List(&["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]),
            ),
        ],
        new_file: "",
        is_optional: false,
        is_desktop: false,
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
        programs: &["gemini"],
        format: Format::Json,
        user: &["$GEMINI_CLI_HOME/.gemini/settings.json", "~/.gemini/settings.json"],
        alternative: None,
        project: Some(".gemini/settings.json"),
        servers: &["mcpServers"],
        entry: &[("command", Program), ("args", List(MCP))],
        new_file: "",
        is_optional: false,
        is_desktop: false,
    },
    Client {
        name: "opencode",
        title: "opencode",
        source: "https://opencode.ai/docs/mcp-servers/",
        programs: &["opencode"],
        format: Format::Json,
        user: &[
            "$OPENCODE_CONFIG_DIR/opencode.json",
            "$XDG_CONFIG_HOME/opencode/opencode.json",
            "~/.config/opencode/opencode.json",
        ],
        alternative: Some("opencode.jsonc"),
        project: Some("opencode.json"),
        servers: &["mcp"],
        entry: &[("type", Text("local")), ("command", Invocation(MCP)), ("enabled", Flag(true))],
        new_file: "",
        is_optional: false,
        is_desktop: false,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        source: "https://cursor.com/docs/mcp",
        programs: &["cursor", "cursor-agent"],
        format: Format::Json,
        user: &["~/.cursor/mcp.json"],
        alternative: None,
        project: Some(".cursor/mcp.json"),
        servers: &["mcpServers"],
        // Cursor starts the user's servers in the home folder; the document lists the variable.
        entry: &[
            ("type", Text("stdio")),
            ("command", Program),
            ("args", List(MCP_IN_WORKSPACE_FOLDER)),
        ],
        new_file: "",
        is_optional: false,
        is_desktop: true,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        source: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        programs: &["code"],
        format: Format::Json,
        user: &["$XDG_CONFIG_HOME/Code/User/mcp.json", "~/.config/Code/User/mcp.json"],
        alternative: None,
        project: Some(".vscode/mcp.json"),
        servers: &["servers"],
        // VS Code starts the user's servers outside the project; the document lists the variable.
        entry: &[
            ("type", Text("stdio")),
            ("command", Program),
            ("args", List(MCP_IN_WORKSPACE_FOLDER)),
        ],
        new_file: "",
        is_optional: false,
        is_desktop: true,
    },
    Client {
        name: "zed",
        title: "Zed",
        source: "https://zed.dev/docs/ai/mcp",
        programs: &["zed", "zeditor"],
        format: Format::Json,
        user: &["$XDG_CONFIG_HOME/zed/settings.json", "~/.config/zed/settings.json"],
        alternative: None,
        project: Some(".zed/settings.json"),
        servers: &["context_servers"],
        // Zed starts servers in the project's folder: `root_path` in its context_server_store.rs.
        entry: &[("command", Program), ("args", List(MCP))],
        new_file: "",
        is_optional: false,
        is_desktop: true,
    },
    Client {
        name: "goose",
        title: "Goose",
        source: "https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/config-files.md",
        programs: &["goose"],
        format: Format::Yaml,
        user: &[
            "$GOOSE_PATH_ROOT/config/config.yaml",
            "$XDG_CONFIG_HOME/goose/config.yaml",
            "~/.config/goose/config.yaml",
        ],
        alternative: None,
        project: None,
        servers: &["extensions"],
        entry: &[
            ("enabled", Flag(true)),
            ("type", Text("stdio")),
            ("name", Text("tandem")),
            ("description", Text("Files, symbols, edits, git and debugging of the project")),
            ("cmd", Program),
            ("args", List(MCP)),
            ("timeout", Number(300)),
        ],
        new_file: "",
        is_optional: false,
        is_desktop: false,
    },
];

impl Client {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Where the client keeps the user's configuration; `None` without a home folder.
    pub(super) fn user_file(&self) -> Option<PathBuf> {
        let file = self.user.iter().find_map(|template| expand(template))?;
        let alternative = self.alternative.map(|name| file.with_file_name(name));
        Some(match alternative {
            Some(other) if !file.exists() && other.exists() => other,
            _ => file,
        })
    }

    /// Whether the client is installed: its configuration, the folder of it, or its program is
    /// there. The home folder itself shows nothing.
    pub(super) fn is_installed(&self) -> bool {
        let home = home();
        let is_configured = self.user_file().is_some_and(|file| {
            let folder = file.parent().filter(|folder| Some(*folder) != home.as_deref());
            file.exists() || folder.is_some_and(Path::is_dir)
        });
        is_configured || self.programs.iter().any(|name| on_path(OsStr::new(name)).is_some())
    }
}

/// The first program of this name on `PATH`. Relative folders of `PATH` are skipped: they could
/// belong to a workspace.
pub(super) fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// The path of a template of [`Client::user`]; `None` if its variable is not set to an absolute path.
fn expand(template: &str) -> Option<PathBuf> {
    let (start, rest) = template.split_once('/')?;
    let folder = match start.strip_prefix('$') {
        Some(variable) => absolute(variable),
        None => home(),
    };
    Some(folder?.join(rest))
}

fn home() -> Option<PathBuf> {
    absolute("HOME")
}

fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
