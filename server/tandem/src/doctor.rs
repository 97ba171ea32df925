//! `tandem doctor`

use std::path::Path;
use std::process::{Command, ExitCode};

use anstyle::{AnsiColor, Style};
use syntax::Language;
use workspace::{Root, Workspace};

use crate::out::say;

enum State {
    Good,
    /// Something is missed, but the server works without it.
    Missing,
    Bad,
}

/// One line of the report: what was looked at, how it is, and what that means.
struct Finding {
    what: &'static str,
    state: State,
    told: String,
}

pub(crate) fn run() -> ExitCode {
    let findings = [version(), containment(), languages(), neovim()];
    let mut healthy = true;
    for Finding { what, state, told } in &findings {
        let (mark, color) = match state {
            State::Good => ("ok     ", AnsiColor::Green),
            State::Missing => ("missing", AnsiColor::Yellow),
            State::Bad => ("BROKEN ", AnsiColor::Red),
        };
        let style = Style::new().fg_color(Some(color.into()));
        say!("{style}{mark}{style:#} {what}: {told}");
        healthy &= !matches!(state, State::Bad);
    }
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn version() -> Finding {
    let program = std::env::current_exe()
        .map_or_else(|e| format!("unknown ({e})"), |path| path.display().to_string());
    let told = format!("{} at {program}", env!("CARGO_PKG_VERSION"));
    Finding { what: "tandem", state: State::Good, told }
}

/// Whether the kernel confines file access, tried on the current folder.
fn containment() -> Finding {
    let tried = Root::open(Path::new(".")).and_then(|root| {
        Workspace::new(vec![root]).snapshot().locate("./..").map(|_| ()).or_else(|e| match e {
            workspace::FileError::Forbidden { .. } => Ok(()),
            e => Err(e),
        })
    });
    let (state, told) = match tried {
        Ok(()) => (State::Good, "the kernel keeps tools inside the workspace (openat2)".to_owned()),
        Err(error) => (State::Bad, error.to_string()),
    };
    Finding { what: "containment", state, told }
}

fn languages() -> Finding {
    let names: Vec<_> = Language::all().map(Language::name).collect();
    Finding { what: "languages", state: State::Good, told: names.join(", ") }
}

fn neovim() -> Finding {
    let what = "Neovim";
    let output = Command::new("nvim").arg("--version").output();
    let version = output
        .ok()
        .and_then(|o| Some(String::from_utf8_lossy(&o.stdout).lines().next()?.to_owned()));
    let minor = version
        .as_deref()
        .and_then(|v| v.strip_prefix("NVIM v0.")?.split('.').next()?.parse::<u32>().ok());
    match (version, minor) {
        (Some(version), Some(11..)) => Finding { what, state: State::Good, told: version },
        (Some(version), _) => Finding {
            what,
            state: State::Missing,
            told: format!("{version}: vim.lsp.config needs 0.11 or newer"),
        },
        (None, _) => Finding {
            what,
            state: State::Missing,
            told: "not on PATH (only one editor)".to_owned(),
        },
    }
}
