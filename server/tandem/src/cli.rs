//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// One language server for two: the person at the keyboard and the AI plugin beside them.
///
/// New here? Run `tandem tour` in a project of yours.
#[derive(Parser)]
#[command(version, about, max_term_width = 100, after_help = AFTER)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER: &str = "\
Environment:
  TANDEM_LOG    what to log on stderr, for instance `debug` or `lsp=trace` (default: nothing)
  NO_COLOR      no colours";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve an editor over LSP: on stdin and stdout, unless told otherwise
    Lsp(LspArgs),
    /// Debug a program in the terminal
    Debug(DebugArgs),
    /// Be a debug adapter for an editor's own debugger, on stdin and stdout
    #[command(after_help = DAP)]
    Dap(DapArgs),
    /// Serve the tools to an agent, over the Model Context Protocol
    #[command(after_help = MCP)]
    Mcp(McpArgs),
    /// Call one tool on a folder and print its result as JSON
    #[command(after_help = CALL_EXAMPLES)]
    Call(CallArgs),
    /// Apply patches in any form that people and models write, fuzzily and atomically
    Patch(PatchArgs),
    /// List the tools
    Tools(ToolsArgs),
    /// Print a file with its syntax highlighted, in colours or as a page of HTML
    Highlight(HighlightArgs),
    /// List the languages that are known
    Languages(LanguagesArgs),
    /// Read a folder for its names, and say what was found and how fast
    Index(IndexArgs),
    /// See on your own code what the server does; nothing is written
    Tour {
        /// The project to look at
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// Read the record of all calls of tools in a folder, newest first
    Audit(AuditArgs),
    /// Check that this machine has what the server needs
    Doctor {
        /// Print instead the table of debug adapters, as Markdown: docs/debug.md
        #[arg(long)]
        adapters: bool,
    },
    /// Print a completion script for a shell
    Completions { shell: Shell },
}

#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct LspArgs {
    /// Serve on stdin and stdout (the default)
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Listen on this loopback TCP port, for one client (0: any free port, told on stderr)
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Listen on a Unix socket at this path, for one client
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DebugArgs {
    /// The program: a script, or a compiled program with debug information
    pub(crate) program: String,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// The debug adapter, where not the one for the language
    #[arg(long, value_name = "NAME")]
    pub(crate) debugger: Option<String>,
    /// Let the program reach the network
    #[arg(long)]
    pub(crate) network: bool,
    /// Run it with all your rights, not in a sandbox
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

const DAP: &str = "\
The server that runs for the workspace, in an editor, has the sessions: with --session the editor's
debugger shows one that an agent started; without, it launches or attaches as its own settings say
(program, module or test, args, cwd, env, stopOnEntry), and agents can join.";

#[derive(Args)]
pub(crate) struct DapArgs {
    /// The debug session to show, as `debug_sessions` lists it
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<u64>,
    /// Also continue, step and stop it; the person at the server's editor is asked
    #[arg(long, requires = "session")]
    pub(crate) full: bool,
    /// The workspace folder, or one in it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
}

const MCP: &str = "\
Speaks MCP on stdin and stdout. Where a server runs for the workspace, in an editor, calls are made
there: an agent sees the unsaved text, and its edits can be undone in the editor. Without one, calls
are made on the files of the disk.";

#[derive(Args)]
pub(crate) struct McpArgs {
    /// Serve on stdin and stdout (the default)
    #[arg(long)]
    pub(crate) stdio: bool,
    /// The workspace folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Work on the files of the disk, even where a server runs in an editor
    #[arg(long)]
    pub(crate) headless: bool,
}

#[derive(Args)]
pub(crate) struct CallArgs {
    /// The tool's name; see `tandem tools`
    pub(crate) tool: String,
    /// Its parameters as a JSON object, or `-` to read them from stdin
    #[arg(value_name = "JSON|-", default_value = "{}")]
    pub(crate) params: String,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Use another reference's names for tools and parameters
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Approve whatever this one call would ask about
    #[arg(long)]
    pub(crate) yes: bool,
    /// Work on the files of the disk, even where a server runs in an editor
    #[arg(long)]
    pub(crate) headless: bool,
}

#[derive(Args)]
pub(crate) struct PatchArgs {
    /// Files with SEARCH/REPLACE blocks, unified diffs, `*** Begin Patch` envelopes or a whole
    /// file; `-` is stdin. Each is applied whole or not at all, in this order
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file to change, where the patch does not name it
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the diff, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only say by the exit status whether it would apply
    #[arg(long)]
    pub(crate) check: bool,
    /// Approve whatever this would ask about
    #[arg(long)]
    pub(crate) yes: bool,
    /// Work on the files of the disk, even where a server runs in an editor
    #[arg(long)]
    pub(crate) headless: bool,
}

#[derive(Args)]
pub(crate) struct HighlightArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// Its language, where its name does not tell
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// Print a page of HTML
    #[arg(long)]
    pub(crate) html: bool,
}

#[derive(Args)]
pub(crate) struct LanguagesArgs {
    /// Print what is known of each as a page of Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(Args)]
pub(crate) struct IndexArgs {
    /// The folder to read
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the index to this file, in the SCIP format
    #[arg(long, value_name = "FILE")]
    pub(crate) scip: Option<PathBuf>,
}

const CALL_EXAMPLES: &str = "\
Examples:
  tandem call read_file '{\"path\": \"src/main.rs\"}'
  tandem call apply_edit '{\"path\": \"a.py\", \"old_text\": \"x = 1\", \"new_text\": \"x = 2\", \
                         \"dry_run\": true}'
  generate-edit | tandem call apply_edit -

Where an editor has the folder open, its server makes the call: unsaved text counts, and edits land in the
editor. `answered_by` in the result names the editor, or says `files on disk`.

Exit status: 0; 1 for an error of the tool, which is printed as JSON; 2 for a wrong command line.";

#[derive(Args)]
pub(crate) struct AuditArgs {
    /// The folder whose record is wanted
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the calls as a JSON array
    #[arg(long)]
    pub(crate) json: bool,
    /// Calls since then only: 2031-05-04T12:00:00Z, or 90m, 2h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Calls of this tool only
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Calls that ended so only: ok, error, unfinished, or an error's code
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
    /// At most so many calls
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Check instead that nothing on record was changed or taken; exit status 1 if so
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Args)]
pub(crate) struct ToolsArgs {
    /// Print names, descriptions and JSON Schemas as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the reference of all tools as Markdown: docs/tools.md
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print typed functions for Lua: editors/neovim/lua/tandem/generated/tools.lua
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub(crate) lua: bool,
    /// Print types for TypeScript: editors/vscode/src/generated/tools.ts
    #[arg(long, conflicts_with_all = ["json", "markdown", "lua"])]
    pub(crate) typescript: bool,
    /// List another reference's names
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
