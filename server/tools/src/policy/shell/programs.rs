//! Programs that run other programs. Absence from these tables allows nothing; they only make rules
//! find more commands.

use super::options::without_version;

/// Shells: their arguments are command lines.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "yash",
    "zsh",
];

/// Programs and builtins that run commands in their arguments.
const LAUNCHERS: &[&str] = &[
    ".",
    "aa-exec",
    "abduco",
    "alias",
    "at",
    "batch",
    "bind",
    "builtin",
    "bunx",
    "busybox",
    "bwrap",
    "caffeinate",
    "capsh",
    "catchsegv",
    "ccache",
    "choom",
    "chpst",
    "chronic",
    "chroot",
    "chrt",
    "command",
    "complete",
    "coproc",
    "corepack",
    "count",
    "cpulimit",
    "crontab",
    "dbus-launch",
    "dbus-run-session",
    "debconf",
    "distcc",
    "doas",
    "docker",
    "dpkg-reconfigure",
    "dtach",
    "eatmydata",
    "enable",
    "entr",
    "env",
    "eval",
    "exec",
    "expect",
    "fakechroot",
    "fakeroot",
    "faketime",
    "fc",
    "fd",
    "fdfind",
    "find",
    "firejail",
    "flock",
    "gdb",
    "gpg-agent",
    "gtimeout",
    "hash",
    "heaptrack",
    "hyperfine",
    "i386",
    "icecc",
    "ifne",
    "invoke-rc.d",
    "ionice",
    "kcov",
    "linux32",
    "linux64",
    "llc",
    "lldb",
    "lli",
    "ltrace",
    "mapfile",
    "memusage",
    "msgexec",
    "msgfilter",
    "mtrace",
    "newgrp",
    "nice",
    "nix-shell",
    "nohup",
    "not",
    "npx",
    "nsenter",
    "numactl",
    "opt",
    "parallel",
    "pee",
    "perf",
    "perldoc",
    "pipx",
    "pkexec",
    "pnpx",
    "podman",
    "prlimit",
    "prove",
    "proxychains",
    "readarray",
    "rlwrap",
    "rpcgen",
    "rr",
    "run-mailcap",
    "run-parts",
    "runcon",
    "runuser",
    "scalar",
    "sccache",
    "screen",
    "script",
    "scriptlive",
    "sem",
    "sensible-browser",
    "sensible-editor",
    "sensible-pager",
    "service",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "sotruss",
    "source",
    "ssh",
    "ssh-agent",
    "ssh-argv0",
    "sshpass",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "switch_root",
    "systemd-cat",
    "systemd-inhibit",
    "systemd-nspawn",
    "systemd-run",
    "systemd-socket-activate",
    "taskset",
    "time",
    "timeout",
    "tmux",
    "torsocks",
    "toybox",
    "trap",
    "uclampset",
    "uftrace",
    "uname26",
    "unbuffer",
    "unshare",
    "uvx",
    "valgrind",
    "vglrun",
    "watch",
    "x86_64",
    "xargs",
    "xvfb-run",
];

/// Launchers that run commands only with some options.
const HARMLESS_WITHOUT_OPTIONS: &[&str] = &["fd", "fdfind", "find"];

/// Options that make a program run another, read settings that could, or write anywhere. The `*` of
/// an `allow` rule never covers them. Programs with many such options are in `options.txt` instead,
/// which lists the harmless ones; `fd` and `find` are in both, for `deny` rules.
const HARMFUL_OPTIONS: &[(&str, &[&str])] = &[
    ("curl", &["-o", "-O", "-K", "--config", "--output", "--remote-name", "--output-dir"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("file", &["-m", "--magic-file", "-C", "--compile"]),
    (
        "find",
        &[
            "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok",
            "-okdir",
        ],
    ),
    ("man", &["-P", "-H", "-C", "--pager", "--html", "--config-file"]),
    ("wc", &["--files0-from"]),
    ("du", &["--files0-from"]),
    ("objcopy", &["--plugin"]),
    ("objdump", &["--plugin"]),
    ("openssl", &["-config", "-engine", "-post", "-pre", "-provider", "-provider-path"]),
    ("size", &["--plugin"]),
    ("ssh-add", &["-S", "-e", "-s"]),
    ("ssh-keygen", &["-D", "-w"]),
    ("strip", &["--plugin"]),
];

/// Options whose values are run as commands.
const COMMAND_OPTIONS: &[(&str, &[&str])] = &[
    ("bat", &["--pager"]),
    ("cargo", &["--config"]),
    (
        "git",
        &[
            "-c",
            "-O",
            "-x",
            "--config",
            "--config-env",
            "--exec",
            "--exec-path",
            "--open-files-in-pager",
            "--receive-pack",
            "--upload-pack",
        ],
    ),
    ("go", &["-exec", "-toolexec", "--exec", "--toolexec"]),
    ("install", &["--strip-program"]),
    ("make", &["--eval"]),
    ("man", &["-P", "-H", "--pager", "--html"]),
    ("npm", &["-c", "--call", "--script-shell", "--shell"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-o"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    (
        "tar",
        &[
            "-I",
            "-F",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
    ),
    ("zip", &["-TT", "--unzip-command"]),
];

/// Builtins that change the state of the shell or the environment of later commands.
const SETTERS: &[&str] = &[
    ".",
    "alias",
    "declare",
    "enable",
    "export",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "set",
    "setenv",
    "setopt",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    "unset",
    "unsetenv",
];

/// Builtins that evaluate subscripts in names of variables.
const EVALUATING: &[&str] = &["[", "exit", "printf", "return", "shift", "test", "ulimit", "wait"];

/// Whether it changes what later commands depend on.
pub(super) fn is_setter(program: &str) -> bool {
    SETTERS.contains(&program)
}

/// Whether it evaluates code in its arguments.
pub(super) fn is_evaluating(program: &str) -> bool {
    is_setter(program) || EVALUATING.contains(&program)
}

/// Whether `word` contains an option of `program` whose value is run.
pub(super) fn has_command_option(program: &str, word: &str) -> bool {
    let program = base_name(program);
    has_option(COMMAND_OPTIONS, program, word)
        || (matches!(program, "make" | "gmake") && word.contains('=') && !word.starts_with('-'))
}

/// The last part of a program's path.
pub(in crate::policy) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether it is a shell.
pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&base_name(program))
}

/// Whether it runs commands in its arguments.
pub(super) fn is_launcher(program: &str) -> bool {
    let name = base_name(program);
    // The dynamic linker is named after the architecture.
    let is_linker =
        ["ld-linux", "ld-musl", "ld.so", "ld64.so"].iter().any(|ld| name.starts_with(ld));
    is_linker || LAUNCHERS.contains(&name) || LAUNCHERS.contains(&without_version(name))
}

/// Whether it runs commands in its arguments only with some options.
pub(super) fn is_harmless_without_options(program: &str) -> bool {
    HARMLESS_WITHOUT_OPTIONS.contains(&base_name(program))
}

/// Whether `word` is, or may abbreviate, a harmful option of `program`.
pub(in crate::policy) fn is_harmful_option(program: &str, word: &str) -> bool {
    let program = base_name(program);
    has_option(HARMFUL_OPTIONS, without_version(program), word)
        || (program == "printf" && word.starts_with("-v"))
        || (program == "wait" && word.starts_with('-'))
}

/// Whether `word` is, abbreviates or contains an option that `table` lists for `program`.
fn has_option(table: &[(&str, &[&str])], program: &str, word: &str) -> bool {
    let Some((_, options)) = table.iter().find(|(name, _)| *name == program) else {
        return false;
    };
    let name = word.split('=').next().unwrap_or(word);
    options.iter().any(|option| match option.strip_prefix("--") {
        // Options may be abbreviated.
        Some(_) => name.len() > 2 && option.starts_with(name),
        // A single letter may be part of a cluster, followed by its value.
        None if option.len() == 2 => {
            word.starts_with('-') && !word.starts_with("--") && word.contains(&option[1..])
        }
        None => name == *option,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_recognised_in_all_forms() {
        for (program, word) in [
            ("find", "-exec"),
            ("/usr/bin/find", "-delete"),
            ("man", "-P"),
            ("man", "--pag=x"),
            ("curl", "-sKx"),
            ("objdump-2", "--plug"),
        ] {
            assert!(is_harmful_option(program, word), "{program} {word}");
        }
        for (program, word) in [("find", "-name"), ("ls", "-c"), ("curl", "-s"), ("wc", "--")] {
            assert!(!is_harmful_option(program, word), "{program} {word}");
        }
    }
}
