//! What supervision costs: from a start to the first output, and output through the cursor. This
//! binary is also the launcher.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints")]

use std::io::Read;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use process::{
    Command, Filesystem, Folder, Input, Isolation, Launcher, Limits, Network, Program, Protected,
    StartRequest, SupervisedProcess, Supervisor, TerminalSize, WaitRequest, clean_environment,
    launcher_main,
};
use rustix::fs::{Mode, OFlags, open};

const STARTS: usize = 60;
const FLOOD: u64 = 4 << 30;
const PROCESSES: usize = 200;

fn main() -> ExitCode {
    if let Some(code) = launcher_main(std::env::args_os().skip(1)) {
        return code;
    }
    let dir = tempfile::tempdir().unwrap();
    let command = |line: &str, input: Input| {
        let path = dir.path().canonicalize().unwrap();
        let folder = || {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Folder { handle: open(&path, flags, Mode::empty()).unwrap(), path: path.clone() }
        };
        Command {
            program: Program::Shell(line.to_owned()),
            cwd: folder(),
            environment: clean_environment(),
            temporary_folders: Vec::new(),
            input,
            isolation: Isolation {
                filesystem: Filesystem::Confined {
                    writable: vec![folder()],
                    protected: Protected::default(),
                },
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: true,
        }
    };
    let supervisor = Supervisor::default();
    let start = |command| {
        let request = StartRequest { name: None, command, keep: None };
        supervisor.start(&Launcher::current(), request).unwrap()
    };

    let (mut bare, mut pipes, mut terminals) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        bare.push(bare_start());
        for (times, input) in [
            (&mut pipes, Input::Session),
            (&mut terminals, Input::Terminal(TerminalSize::default())),
        ] {
            let begun = Instant::now();
            let process = start(command("echo ready; exec sleep 1000", input));
            wait_for_output(&process, 0);
            times.push(begun.elapsed());
            process.kill();
            process.wait_for_end(Duration::MAX);
        }
    }
    for (what, times) in [("bare", bare), ("pipes", pipes), ("terminal", terminals)] {
        let (p50, p95) = percentiles(times);
        println!("start to first output, {what}: p50 {p50:.1} ms, p95 {p95:.1} ms");
    }

    let before = resident();
    let begun = Instant::now();
    let process = start(command(&format!("head -c {FLOOD} /dev/zero"), Input::Session));
    let (mut cursor, mut read, mut most) = (0, 0, 0);
    while process.is_running() || cursor < process.output_range().1 {
        let piece = process.output(cursor, 256 << 10);
        cursor = piece.start + piece.bytes.len() as u64;
        read += piece.bytes.len() as u64;
        if piece.bytes.is_empty() {
            wait_for_output(&process, cursor);
        }
        most = most.max(resident());
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "output: {:.0} MB/s, of which {:.0} MB/s through the cursor; {:.1} MB more memory",
        FLOOD as f64 / seconds / 1e6,
        read as f64 / seconds / 1e6,
        (most - before) as f64 / 1e6
    );

    let begun = Instant::now();
    let all: Vec<_> = (0..PROCESSES)
        .map(|_| start(command("echo ready; exec sleep 1000", Input::Session)))
        .collect();
    all.iter().for_each(|process| wait_for_output(process, 0));
    println!("{PROCESSES} processes: {:.1} s until all are ready", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    supervisor.stop();
    println!("{PROCESSES} processes: {:.2} s until all have ended", begun.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

fn wait_for_output(process: &Arc<SupervisedProcess>, after: u64) {
    let request = WaitRequest { output_after: Some(after), ..WaitRequest::default() };
    let deadline = Instant::now() + Duration::from_secs(30);
    process.wait(&request, deadline, &AtomicBool::new(false));
}

fn bare_start() -> Duration {
    let begun = Instant::now();
    let mut command = std::process::Command::new("/bin/sh");
    let command = command.args(["-c", "echo ready; exec sleep 1000"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0; 6]).unwrap();
    let took = begun.elapsed();
    child.kill().unwrap();
    child.wait().unwrap();
    took
}

fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
    (at(50), at(95))
}

/// Resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}
