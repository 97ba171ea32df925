//! The base environment of commands.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Variables that are passed on: user, locale and toolchain locations. None that may hold a secret,
/// or that leads to an agent, session or desktop.
const PASSED_ON: &[&str] = &[
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

/// The `PATH` if there is none.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variables of this process that commands may see, and `TERM=dumb`. Values that are not UTF-8
/// are left out.
#[must_use]
pub fn clean_environment() -> Vec<(String, String)> {
    let inherited = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    clean(inherited)
}

/// Whether a command would find this program on its `PATH`.
#[must_use]
pub fn has_program(name: &str) -> bool {
    let environment = clean_environment();
    let path = environment.iter().find(|(variable, _)| variable == "PATH");
    path.is_some_and(|(_, path)| find_program(path.as_ref(), name).is_some())
}

/// The first executable file of this name in the folders of a `PATH`.
#[must_use]
pub fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let metadata = file.metadata();
        metadata
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path).map(|folder| folder.join(name)).find(is_program)
}

fn clean(inherited: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut passed_on: Vec<_> = inherited
        .filter(|(name, _)| PASSED_ON.contains(&name.as_str()) || name.starts_with("LC_"))
        .collect();
    if !passed_on.iter().any(|(name, _)| name == "PATH") {
        passed_on.push(("PATH".to_owned(), DEFAULT_PATH.to_owned()));
    }
    passed_on.push(("TERM".to_owned(), "dumb".to_owned()));
    passed_on.sort_unstable();
    passed_on
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
        let passed_on = clean(all.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())));
        let passed_on: Vec<_> = passed_on.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(passed_on, [("LC_ALL", "C"), ("PATH", "/bin"), ("TERM", "dumb")]);
    }

    #[test]
    fn there_is_always_a_path() {
        assert!(clean(std::iter::empty()).contains(&("PATH".to_owned(), DEFAULT_PATH.to_owned())));
    }
}
