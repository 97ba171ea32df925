//! What is known of programs that run other programs. Nothing is allowed because it is not in
//! these tables; they only make rules see more.

/// Shells: their arguments are command lines.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "yash",
    "zsh",
];

/// Programs and builtins that run what is among their arguments.
const LAUNCHERS: &[&str] = &[
    ".",
    "aa-exec",
    "abduco",
    "alias",
    "at",
    "batch",
    "bind",
    "builtin",
    "busybox",
    "bwrap",
    "caffeinate",
    "capsh",
    "catchsegv",
    "chpst",
    "chronic",
    "chroot",
    "chrt",
    "command",
    "complete",
    "coproc",
    "cpulimit",
    "crontab",
    "dbus-launch",
    "dbus-run-session",
    "doas",
    "docker",
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
    "gtimeout",
    "hash",
    "heaptrack",
    "hyperfine",
    "i386",
    "ifne",
    "ionice",
    "kcov",
    "linux32",
    "linux64",
    "lldb",
    "ltrace",
    "mapfile",
    "newgrp",
    "nice",
    "nix-shell",
    "nohup",
    "nsenter",
    "numactl",
    "parallel",
    "pee",
    "perf",
    "pkexec",
    "podman",
    "prlimit",
    "proxychains",
    "readarray",
    "rlwrap",
    "rr",
    "runcon",
    "runuser",
    "screen",
    "script",
    "sem",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "source",
    "ssh",
    "sshpass",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tmux",
    "torsocks",
    "toybox",
    "trap",
    "uftrace",
    "unbuffer",
    "unshare",
    "valgrind",
    "vglrun",
    "watch",
    "x86_64",
    "xargs",
    "xvfb-run",
];

/// Launchers that matter only for some of their options.
const HARMLESS_WITHOUT_OPTIONS: &[&str] = &["fd", "fdfind", "find"];

/// Options that make a program run another, read settings that could, or write anywhere. The `*` of
/// an `allow` rule never stands for them.
const TELLING_OPTIONS: &[(&str, &[&str])] = &[
    ("cargo", &["--config", "-C", "-Z", "--manifest-path", "--target-dir"]),
    ("c++", COMPILER),
    ("c99", COMPILER),
    ("cc", COMPILER),
    ("clang", COMPILER),
    ("clang++", COMPILER),
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
    ("g++", COMPILER),
    ("gcc", COMPILER),
    (
        "git",
        &[
            "-c",
            "-C",
            "-O",
            // Of `clone` and `fetch-pack`, a program at the other end.
            "-u",
            "-x",
            "--config",
            "--config-env",
            "--exec",
            "--exec-path",
            "--ext-diff",
            "--git-dir",
            "--help",
            "--open-files-in-pager",
            "--output",
            "--receive-pack",
            "--template",
            "--textconv",
            "--upload-pack",
            "--work-tree",
        ],
    ),
    ("go", &["-exec", "-overlay", "-toolexec", "--exec", "--overlay", "--toolexec", "-C"]),
    ("install", &["--strip-program"]),
    ("make", &["-f", "-C", "-I", "--file", "--makefile", "--directory", "--eval", "--include-dir"]),
    ("man", &["-P", "-H", "-C", "--pager", "--html", "--config-file"]),
    (
        "npm",
        &[
            "-C",
            "-c",
            "--call",
            "--globalconfig",
            "--node-options",
            "--prefix",
            "--script-shell",
            "--shell",
            "--userconfig",
        ],
    ),
    ("rg", &["--pre", "--hostname-bin", "-z", "--search-zip"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    (
        "sort",
        &["-o", "-T", "--files0-from", "--output", "--compress-program", "--temporary-directory"],
    ),
    (
        "tar",
        &[
            "-I",
            "-F",
            "-P",
            "-T",
            "--absolute-names",
            "--files-from",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
    ),
    ("split", &["--filter"]),
    ("wc", &["--files0-from"]),
    (
        "wget",
        &[
            "-a",
            "-e",
            "-o",
            "-O",
            "-P",
            "--append-output",
            "--config",
            "--directory-prefix",
            "--execute",
            "--output-document",
            "--output-file",
            "--use-askpass",
        ],
    ),
    ("du", &["--files0-from"]),
];

/// Those of C compilers: other programs in the place of their parts, and code that they load.
const COMPILER: &[&str] = &[
    "-Xclang",
    "-fplugin",
    "-fuse-ld",
    "-load",
    "-plugin",
    "-specs",
    "-wrapper",
    "--gcc-toolchain",
    "--ld-path",
    "--specs",
];

/// Options whose values are run.
const RUNNING_OPTIONS: &[(&str, &[&str])] = &[
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

/// Builtins that set what programs and the shell heed.
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

/// Builtins that evaluate the subscripts of the variables they are told.
const EVALUATING: &[&str] = &["[", "exit", "printf", "return", "shift", "test", "ulimit", "wait"];

/// Whether it sets variables, or what else the commands behind it heed.
pub(super) fn is_setter(program: &str) -> bool {
    SETTERS.contains(&program)
}

/// Whether it evaluates what is among its arguments.
pub(super) fn is_evaluating(program: &str) -> bool {
    is_setter(program) || EVALUATING.contains(&program)
}

/// Whether `word` holds the option of `program` whose value is run.
pub(super) fn is_running(program: &str, word: &str) -> bool {
    let program = base_name(program);
    has_option(RUNNING_OPTIONS, program, word)
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

/// Whether it runs what is among its arguments.
pub(super) fn is_launcher(program: &str) -> bool {
    let name = base_name(program);
    // The dynamic linker is called after the machine.
    let is_linker =
        ["ld-linux", "ld-musl", "ld.so", "ld64.so"].iter().any(|ld| name.starts_with(ld));
    is_linker || LAUNCHERS.contains(&name)
}

/// Whether only its telling options make it run what is among its arguments.
pub(super) fn is_harmless_without_options(program: &str) -> bool {
    HARMLESS_WITHOUT_OPTIONS.contains(&base_name(program))
}

/// Whether `word` is, or could be short for, an option that makes `program` run another one.
pub(in crate::policy) fn is_telling(program: &str, word: &str) -> bool {
    let program = base_name(program);
    has_option(TELLING_OPTIONS, unversioned(program), word)
        || (program == "tar" && is_old_bundle(word))
        || (is_compiler(program) && word.starts_with("-B"))
        // What it runs is in its variables.
        || (matches!(program, "make" | "gmake") && word.contains('='))
        || (program == "cargo" && word.starts_with('+'))
        || (program == "printf" && word.starts_with("-v"))
        || (program == "wait" && word.starts_with('-'))
}

/// A compiler's name without its version: `gcc-12`.
fn unversioned(program: &str) -> &str {
    match program.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => program,
    }
}

/// Whether it takes the parts that it runs from the folder behind `-B`.
fn is_compiler(program: &str) -> bool {
    let program = unversioned(program);
    TELLING_OPTIONS.iter().any(|(name, options)| *name == program && *options == COMPILER)
}

/// Whether `word` could be what `tar` takes for options without a dash, with one among them that runs or
/// reads something else: `cIf`.
fn is_old_bundle(word: &str) -> bool {
    word.contains(['I', 'F', 'P', 'T']) && word.chars().all(|c| c.is_ascii_alphabetic())
}

fn has_option(table: &[(&str, &[&str])], program: &str, word: &str) -> bool {
    let Some((_, options)) = table.iter().find(|(name, _)| *name == program) else {
        return false;
    };
    let name = word.split('=').next().unwrap_or(word);
    options.iter().any(|option| match option.strip_prefix("--") {
        // Options may be abbreviated.
        Some(_) => name.len() > 2 && option.starts_with(name),
        // One letter may stand in a cluster, its value right behind it.
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
    fn options_are_recognized_in_any_dress() {
        for (program, word) in [
            ("find", "-exec"),
            ("/usr/bin/find", "-delete"),
            ("git", "-c"),
            ("git", "--upload-pa=x"),
            ("git", "-Ovi"),
            ("tar", "-xI"),
            ("tar", "--to-command=x"),
            ("go", "-toolexec=x"),
            ("gcc-12", "-wrapper"),
            ("clang", "-fplugin=x.so"),
            ("tar", "cIf"),
            ("wget", "-e"),
            ("git", "-u"),
        ] {
            assert!(is_telling(program, word), "{program} {word}");
        }
        for (program, word) in
            [("find", "-name"), ("git", "--oneline"), ("git", "--"), ("ls", "-c"), ("tar", "x")]
        {
            assert!(!is_telling(program, word), "{program} {word}");
        }
    }
}
