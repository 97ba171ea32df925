//! Starts thousands of programs that fork, daemonise and ignore signals, ends them in three ways, and counts
//! what is left. This binary is also the launcher, and the server that is killed.
//!
//! `cargo bench -p process --bench survivors`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints")]

use std::io::{BufRead, BufReader};
use std::path::Path;
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

/// Starts that end in each way.
const STARTS: usize = 1_000;
/// Programs of one server that is killed.
const PROGRAMS: usize = 4;
/// The argument that makes this program such a server.
const SERVER: &str = "__server";
/// How long what is left may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    if let Some(code) = launcher_main(std::env::args_os().skip(1)) {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, folder, mark] = arguments.as_slice()
        && first == SERVER
    {
        return serve(Path::new(folder), mark);
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap();
    let mut left = 0;
    for (number, (what, end)) in [
        ("stopped", stop as fn(&Path, &str) -> usize),
        ("crashed", crash),
        ("server killed by `kill -9`", kill_server),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("95{}{number}", std::process::id());
        let begun = Instant::now();
        let starts = end(&folder, &mark);
        let waited = Instant::now();
        while survivors(&mark) > 0 && waited.elapsed() < END_TIMEOUT {
            std::thread::sleep(Duration::from_millis(20));
        }
        let survivors = survivors(&mark);
        left += survivors;
        println!(
            "{starts} starts, {what}: {survivors} survivors; {:.0} s",
            begun.elapsed().as_secs_f64()
        );
    }
    if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A program that leaves processes behind, each in its own way, and then does `last`.
fn program(mark: &str, last: &str) -> String {
    format!(
        "trap '' TERM HUP INT; sleep 1000.{mark} & (setsid sleep 1000.{mark} &) & \
         (setsid sh -c 'trap \"\" TERM; sleep 1000.{mark}; :' >/dev/null 2>&1 &); echo ready; {last}"
    )
}

fn command(folder: &Path, line: String, input: Input) -> Command {
    let handle = || {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Folder { handle: open(folder, flags, Mode::empty()).unwrap(), path: folder.to_owned() }
    };
    Command {
        program: Program::Shell(line),
        cwd: handle(),
        environment: clean_environment(),
        temporary_folders: Vec::new(),
        input,
        isolation: Isolation {
            filesystem: Filesystem::Confined {
                writable: vec![handle()],
                protected: Protected::default(),
            },
            network: Network::None,
            may_trace: false,
            may_attach_anywhere: false,
        },
        limits: Limits::default(),
        has_sandbox_proxy: true,
    }
}

fn start(
    supervisor: &Supervisor,
    folder: &Path,
    line: String,
    number: usize,
) -> Arc<SupervisedProcess> {
    // Every second one has a terminal.
    let input = match number % 2 {
        0 => Input::Session,
        _ => Input::Terminal(TerminalSize::default()),
    };
    let command = command(folder, line, input);
    let request = StartRequest { name: None, command, keep: None };
    let process = supervisor.start(&Launcher::current(), request).unwrap();
    let ready = WaitRequest { output_after: Some(0), ..WaitRequest::default() };
    process.wait(&ready, Instant::now() + Duration::from_secs(30), &AtomicBool::new(false));
    process
}

/// Stops each: every third one is given time to end, which it does not use.
fn stop(folder: &Path, mark: &str) -> usize {
    let supervisor = Supervisor::default();
    for number in 0..STARTS {
        let process = start(&supervisor, folder, program(mark, "sleep 1000"), number);
        process.stop(Duration::from_millis(if number % 3 == 0 { 20 } else { 0 }));
    }
    STARTS
}

/// Each ends by a signal of its own.
fn crash(folder: &Path, mark: &str) -> usize {
    let supervisor = Supervisor::default();
    for number in 0..STARTS {
        let last = ["kill -SEGV $$", "kill -ABRT $$", "kill -KILL $$"][number % 3];
        let process = start(&supervisor, folder, program(mark, last), number);
        assert!(process.wait_for_end(Duration::from_secs(30)), "it has not ended");
    }
    STARTS
}

/// Kills servers at different moments during their starts and after.
fn kill_server(folder: &Path, mark: &str) -> usize {
    let servers = STARTS / PROGRAMS;
    for number in 0..servers {
        let mut server = std::process::Command::new("/proc/self/exe")
            .args([SERVER, folder.to_str().unwrap(), mark])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let started = 1 + number % PROGRAMS;
        (0..started).for_each(|_| drop(lines.next()));
        server.kill().unwrap();
        server.wait().unwrap();
    }
    servers * PROGRAMS
}

/// Starts its programs, and waits to be killed.
fn serve(folder: &Path, mark: &str) -> ExitCode {
    let supervisor = Supervisor::default();
    for number in 0..PROGRAMS {
        start(&supervisor, folder, program(mark, "sleep 1000"), number);
        println!("{number}");
    }
    std::thread::sleep(Duration::from_secs(600));
    ExitCode::FAILURE
}

/// The processes with `mark` in their command lines, but for this one and the servers.
fn survivors(mark: &str) -> usize {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter(|entry| entry.file_name().to_string_lossy() != own);
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}
