//! The project's own chores as commands: `cargo xtask setup`, `test`, `tidy`, `attack`,
//! `bench`, `truth`, `suites` and `fresh`.
//!
//! It knows how the workspace is laid out and which tools check it. It knows nothing of what the
//! server does: it only builds it, runs it and reads its sources as text.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks")]

mod affected;
mod attack;
mod bench;
mod codegen;
mod components;
mod crates;
mod debian;
mod fresh;
mod install;
mod languages;
mod lua;
mod mistakes;
mod process;
mod retry;
mod setup;
mod steps;
mod suites;
mod test;
mod tidy;
mod truth;
mod vscode;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Chores of the Tandem workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    chore: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring the real programs that tests need (editors, debuggers, Node) into a cache folder, once.
    ///
    /// The folder is $TANDEM_CACHE, else $XDG_CACHE_HOME/tandem-dev, else ~/.cache/tandem-dev.
    Setup {
        /// Only say what is needed, what is there and where.
        #[arg(long)]
        list: bool,
    },
    /// Check and test everything: format, lints, tidy, unit, protocol and editor tests.
    Test {
        /// Leave out the tests that drive real editors.
        #[arg(long)]
        fast: bool,
        /// Only the tests of the VS Code extension in the real VS Code (code-server with a headless
        /// Chromium), which are too heavy to be run each time.
        #[arg(long, conflicts_with = "fast")]
        vscode: bool,
        /// Only drive the Emacs of the PATH, with its eglot and lsp-mode; nothing else does.
        #[arg(long, conflicts_with_all = ["fast", "vscode"])]
        emacs: bool,
        /// Only drive Helix: `hx` of the PATH, or the program in TANDEM_HELIX.
        #[arg(long, conflicts_with_all = ["fast", "vscode", "emacs"])]
        helix: bool,
        /// Only drive Kakoune with kak-lsp: `kak` of the PATH, or the program in TANDEM_KAKOUNE.
        #[arg(long, conflicts_with_all = ["fast", "vscode", "emacs", "helix"])]
        kakoune: bool,
        /// Only the heavy tests of every language, on real files: docs/outline.md made anew beside
        /// universal-ctags, and a thousand edits of each file.
        #[arg(long, conflicts_with_all = ["fast", "vscode", "emacs", "helix", "kakoune"])]
        languages: bool,
    },
    /// The project's own rules on its sources: sizes, arrows between crates, forbidden calls.
    Tidy,
    /// Write anew what is made from the tools' schemas: docs/tools.md and the editors' typed calls.
    Codegen,
    /// Attack the workspace's border: every tool with every hostile path, and races.
    Attack {
        /// How long the races are to take together.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Run every benchmark, the one over stdio included, and say where the figures land.
    ///
    /// Peers are brought into the cache folder of `setup`; one that cannot be had is left out.
    Bench,
    /// The tables of docs/patching.md: the patch engine beside its peers, in rightness and speed.
    ///
    /// Peers are brought into the cache folder of `setup`; one that cannot be had is left out.
    Truth,
    /// The edit tool on the test cases of other projects' edit engines, as the table of docs/patching.md.
    ///
    /// Their repositories lie in a folder, and are read there only: nothing of theirs is built or run.
    Suites(suites::Options),
    /// Run the real server over unmodified projects and count the diagnostics: their code is right.
    ///
    /// Fails on any error, and on more than one warning per 10,000 lines.
    Fresh(fresh::Options),
    /// Make plain mistakes in right code, confirmed by the languages' own checkers, and count those
    /// that the real server reports.
    ///
    /// Checkers are brought into the cache folder of `setup`; languages without one are named.
    Mistakes(mistakes::Options),
    /// Change real projects as a careless edit would, run all of their tests, and count how many of
    /// those that fail `test` with `affected` selects.
    Affected(affected::Options),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = workspace::Workspace::load().and_then(|workspace| match cli.chore {
        Task::Setup { list: true } => setup::list(),
        Task::Setup { list: false } => setup::run_alone(),
        Task::Test { languages: true, .. } => languages::run(&workspace),
        Task::Test { vscode: true, .. } => vscode::run(&workspace),
        Task::Test { emacs: true, .. } => test::editor(&workspace, "emacs", "1"),
        Task::Test { helix: true, .. } => test::editor(&workspace, "helix", "hx"),
        Task::Test { kakoune: true, .. } => test::editor(&workspace, "kakoune", "kak"),
        Task::Test { fast, .. } => test::run(&workspace, fast),
        Task::Tidy => tidy::run(&workspace),
        Task::Codegen => codegen::run(&workspace),
        Task::Attack { seconds } => attack::run(&workspace, seconds),
        Task::Bench => bench::run(&workspace),
        Task::Truth => truth::run(&workspace),
        Task::Suites(options) => suites::run(&workspace, &options),
        Task::Fresh(options) => fresh::run(&workspace, &options),
        Task::Mistakes(options) => mistakes::run(&workspace, &options),
        Task::Affected(options) => affected::run(&workspace, &options),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// An error message for a person.
type Failure = String;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
