//! Why a call failed.

use std::io::ErrorKind;
use std::path::Path;

use tools::{Code, ToolError, is_deceptive, one_line};

use crate::limits::MAX_MESSAGE_CHARS;

/// A failure of a request to the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// There is no daemon.
    NoDaemon { place: String, why: String, hint: String },
    /// The daemon refused a request.
    Refused { status: u16, message: String },
    /// The connection ended too early.
    Broken(String),
    /// The daemon did not keep to its protocol.
    Protocol(String),
    /// What was to be sent could not be read.
    Content(String),
    /// Something is larger than a limit.
    TooLarge(String),
    /// The time is up.
    Timeout(u128),
    /// The call was cancelled.
    Cancelled,
}

impl Failure {
    /// A daemon that cannot be reached at a socket.
    pub(crate) fn of_socket(path: &Path, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            ErrorKind::NotFound => NO_DAEMON.to_owned(),
            ErrorKind::PermissionDenied => {
                "your user may not use it: `sudo usermod -aG docker $USER`, then log in again; or use rootless Podman: \
                 `systemctl --user start podman.socket`"
                    .to_owned()
            }
            _ => "nothing listens there: start it with `sudo systemctl start docker` or \
                  `systemctl --user start podman.socket`"
                .to_owned(),
        };
        Self::NoDaemon { place: path.display().to_string(), why: error.to_string(), hint }
    }

    /// The error of `tool`.
    pub(crate) fn of(self, tool: &str) -> ToolError {
        let error = |code, why: &str| ToolError::new(code, format!("{tool}: {why}"));
        match self {
            Self::NoDaemon { place, why, hint } => error(
                Code::Unavailable,
                &format!("no container daemon at {place}: {}", printable(&why)),
            )
            .hint(hint),
            Self::Refused { status, message } => {
                let code = match status {
                    400 => Code::InvalidParams,
                    404 => Code::NoMatch,
                    409 => Code::Conflict,
                    _ => Code::Io,
                };
                let shown = error(code, &format!("the daemon reports: {}", printable(&message)));
                if message.contains("no space left") {
                    return shown.hint("free disk space, for example with `docker system prune`");
                }
                if status == 404 {
                    return shown.hint("docker_ps lists containers, docker_images images");
                }
                shown
            }
            Self::Broken(why) => error(
                Code::Unavailable,
                &format!(
                    "the daemon ended the connection before it had answered: {}",
                    printable(&why)
                ),
            )
            .hint("see whether it still runs: docker_ps"),
            Self::Protocol(why) => {
                error(Code::Io, &format!("the daemon broke its protocol: {}", printable(&why)))
            }
            Self::Content(why) => error(Code::Conflict, &format!("nothing was built: {why}"))
                .hint("call it again when nothing changes the files"),
            Self::TooLarge(why) => error(Code::TooLarge, &why),
            Self::Timeout(time) => error(Code::Timeout, &format!("no answer within {time} ms")),
            Self::Cancelled => error(Code::Cancelled, "cancelled"),
        }
    }
}

/// What to do where no daemon is installed.
pub(crate) const NO_DAEMON: &str = "install one: `sudo apt-get install docker.io`, or rootless `sudo apt-get install \
    podman && systemctl --user enable --now podman.socket`; `DOCKER_HOST=unix:///PATH` names another socket";

/// A daemon's text on one line, without escape sequences, and bounded.
pub(crate) fn printable(text: &str) -> String {
    let plain = anstream::adapter::strip_str(text).to_string();
    one_line(plain.trim_end(), MAX_MESSAGE_CHARS)
}

/// A daemon's text of several lines, without escape sequences.
pub(crate) fn printable_lines(text: &str) -> String {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.chars().filter(|c| matches!(c, '\n' | '\t') || !is_deceptive(*c)).collect()
}
