//! The environment that commands start from.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// What is taken over: who and where the user is, how they write, and where toolchains are. No
/// name that may hold a secret, and none that leads to an agent, a session or a desktop.
const KEPT: &[&str] = &[
    "CARGO_HOME",
    "CONDA_PREFIX",
    "CURL_CA_BUNDLE",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NVM_DIR",
    "PATH",
    "PYENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
];

/// Where programs are looked for by who has no `PATH`.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The part of this process's environment that commands may see, and `TERM=dumb`. What is not
/// UTF-8 is left out.
#[must_use]
pub fn clean_environment() -> Vec<(String, String)> {
    let inherited = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    cleaned(inherited)
}

/// Whether a command would find a program of this name in its `PATH`.
#[must_use]
pub fn has_program(name: &str) -> bool {
    let environment = clean_environment();
    let path = environment.iter().find(|(variable, _)| variable == "PATH");
    path.is_some_and(|(_, path)| find_program(path.as_ref(), name).is_some())
}

/// The first program of a name in the folders of a `PATH`.
#[must_use]
pub fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let found = file.metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path).map(|folder| folder.join(name)).find(is_program)
}

fn cleaned(inherited: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut kept: Vec<_> = inherited
        .filter(|(name, _)| KEPT.contains(&name.as_str()) || name.starts_with("LC_"))
        .collect();
    if !kept.iter().any(|(name, _)| name == "PATH") {
        kept.push(("PATH".to_owned(), PATH.to_owned()));
    }
    kept.push(("TERM".to_owned(), "dumb".to_owned()));
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_agents_are_left_out() {
        let all = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("GITHUB_TOKEN", "secret"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1/bus"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("BASH_ENV", "/tmp/x"),
            ("HTTPS_PROXY", "http://user:password@proxy"),
            ("TERM", "xterm"),
        ];
        let kept = cleaned(all.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())));
        let kept: Vec<_> = kept.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(kept, [("LC_ALL", "C"), ("PATH", "/bin"), ("TERM", "dumb")]);
    }

    #[test]
    fn there_is_always_a_path() {
        assert!(cleaned(std::iter::empty()).contains(&("PATH".to_owned(), PATH.to_owned())));
    }
}
