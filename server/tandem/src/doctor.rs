//! `tandem doctor`

mod debuggers;

use std::path::Path;
use std::process::{Command, ExitCode};

use anstyle::{AnsiColor, Style};
use syntax::Language;
use tools::AuditLog;
use workspace::{FileError, FilesystemSandbox, Root, Workspace};

use crate::stdout::print_line;

enum FindingState {
    Ok,
    /// Something optional is missing.
    Missing,
    Bad,
}

/// One line of the report: what was checked, its state, and details.
struct Finding {
    what: String,
    state: FindingState,
    detail: String,
}

pub(crate) fn run() -> ExitCode {
    let first = [
        version(),
        features(),
        file_access(),
        landlock(),
        commands(),
        policy(),
        audit_log(),
        languages(),
    ]
    .into_iter();
    let rest = [neovim(), kept_processes()];
    let findings: Vec<_> =
        first.chain(debuggers::all()).chain(rest).chain(desktop_session()).collect();
    let mut healthy = true;
    for Finding { what, state, detail } in &findings {
        let (mark, color) = match state {
            FindingState::Ok => ("ok     ", AnsiColor::Green),
            FindingState::Missing => ("missing", AnsiColor::Yellow),
            FindingState::Bad => ("BROKEN ", AnsiColor::Red),
        };
        let style = Style::new().fg_color(Some(color.into()));
        print_line!("{style}{mark}{style:#} {what}: {detail}");
        healthy &= !matches!(state, FindingState::Bad);
    }
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn version() -> Finding {
    let program = std::env::current_exe()
        .map_or_else(|e| format!("unknown ({e})"), |path| path.display().to_string());
    let detail = format!("{} at {program}", env!("CARGO_PKG_VERSION"));
    Finding { what: "tandem".to_owned(), state: FindingState::Ok, detail }
}

/// Reports the features that the binary was built without.
fn features() -> Finding {
    let missing = crate::features::missing();
    let (state, detail) = if missing.is_empty() {
        (FindingState::Ok, "all built in".to_owned())
    } else {
        let install = tools::INSTALL;
        (FindingState::Missing, format!("built without {}: {install}", missing.join(" and ")))
    };
    Finding { what: "features".to_owned(), state, detail }
}

/// Reports how file access is confined, by trying to leave the current folder.
fn file_access() -> Finding {
    let tried = Root::open(Path::new(".")).and_then(|root| {
        let by_kernel = root.is_confined_by_kernel();
        match Workspace::new(vec![root]).snapshot().locate("./..") {
            Ok(_) | Err(FileError::Forbidden { .. }) => Ok(by_kernel),
            Err(error) => Err(error),
        }
    });
    let (state, detail) = match tried {
        Ok(true) => {
            (FindingState::Ok, "the kernel keeps tools inside the workspace (openat2)".to_owned())
        }
        Ok(false) => (
            FindingState::Ok,
            "tandem keeps tools inside the workspace by checking each path component; with openat2 \
             (Linux 5.6, if the container allows it) the kernel does"
                .to_owned(),
        ),
        Err(error) => (FindingState::Bad, error.to_string()),
    };
    Finding { what: "file access".to_owned(), state, detail }
}

/// Reports how commands are sandboxed, by running an empty one.
fn commands() -> Finding {
    let (state, detail) = match process::Launcher::current().check() {
        Ok(c) if c.filesystem == process::FilesystemIsolation::LandlockAndMounts => {
            let sockets = if c.connections_checked {
                "; they can only connect to their own Unix sockets (seccomp notification)"
            } else {
                ""
            };
            (FindingState::Ok, format!("sandboxed by namespaces, Landlock and seccomp{sockets}"))
        }
        Ok(_) => (
            FindingState::Missing,
            "sandboxed by Landlock and seccomp, but refused where .git or the like needs protection: \
             that needs user namespaces (kernel.unprivileged_userns_clone, \
             kernel.apparmor_restrict_unprivileged_userns)"
                .to_owned(),
        ),
        Err(error) => (FindingState::Missing, format!("need your approval each time: {error}")),
    };
    Finding { what: "commands".to_owned(), state, detail }
}

/// Reports whether the policy settings for the current folder are valid.
fn policy() -> Finding {
    let found = Root::open(Path::new(".")).map(|root| {
        let policy = tools::Session::new(&Workspace::new(vec![root]).snapshot()).policy;
        (policy.complaints(), policy.warnings())
    });
    let (state, detail) = match found {
        Ok((broken, _)) if !broken.is_empty() => (
            FindingState::Bad,
            format!("everything except reading asks for approval: {}", broken.join("; ")),
        ),
        Ok((_, warnings)) if !warnings.is_empty() => (FindingState::Missing, warnings.join("; ")),
        Ok(_) => (FindingState::Ok, "the settings are valid".to_owned()),
        Err(error) => (FindingState::Bad, error.to_string()),
    };
    Finding { what: "policy".to_owned(), state, detail }
}

/// Reports whether the audit log of the current folder can be written.
fn audit_log() -> Finding {
    let tried = Root::open(Path::new(".")).map_err(|e| e.to_string()).and_then(|root| {
        let snapshot = Workspace::new(vec![root]).snapshot();
        AuditLog::of(&snapshot)
            .map(|log| log.path().display().to_string())
            .map_err(|e| e.to_string())
    });
    let (state, detail) = match tried {
        Ok(path) => (FindingState::Ok, format!("tool calls in this folder are recorded in {path}")),
        Err(why) => (FindingState::Bad, format!("tool calls work but are not recorded: {why}")),
    };
    Finding { what: "audit log".to_owned(), state, detail }
}

/// Reports whether the threads of tools can be confined by Landlock.
fn landlock() -> Finding {
    let (state, detail) = match FilesystemSandbox::check() {
        Ok(()) => {
            (FindingState::Ok, "the kernel confines the tool threads to the workspace".to_owned())
        }
        Err(why) => (FindingState::Missing, format!("{why}; only path checks confine tools")),
    };
    Finding { what: "Landlock".to_owned(), state, detail }
}

fn languages() -> Finding {
    let names: Vec<_> = Language::all().map(Language::name).collect();
    Finding { what: "languages".to_owned(), state: FindingState::Ok, detail: names.join(", ") }
}

/// Reports the processes of all workspaces that run without a server.
fn kept_processes() -> Finding {
    let folders = workspace::state_folders().into_iter();
    let records =
        folders.flat_map(|state| process::kept_records(&state.join(process_tools::KEPT_FOLDER)));
    let running: Vec<String> = records
        .filter(|record| record.is_running)
        .map(|record| {
            let note = process_tools::KeptNote::parse(&record.note);
            let name = record.name.map(|name| format!(" ({name})")).unwrap_or_default();
            let line: String = note.line.chars().take(60).collect();
            let workspace = note.workspace.unwrap_or_default();
            format!("{}{name}: `{line}` of {}", record.id, workspace.display())
        })
        .collect();
    let detail = match running.as_slice() {
        [] => "none".to_owned(),
        all => format!("{}; `process_stop` there ends one", all.join("; ")),
    };
    Finding { what: "kept processes".to_owned(), state: FindingState::Ok, detail }
}

/// Reports what the desktop's tools can do in this session, if they are built in.
fn desktop_session() -> Option<Finding> {
    #[cfg(feature = "desktop")]
    {
        let (state, detail) = match desktop::survey() {
            Ok(detail) => (FindingState::Ok, detail),
            Err(detail) => (FindingState::Missing, format!("{detail} (optional)")),
        };
        Some(Finding { what: "desktop".to_owned(), state, detail })
    }
    #[cfg(not(feature = "desktop"))]
    None
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
        (Some(version), Some(11..)) => Finding { what, state: FindingState::Ok, detail: version },
        (Some(version), _) => Finding {
            what,
            state: FindingState::Missing,
            detail: format!("{version}: vim.lsp.config needs 0.11 or newer"),
        },
        (None, _) => Finding {
            what,
            state: FindingState::Missing,
            detail: "not on PATH (optional)".to_owned(),
        },
    }
}
