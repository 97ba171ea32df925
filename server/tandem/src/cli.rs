//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// A language server for you and your AI agent: same files, same unsaved text, same rules.
///
/// New here? Run `tandem tour` in one of your projects.
#[derive(Parser)]
#[command(version, about, max_term_width = 100, after_help = AFTER)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER: &str = "\
Environment:
  TANDEM_LOG    log filter for stderr, for example `debug` or `lsp=trace` (default: off)
  NO_COLOR      disable colors";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the language server (LSP) on stdin and stdout
    Lsp(LspArgs),
    /// Debug a program in the terminal
    Debug(DebugArgs),
    /// Run a debug adapter (DAP) on stdin and stdout, for an editor's debugger
    #[command(after_help = DAP)]
    Dap(DapArgs),
    /// Run the debug adapter for Node (DAP) on stdin and stdout
    #[command(after_help = NODE_DAP)]
    NodeDap(NodeDapArgs),
    /// Run an MCP server for AI agents
    #[command(after_help = MCP)]
    Mcp(McpArgs),
    /// Open the dashboard of a folder: what agents do, what waits for you, undo; prints its address
    #[command(after_help = DASHBOARD)]
    Dashboard(DashboardArgs),
    /// Make AI clients use `tandem mcp`, by an entry in their configuration
    #[command(after_help = SETUP)]
    Setup(SetupArgs),
    /// Call one tool and print its result as JSON
    #[command(after_help = CALL_EXAMPLES)]
    Call(CallArgs),
    /// Apply patches atomically, with fuzzy matching
    Patch(PatchArgs),
    /// List the tools that agents can call
    Tools(ToolsArgs),
    /// Print a file with syntax highlighting, for the terminal or as HTML
    Highlight(HighlightArgs),
    /// List the supported languages
    Languages(LanguagesArgs),
    /// Index a folder and print statistics
    Index(IndexArgs),
    /// Try the server on your own code, read-only
    Tour {
        /// The project folder
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// Show the audit log of tool calls in a folder, newest first
    Audit(AuditArgs),
    /// Check this machine's setup
    Doctor {
        /// Print the table of debug adapters for docs/debug.md instead
        #[arg(long)]
        adapters: bool,
    },
    /// Print a shell completion script
    Completions { shell: Shell },
}

#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct LspArgs {
    /// Use stdin and stdout (the default)
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Listen on this local TCP port for one client (0: any free port, printed on stderr)
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Listen on a Unix socket at this path for one client
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DebugArgs {
    /// The program: a script, or a binary with debug information
    pub(crate) program: String,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// The debug adapter (default: the one for the language)
    #[arg(long, value_name = "NAME")]
    pub(crate) debugger: Option<String>,
    /// Allow network access
    #[arg(long)]
    pub(crate) network: bool,
    /// Run without a sandbox, with all your permissions
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

const DASHBOARD: &str = "\
The dashboard belongs to the server that an editor or an agent runs for the folder. Without one, this
command is that server until you end it. The address holds the token: whoever has it can approve calls.";

#[derive(Args)]
pub(crate) struct DashboardArgs {
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Where to listen: a port of the loopback interface (default: any free one)
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,
}

const DAP: &str = "\
The debug sessions belong to the server that an editor runs for the workspace. With --session, your
debugger shows a session that an agent started. Without, it launches or attaches by its own settings
(program, module or test, args, cwd, env, stopOnEntry), and agents can join.";

#[derive(Args)]
pub(crate) struct DapArgs {
    /// The debug session to show; `debug_sessions` lists them
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<u64>,
    /// Also control the session; needs approval in the editor
    #[arg(long, requires = "session")]
    pub(crate) full: bool,
    /// The workspace folder, or a folder in it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
}

const NODE_DAP: &str = "\
An adapter of its own, without a server: for editors' debuggers that start one. Programs run as they would in a
terminal, without a sandbox, and end with the adapter. `tandem dap` runs them in the server's sandbox instead.";

#[derive(Args)]
pub(crate) struct NodeDapArgs {
    /// The Node that runs programs (default: the one on PATH)
    #[arg(long, value_name = "PATH")]
    pub(crate) node: Option<PathBuf>,
    /// Listen on a Unix socket at this path, for a program and its child processes
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Who starts this ends all processes that it leaves
    #[arg(long)]
    pub(crate) contained: bool,
    /// Only wait for the end of stdin, then end this process group
    #[arg(long, value_name = "ID", hide = true)]
    pub(crate) guard: Option<i32>,
}

const MCP: &str = "\
Speaks MCP, every version up to 2026-07-28. If an editor has the folder open, calls run in its server: the agent sees
unsaved text, and its edits can be undone in the editor. Otherwise calls work on the files on disk.";

#[derive(Args)]
pub(crate) struct McpArgs {
    /// Use stdin and stdout (the default)
    #[arg(long, conflicts_with_all = ["addr", "socket"])]
    pub(crate) stdio: bool,
    /// Listen on this loopback address, for HTTP at /mcp and for TCP; clients need the token in the
    /// file that is printed. `MCP_ADDR` sets it, too
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "socket")]
    pub(crate) addr: Option<String>,
    /// Listen on a Unix socket at this path
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// The workspace folder. By default the current one, or a folder in it that the client has as its root
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Work on the files on disk, even if an editor has the folder open
    #[arg(long)]
    pub(crate) headless: bool,
    /// Use the names, parameters and results of another product
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Which tools the agent sees: `core` (the default), `full`, a family (`git`, `debug`, ...), or one of
    /// your settings. The others can be called all the same
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Results without structured content, for agents that show it to the model instead of the text;
    /// known ones get this without asking
    #[arg(long)]
    pub(crate) text_only: bool,
}

const SETUP: &str = "\
Without names, sets up the clients that are installed. Prints the changes as diffs and asks before
it writes. Everything else in the files stays as it is. A second run changes nothing.

Examples:
  tandem setup                        all installed clients, after a question
  tandem setup claude-code --yes      one client, without a question
  tandem setup claude-code-lsp        Tandem as Claude Code's language server, too
  tandem setup --project vscode       .vscode/mcp.json of this folder
  tandem setup --undo                 remove the entries

Exit status: 0 for success, also if there is nothing to do; 1 if a file was refused, or if you did
not agree.";

/// The names in the table of `setup`.
pub(crate) const SETUP_CLIENTS: [&str; 9] = [
    "claude-code",
    "claude-code-lsp",
    "codex",
    "gemini-cli",
    "opencode",
    "cursor",
    "vscode",
    "zed",
    "goose",
];

#[derive(Args)]
pub(crate) struct SetupArgs {
    /// The clients (default: those that are installed)
    #[arg(value_name = "CLIENT", value_parser = SETUP_CLIENTS)]
    pub(crate) clients: Vec<String>,
    /// Remove the entries; a file that only this command changed gets its bytes back
    #[arg(long)]
    pub(crate) undo: bool,
    /// List the clients: whether they are installed and set up
    #[arg(long, conflicts_with_all = ["undo", "yes", "dry_run", "clients"])]
    pub(crate) list: bool,
    /// Change the files of a project, which its other users share, instead of your own
    #[arg(long)]
    pub(crate) project: bool,
    /// The project's folder, for --project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the changes without making them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct CallArgs {
    /// The tool's name; `tandem tools` lists them
    pub(crate) tool: String,
    /// Its parameters as a JSON object, or `-` to read them from stdin
    #[arg(value_name = "JSON|-", default_value = "{}")]
    pub(crate) params: String,
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Use the names, parameters and results of another product
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Approve everything that this call asks for
    #[arg(long)]
    pub(crate) yes: bool,
    /// Work on the files on disk, even if an editor has the folder open
    #[arg(long)]
    pub(crate) headless: bool,
}

#[derive(Args)]
pub(crate) struct PatchArgs {
    /// Files with SEARCH/REPLACE blocks, unified diffs, `*** Begin Patch` envelopes or a complete
    /// file; `-` is stdin. They are applied in order, each completely or not at all
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file to change, if the patch does not name it
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the diff without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only check whether the patches apply; see the exit status
    #[arg(long)]
    pub(crate) check: bool,
    /// Approve everything that this asks for
    #[arg(long)]
    pub(crate) yes: bool,
    /// Work on the files on disk, even if an editor has the folder open
    #[arg(long)]
    pub(crate) headless: bool,
}

#[derive(Args)]
pub(crate) struct HighlightArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// Its language (default: detected)
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// Print HTML
    #[arg(long)]
    pub(crate) html: bool,
}

#[derive(Args)]
pub(crate) struct LanguagesArgs {
    /// Print the feature table for docs/languages.md
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(Args)]
pub(crate) struct IndexArgs {
    /// The folder to index
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Print the statistics as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the index to this file in SCIP format
    #[arg(long, value_name = "FILE")]
    pub(crate) scip: Option<PathBuf>,
}

const CALL_EXAMPLES: &str = "\
Examples:
  tandem call read_file '{\"path\": \"src/main.rs\"}'
  tandem call apply_edit '{\"path\": \"a.py\", \"old_text\": \"x = 1\", \"new_text\": \"x = 2\", \
                         \"dry_run\": true}'
  generate-edit | tandem call apply_edit -

If an editor has the folder open, the call runs in its server: it sees unsaved text, and edits land in the
editor. `answered_by` in the result names the editor, or is `files on disk`.

Exit status: 0 for success; 1 for a tool error, printed as JSON; 2 for a wrong command line.";

#[derive(Args)]
pub(crate) struct AuditArgs {
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the calls as a JSON array
    #[arg(long)]
    pub(crate) json: bool,
    /// Only calls since this time: 2031-05-04T12:00:00Z, or 90m, 2h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only calls with this outcome: ok, error, unfinished, or an error code
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
    /// Most calls to print
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Check instead that the log was not tampered with; exit status 1 if it was
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Args)]
pub(crate) struct ToolsArgs {
    /// Print names, descriptions and JSON Schemas as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the Markdown reference, docs/tools.md
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print typed Lua functions, editors/neovim/lua/tandem/generated/tools.lua
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub(crate) lua: bool,
    /// Print TypeScript types, editors/vscode/src/generated/tools.ts
    #[arg(long, conflicts_with_all = ["json", "markdown", "lua"])]
    pub(crate) typescript: bool,
    /// Print the page of dialects, docs/dialects.md
    #[arg(long, conflicts_with_all = ["json", "markdown", "lua", "typescript"])]
    pub(crate) dialects: bool,
    /// Use the names of another product: blade, zap, arawn, go-ai, ai-orchestrator, or your own
    #[arg(long, value_name = "NAME", conflicts_with_all = ["markdown", "lua", "typescript", "dialects"])]
    pub(crate) dialect: Option<String>,
    /// List instead what the other product's reference has and nothing serves yet
    #[arg(long, requires = "dialect")]
    pub(crate) missing: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
