//! `tandem doctor`

mod debuggers;

use std::path::Path;
use std::process::{Command, ExitCode};

use anstyle::{AnsiColor, Style};
use syntax::Language;
use tools::{AuditLog, Policy};
use workspace::{FileError, Root, Wall, Workspace};

use crate::out::say;

enum State {
    Good,
    /// Something is missed, but the server works without it.
    Missing,
    Bad,
}

/// One line of the report: what was looked at, how it is, and what that means.
struct Finding {
    what: String,
    state: State,
    told: String,
}

pub(crate) fn run() -> ExitCode {
    let first =
        [version(), features(), containment(), wall(), commands(), rules(), record(), languages()]
            .into_iter();
    let findings: Vec<_> = first.chain(debuggers::all()).chain([neovim()]).collect();
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
    Finding { what: "tandem".to_owned(), state: State::Good, told }
}

/// The features that the binary was built with.
fn features() -> Finding {
    let missing = crate::features::missing();
    let (state, told) = if missing.is_empty() {
        (State::Good, "all are built in".to_owned())
    } else {
        let install = crate::features::INSTALL;
        (State::Missing, format!("built without {}: {install}", missing.join(" and ")))
    };
    Finding { what: "features".to_owned(), state, told }
}

/// How file access is confined, tried on the current folder.
fn containment() -> Finding {
    let tried = Root::open(Path::new(".")).and_then(|root| {
        let by_kernel = root.is_confined_by_kernel();
        match Workspace::new(vec![root]).snapshot().locate("./..") {
            Ok(_) | Err(FileError::Forbidden { .. }) => Ok(by_kernel),
            Err(error) => Err(error),
        }
    });
    let (state, told) = match tried {
        Ok(true) => {
            (State::Good, "the kernel keeps tools inside the workspace (openat2)".to_owned())
        }
        Ok(false) => (
            State::Good,
            "tools are kept inside the workspace name by name; with openat2 (Linux 5.6, and a \
             container that lets it through) the kernel does so"
                .to_owned(),
        ),
        Err(error) => (State::Bad, error.to_string()),
    };
    Finding { what: "containment".to_owned(), state, told }
}

/// How commands are confined, tried with one that does nothing.
fn commands() -> Finding {
    let (state, told) = match process::Launcher::current().check() {
        Ok(c) if c.filesystem == process::FilesystemWall::LandlockAndMounts => {
            let sockets = if c.connections_checked {
                "; they reach Unix sockets of their own processes only (seccomp notification)"
            } else {
                ""
            };
            (State::Good, format!("are kept in namespaces, by Landlock and by seccomp{sockets}"))
        }
        Ok(_) => (
            State::Missing,
            "are kept by Landlock and seccomp, but refused where .git or the like must be \
             protected: that needs user namespaces (kernel.unprivileged_userns_clone, \
             kernel.apparmor_restrict_unprivileged_userns)"
                .to_owned(),
        ),
        Err(error) => (State::Missing, format!("are refused without a person's leave: {error}")),
    };
    Finding { what: "commands".to_owned(), state, told }
}

/// Whether the settings say what is allowed, for the current folder.
fn rules() -> Finding {
    let found = Root::open(Path::new(".")).map(|root| {
        let policy = tools::Session::new(&Workspace::new(vec![root]).snapshot()).policy;
        (policy.complaints(), policy.warnings())
    });
    let (state, told) = match found {
        Ok((broken, _)) if !broken.is_empty() => {
            (State::Bad, format!("everything but reading is asked for: {}", broken.join("; ")))
        }
        Ok((_, warnings)) if !warnings.is_empty() => (State::Missing, warnings.join("; ")),
        Ok(_) => (State::Good, "the settings are in force as they are written".to_owned()),
        Err(error) => (State::Bad, error.to_string()),
    };
    Finding { what: "rules".to_owned(), state, told }
}

/// Whether calls can be put on record, tried for the current folder.
fn record() -> Finding {
    let tried = Root::open(Path::new(".")).map_err(|e| e.to_string()).and_then(|root| {
        let snapshot = Workspace::new(vec![root]).snapshot();
        AuditLog::of(&snapshot)
            .map(|log| log.path().display().to_string())
            .map_err(|e| e.to_string())
    });
    let (state, told) = match tried {
        Ok(path) => (State::Good, format!("every call of a tool here is put on record in {path}")),
        Err(why) => (State::Bad, format!("calls go on, but are not put on record: {why}")),
    };
    Finding { what: "record".to_owned(), state, told }
}

/// Whether there is a second wall, tried out.
fn wall() -> Finding {
    let (state, told) = match Wall::check() {
        Ok(()) => (
            State::Good,
            "the kernel refuses the threads of tools everything outside, too (Landlock)".to_owned(),
        ),
        Err(why) => (State::Missing, format!("{why}; containment stands alone")),
    };
    Finding { what: "second wall".to_owned(), state, told }
}

fn languages() -> Finding {
    let names: Vec<_> = Language::all().map(Language::name).collect();
    Finding { what: "languages".to_owned(), state: State::Good, told: names.join(", ") }
}

fn neovim() -> Finding {
    let what = "Neovim".to_owned();
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
