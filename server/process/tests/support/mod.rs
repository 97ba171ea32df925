//! The harness of tests whose binary is also the launcher, and a workspace for their commands.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    dead_code,
    unreachable_pub,
    reason = "each test uses a part"
)]

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use process::{
    Command, Filesystem, Folder, Input, Isolation, Limits, Network, Program, Protected,
    clean_environment, keeper_main, launcher_main,
};
use rustix::fs::{Mode, OFlags, open};

/// A table of tests.
macro_rules! tests {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name as fn())),*] };
}

/// Runs the tests that the arguments select; as the launcher, if they say so.
pub fn main(tests: &[(&str, fn())]) -> ExitCode {
    let arguments = || std::env::args_os().skip(1);
    if let Some(code) = launcher_main(arguments()).or_else(|| keeper_main(arguments())) {
        return code;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    if std::env::args().any(|a| a == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let chosen = tests
        .iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())));
    let mut failed = Vec::new();
    for (name, test) in chosen {
        let good = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if good { "ok" } else { "FAILED" });
        if !good {
            failed.push(*name);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    // In the format of the usual harness.
    println!("\nfailures:");
    failed.iter().for_each(|name| println!("    {name}"));
    ExitCode::FAILURE
}

/// A folder with a workspace in it, deleted on drop.
pub struct TestWorkspace(tempfile::TempDir);

impl TestWorkspace {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("workspace")).unwrap();
        Self(dir)
    }

    pub fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("workspace")
    }

    pub fn outside(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub fn confined(&self, line: &str) -> Command {
        let protected = Protected {
            paths: [".git", "sub/.git", "a.code-workspace"].map(|p| self.root().join(p)).to_vec(),
            ..Protected::default()
        };
        Command {
            program: Program::Shell(line.to_owned()),
            cwd: folder(&self.root()),
            environment: clean_environment(),
            temporary_folders: Vec::new(),
            input: Input::Null,
            isolation: Isolation {
                filesystem: Filesystem::Confined {
                    writable: vec![folder(&self.root())],
                    protected,
                },
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: false,
        }
    }

    pub fn open(&self, line: &str) -> Command {
        let mut command = self.confined(line);
        command.isolation.filesystem = Filesystem::Open;
        command.isolation.network = Network::Open;
        command
    }
}

pub fn folder(path: &Path) -> Folder {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Folder { handle: open(path, flags, Mode::empty()).unwrap(), path: path.to_owned() }
}

/// Whether a process with this text in its command line lives.
pub fn is_running(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_us = entry.file_name().to_string_lossy() == std::process::id().to_string();
        !is_us && String::from_utf8_lossy(&line).contains(mark)
    })
}
