//! Supervised processes: terminals, readiness, output, signals, and that nothing survives. This
//! binary is also the launcher, so it has its own test harness.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking")]

use std::os::unix::process::CommandExt;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use process::{
    Command, Input, InputError, Launcher, LimitMechanism, LimitedResource, Limits, LocalUrl,
    MAX_PROCESSES, OUTPUT_CAPACITY, Pattern, ProcessStatus, Program, StartRequest,
    SupervisedProcess, Supervisor, SupervisorError, TerminalSize, WaitOutcome, WaitRequest,
};
use rustix::process::{Pid, Signal, kill_process};

#[macro_use]
mod support;

use support::{TestWorkspace, is_running};

const TESTS: &[(&str, fn())] = tests![
    output_and_input_of_a_program_on_pipes,
    both_streams_keep_their_order,
    a_python_repl_on_a_terminal,
    a_shell_on_a_terminal_controls_its_jobs,
    a_program_without_streams_is_still_known,
    ready_when_a_pattern_a_port_or_a_url_answers,
    a_stopped_program_may_clean_up,
    a_program_that_ignores_signals_is_killed,
    daemons_end_with_their_program,
    names_and_numbers_are_limited,
    a_flood_is_bounded,
    limits_are_in_force,
    control_groups_limit_all_processes_together,
    unread_input_is_reported,
    hundreds_of_processes,
    nothing_survives_a_killed_server,
];

/// Makes this binary a server for [`nothing_survives_a_killed_server`].
const SERVE: &str = "serve-processes";
/// Number of servers that are killed; more with the environment variable of this name.
const ROUNDS: &str = "TANDEM_SURVIVOR_ROUNDS";
const TIMEOUT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(SERVE) {
        serve(&arguments.next().unwrap());
    }
    support::main(TESTS)
}

fn session(workspace: &TestWorkspace, line: &str) -> Command {
    Command { input: Input::Session, ..workspace.confined(line) }
}

fn terminal(workspace: &TestWorkspace, program: &[&str]) -> Command {
    Command {
        program: Program::Arguments(program.iter().map(|&word| word.to_owned()).collect()),
        input: Input::Terminal(TerminalSize { rows: 30, columns: 100 }),
        ..workspace.confined("")
    }
}

fn start(supervisor: &Supervisor, command: Command) -> Arc<SupervisedProcess> {
    let request = StartRequest { name: None, command, keep: None };
    supervisor.start(&Launcher::current(), request).unwrap()
}

fn pattern(word: &str) -> Pattern {
    let word = word.to_owned();
    Arc::new(move |text: &[u8]| {
        let at = text.windows(word.len()).position(|part| part == word.as_bytes())?;
        Some(at..at + word.len())
    })
}

fn wait(process: &SupervisedProcess, request: &WaitRequest) -> WaitOutcome {
    process.wait(request, Instant::now() + TIMEOUT, &AtomicBool::new(false))
}

/// Waits for `word` after an offset and returns the output from there.
fn expect_output(process: &SupervisedProcess, from: u64, word: &str) -> String {
    let request = WaitRequest { pattern: Some((pattern(word), from)), ..WaitRequest::default() };
    let outcome = wait(process, &request);
    let output = String::from_utf8_lossy(&process.output(from, usize::MAX).bytes).into_owned();
    assert!(matches!(outcome, WaitOutcome::Pattern(_)), "{word}: {outcome:?}: {output}");
    output
}

/// Writes a line, waits for `word`, and returns the output since.
fn type_line(process: &SupervisedProcess, line: &str, word: &str) -> String {
    let (_, before) = process.output_range();
    process.write(format!("{line}\n").as_bytes(), TIMEOUT).unwrap();
    expect_output(process, before, word)
}

fn whole_output(process: &SupervisedProcess) -> String {
    assert!(process.wait_for_end(TIMEOUT), "it does not end");
    String::from_utf8_lossy(&process.output(0, usize::MAX).bytes).into_owned()
}

fn mark(number: u32) -> String {
    format!("77{}{number}", std::process::id())
}

fn output_and_input_of_a_program_on_pipes() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let process =
        start(&supervisor, session(&workspace, "while read l; do echo \"<$l>\"; done; exit 3"));
    let pid = process.pid().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("Name:\tsh\n"), "{status}");
    assert!(type_line(&process, "one", "<one>").ends_with("<one>\n"));
    process.write("é".as_bytes(), TIMEOUT).unwrap();
    process.end_input(TIMEOUT).unwrap();
    assert!(matches!(process.end_input(TIMEOUT), Err(InputError::Closed)));
    assert!(process.wait_for_end(TIMEOUT));
    assert_eq!(process.status(), ProcessStatus::Exited { code: 3 });
    assert!(matches!(process.write(b"x", TIMEOUT), Err(InputError::Closed)));
    assert!(process.signal(15).is_err());
    assert!(supervisor.find("p1").is_some() && supervisor.find("p2").is_none());
    assert!(matches!(process.resize(TerminalSize::default()), Err(InputError::NoTerminal)));
}

fn both_streams_keep_their_order() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let line = "for n in 1 2 3 4 5 6 7 8 9; do echo out $n; echo err $n >&2; done";
    let process = start(&supervisor, session(&workspace, line));
    let expected: String = (1..10).map(|n| format!("out {n}\nerr {n}\n")).collect();
    assert_eq!(whole_output(&process), expected);
}

fn a_python_repl_on_a_terminal() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let process = start(&supervisor, terminal(&workspace, &["python3", "-q"]));
    assert!(process.is_terminal());
    expect_output(&process, 0, ">>> ");
    assert!(type_line(&process, "6 * 7", ">>> ").contains("42"));
    let size = "import os; print(os.get_terminal_size(), os.ttyname(0), os.isatty(2))";
    type_line(&process, size, "columns=100, lines=30) /dev/pts/0 True");
    process.resize(TerminalSize { rows: 50, columns: 132 }).unwrap();
    type_line(&process, "os.get_terminal_size()", "columns=132, lines=50");
    // The terminal controls the session: its programs can open it, and Ctrl-C interrupts them.
    type_line(&process, "print('con' + 'trols', open('/dev/tty').isatty())", "controls True");
    let (_, before) = process.output_range();
    // Short naps: Python misses a signal that comes just before a sleep, until the sleep ends.
    let naps = b"import time; print('sle' + 'eps'); [time.sleep(0.05) for _ in iter(int, 1)]\n";
    process.write(naps, TIMEOUT).unwrap();
    expect_output(&process, before, "sleeps");
    process.write(&[3], TIMEOUT).unwrap();
    expect_output(&process, before, "KeyboardInterrupt");
    type_line(&process, "", ">>> ");
    // What is typed while Python changes the mode of its terminal is lost.
    let ends = (0..10).any(|_| {
        process.end_input(TIMEOUT).unwrap();
        process.wait_for_end(TIMEOUT / 10)
    });
    assert!(ends, "the end of its input does not end it");
}

fn a_shell_on_a_terminal_controls_its_jobs() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let process = start(&supervisor, terminal(&workspace, &["bash", "--norc", "-i"]));
    let output = type_line(&process, "echo star''ted", "started");
    assert!(!output.contains("no job control"), "{output}");
    type_line(&process, "sleep 1000 & jobs", "Running");
    // An interactive shell ignores SIGTERM, but not the end of its terminal.
    let begun = Instant::now();
    assert!(process.stop(Duration::from_secs(20)));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

fn a_program_without_streams_is_still_known() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let line = "echo bye; exec </dev/null >/dev/null 2>&1; sleep 1000";
    for command in [session(&workspace, line), terminal(&workspace, &["sh", "-c", line])] {
        let process = start(&supervisor, command);
        expect_output(&process, 0, "bye");
        std::thread::sleep(Duration::from_millis(100));
        assert!(process.is_running());
        // A pipe without a reader is an error; a terminal takes what fits.
        let _ = process.write(b"x", Duration::from_millis(100));
        process.stop(TIMEOUT);
        assert!(!process.is_running());
    }
}

const SERVER: &str = "import http.server, sys\n\
    class Handler(http.server.BaseHTTPRequestHandler):\n\
    \x20   count = 0\n\
    \x20   def do_GET(self):\n\
    \x20       Handler.count += 1\n\
    \x20       self.send_response(503 if Handler.count < 3 else 404)\n\
    \x20       self.end_headers()\n\
    class Server(http.server.HTTPServer):\n\
    \x20   address_family = __import__('socket').AF_INET6 if sys.argv[1] == '6' else 2\n\
    server = Server(('::1' if sys.argv[1] == '6' else '127.0.0.1', 8123), Handler)\n\
    print('\\x1b[32mListen\\x1b[1ming\\x1b[0m on 8123', flush=True)\n\
    server.serve_forever()\n";

fn ready_when_a_pattern_a_port_or_a_url_answers() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let server = |family: &str| {
        let program = ["python3", "-c", SERVER, family].map(str::to_owned).to_vec();
        start(
            &supervisor,
            Command { program: Program::Arguments(program), ..session(&workspace, "") },
        )
    };
    // Each has a loopback of its own.
    let (four, six, third) = (server("4"), server("6"), server("4"));
    let request =
        WaitRequest { pattern: Some((pattern("Listening on"), 0)), ..WaitRequest::default() };
    match wait(&four, &request) {
        WaitOutcome::Pattern(found) => assert_eq!(found.line, "Listening on 8123"),
        other => panic!("{other:?}"),
    }
    let request = WaitRequest { port: Some(8123), ..WaitRequest::default() };
    assert_eq!(wait(&six, &request), WaitOutcome::Port(8123));
    let url = LocalUrl::parse("http://localhost:8123/health");
    let request = WaitRequest { url, ..WaitRequest::default() };
    assert_eq!(wait(&third, &request), WaitOutcome::Url(404));
    assert!(std::net::TcpStream::connect(("127.0.0.1", 8123)).is_err());

    let request = WaitRequest { port: Some(1), ..WaitRequest::default() };
    let deadline = Instant::now() + Duration::from_millis(50);
    assert_eq!(four.wait(&request, deadline, &AtomicBool::new(false)), WaitOutcome::Timeout);
    assert_eq!(
        four.wait(&request, Instant::now() + TIMEOUT, &AtomicBool::new(true)),
        WaitOutcome::Interrupted
    );
    let short = start(&supervisor, session(&workspace, "echo failed; exit 1"));
    assert_eq!(wait(&short, &request), WaitOutcome::Ended);
}

fn a_stopped_program_may_clean_up() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let line = "trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.02; done";
    let process = start(&supervisor, session(&workspace, line));
    expect_output(&process, 0, "ready");
    assert!(process.stop(TIMEOUT));
    assert_eq!(process.status(), ProcessStatus::Exited { code: 7 });
    // The signal may also have ended a `sleep` that the shell reports.
    assert!(whole_output(&process).ends_with("cleaned\n"));
}

fn a_program_that_ignores_signals_is_killed() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let mark = mark(1);
    let line = format!(
        "trap '' TERM INT HUP QUIT; echo ready; sleep 1{mark} & sleep 2{mark}; sleep 3{mark}"
    );
    for command in [session(&workspace, &line), terminal(&workspace, &["sh", "-c", &line])] {
        let process = start(&supervisor, command);
        expect_output(&process, 0, "ready");
        let begun = Instant::now();
        assert!(!process.stop(Duration::from_millis(200)));
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(process.status(), ProcessStatus::Killed);
        assert!(!is_running(&mark));
    }
}

fn daemons_end_with_their_program() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let mark = mark(2);
    let daemon = format!(
        "import os,sys,time\nif os.fork(): time.sleep(float(sys.argv[1])); sys.exit()\nos.setsid()\n\
         if os.fork(): os._exit(0)\nprint('daemon', flush=True)\nos.close(0); os.close(1); os.close(2)\n\
         os.execvp('sleep',['sleep','1{mark}'])"
    );
    let start_daemon = |seconds: &str| {
        let program = ["python3", "-c", &daemon, seconds].map(str::to_owned).to_vec();
        start(
            &supervisor,
            Command { program: Program::Arguments(program), ..session(&workspace, "") },
        )
    };
    let ends = start_daemon("0.2");
    expect_output(&ends, 0, "daemon");
    assert!(ends.wait_for_end(TIMEOUT));
    assert!(!is_running(&mark), "a daemon outlives its program");
    let stops = start_daemon("1000");
    expect_output(&stops, 0, "daemon");
    stops.stop(Duration::from_secs(5));
    assert!(!is_running(&mark), "a daemon outlives a stop");
}

fn names_and_numbers_are_limited() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let start = |name: &str, line: &str| {
        let command = session(&workspace, line);
        let request = StartRequest { name: Some(name.to_owned()), command, keep: None };
        supervisor.start(&Launcher::current(), request)
    };
    for name in ["", " ", "a\nb", "\u{1b}[31mred", "a\0", "\u{85}", "p7", &"x".repeat(101)] {
        let error = start(name, "touch ran").unwrap_err();
        assert!(matches!(error, SupervisorError::InvalidName { .. }), "{name:?}: {error}");
        assert!(!error.to_string().chars().any(char::is_control), "{error}");
    }
    assert!(!workspace.root().join("ran").exists());
    let first = start("dév server", "sleep 1000").unwrap();
    let error = start("dév server", "true").unwrap_err();
    assert!(matches!(error, SupervisorError::NameTaken { .. }), "{error}");
    first.stop(TIMEOUT);
    let second = start("dév server", "true").unwrap();
    assert_eq!(supervisor.find("dév server").unwrap().id(), second.id());
    // Ended ones are forgotten in time.
    for _ in 0..40 {
        start("short", "true").unwrap().wait_for_end(TIMEOUT);
    }
    assert!(supervisor.processes().len() <= 34, "{}", supervisor.processes().len());
    supervisor.stop();
    assert!(matches!(start("late", "true"), Err(SupervisorError::Stopped)));
}

/// Resident memory of this process, in bytes.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

fn a_flood_is_bounded() {
    const TOTAL: u64 = 1 << 30;
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let before = memory();
    let begun = Instant::now();
    let line =
        format!("yes 'a line of output that is as long as many' | head -c {TOTAL}; echo end");
    let process = start(&supervisor, session(&workspace, &line));
    let (mut cursor, mut read, mut dropped) = (0, 0, 0);
    let mut most = 0;
    loop {
        let piece = process.output(cursor, 256 << 10);
        read += piece.bytes.len() as u64;
        dropped += piece.dropped;
        cursor = piece.start + piece.bytes.len() as u64;
        if piece.bytes.is_empty() {
            if !process.is_running() {
                break;
            }
            let after = WaitRequest { output_after: Some(cursor), ..WaitRequest::default() };
            wait(&process, &after);
        }
        most = most.max(memory());
    }
    let rate = TOTAL as f64 / begun.elapsed().as_secs_f64() / 1e6;
    println!(
        "flood: {rate:.0} MB/s, of which {:.0} % reached a reader",
        read as f64 / TOTAL as f64 * 100.0
    );
    assert_eq!(read + dropped, TOTAL + 4);
    assert!(most < before + 16 * OUTPUT_CAPACITY, "{before} {most}");
    assert!(String::from_utf8_lossy(&process.output(0, usize::MAX).bytes).ends_with("end\n"));

    // A pattern is found in any flood.
    let line = "yes | head -c 200000000; echo needle; yes | head -c 200000000";
    let process = start(&supervisor, session(&workspace, line));
    expect_output(&process, 0, "needle");
}

fn limits_are_in_force() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let limits = Limits { cpu_seconds: Some(1), ..Limits::default() };
    let busy = start(&supervisor, Command { limits, ..session(&workspace, "while :; do :; done") });
    let memory = Limits { memory_bytes: Some(64 << 20), ..Limits::default() };
    let line =
        "python3 -c 'bytearray(200 << 20)'; python3 -c 'bytearray(20 << 20); print(\"enough\")'";
    let large = start(&supervisor, Command { limits: memory, ..session(&workspace, line) });
    let output = whole_output(&large);
    assert!(output.contains("MemoryError") && output.contains("enough"), "{output}");
    let applied = serde_json::to_value(&large.confinement().limits).unwrap();
    let expected = serde_json::json!({
        "resource": "memory_bytes", "value": 64 << 20, "mechanism": "rlimit", "per_process": true
    });
    assert!(applied.as_array().unwrap().contains(&expected), "{applied}");
    assert!(busy.wait_for_end(TIMEOUT));
    assert_eq!(busy.status(), ProcessStatus::Signalled { signal: 24 });
}

/// Whether this process may make a control group; where it may not, limits are `setrlimit`'s.
fn groups_of_this_process() -> Vec<std::path::PathBuf> {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let folder = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let found = ["memory", "pids", "cpu"].contains(&controllers);
        let folder = std::path::PathBuf::from(format!("/sys/fs/cgroup/{controllers}{path}"));
        let probe = folder.join(format!("probe-{}", std::process::id()));
        let may_make = found && std::fs::create_dir(&probe).is_ok();
        (may_make && std::fs::remove_dir(&probe).is_ok()).then_some(folder)
    };
    own.lines().filter_map(folder).collect()
}

fn control_groups_limit_all_processes_together() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let limits = Limits {
        processes: 12,
        memory_bytes: Some(100 << 20),
        cpu_percent: Some(20),
        ..Limits::default()
    };
    let by_group = |process: &SupervisedProcess, resource: LimitedResource| {
        let limits = &process.confinement().limits;
        limits.iter().any(|it| it.resource == resource && it.mechanism == LimitMechanism::Cgroup)
    };
    // Each has less than the limit, both have more.
    let memory = "for n in 1 2; do python3 -c 'import time; a = bytearray(70 << 20); time.sleep(2)' & \
                  pids=\"$pids $!\"; done; for pid in $pids; do wait $pid; echo \"<$?>\"; done";
    let large = start(&supervisor, Command { limits, ..session(&workspace, memory) });
    let forks = "for n in $(seq 40); do sleep 1000 & done; echo unlimited";
    let forking = start(&supervisor, Command { limits, ..session(&workspace, forks) });
    let busy = "for n in 1 2; do timeout 2 sh -c 'while :; do :; done' & done; wait; times";
    let busy = start(&supervisor, Command { limits, ..session(&workspace, busy) });
    let groups = groups_of_this_process();
    if groups.len() == 3 {
        use LimitedResource::{CpuPercent, MemoryBytes, Processes};
        for resource in [CpuPercent, MemoryBytes, Processes] {
            assert!(by_group(&large, resource), "{:?}", large.confinement().limits);
        }
    }
    if by_group(&large, LimitedResource::MemoryBytes) {
        let output = whole_output(&large);
        assert!(output.contains("<137>"), "none was killed: {output}");
    }
    if by_group(&forking, LimitedResource::Processes) {
        expect_output(&forking, 0, "fork");
        assert!(!whole_output(&forking).contains("unlimited"));
    }
    if by_group(&busy, LimitedResource::CpuPercent) {
        // `times` prints the children's time in its second line: two busy ones would take 4 s.
        let output = whole_output(&busy);
        let user = output.lines().nth(1).unwrap().split('.').next().unwrap();
        assert_eq!(user, "0m0", "{output}");
    }
    drop((large, forking, busy));
    drop(supervisor);
    let ours = |folder: &std::path::PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries.filter(|it| it.file_name().to_string_lossy().starts_with("tandem-")).count()
    };
    let begun = Instant::now();
    while groups.iter().map(ours).sum::<usize>() > 0 {
        assert!(begun.elapsed() < TIMEOUT, "groups are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn unread_input_is_reported() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let process = start(&supervisor, session(&workspace, "sleep 1000"));
    let begun = Instant::now();
    match process.write(&vec![b'x'; 1 << 20], Duration::from_millis(200)) {
        Err(InputError::NotRead { written, total }) => assert!(written < total, "{written}"),
        other => panic!("{other:?}"),
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

fn hundreds_of_processes() {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let mark = mark(3);
    let begun = Instant::now();
    let all: Vec<_> = (0..MAX_PROCESSES)
        .map(|n| {
            start(&supervisor, session(&workspace, &format!("echo number {n}; exec sleep 1{mark}")))
        })
        .collect();
    for (n, process) in all.iter().enumerate() {
        expect_output(process, 0, &format!("number {n}"));
    }
    println!("{MAX_PROCESSES} processes: {:?}, {} MB here", begun.elapsed(), memory() >> 20);
    let request = StartRequest { name: None, command: session(&workspace, "true"), keep: None };
    let error = supervisor.start(&Launcher::current(), request).unwrap_err();
    assert!(matches!(error, SupervisorError::TooMany), "{error}");
    let begun = Instant::now();
    supervisor.stop();
    println!("stopped in {:?}", begun.elapsed());
    assert!(all.iter().all(|process| !process.is_running()));
    assert!(!is_running(&mark));
}

/// Starts processes of several kinds, and waits to be killed.
fn serve(mark: &str) -> ! {
    let (workspace, supervisor) = (TestWorkspace::new(), Supervisor::default());
    let lines = [
        format!("exec sleep 1{mark}"),
        format!(
            "trap '' TERM HUP INT; sleep 2{mark} & setsid sleep 3{mark} & while :; do sleep 4{mark}; done"
        ),
        format!(
            "python3 -c 'import os\nif os.fork(): os.wait()\nos.setsid()\nif os.fork(): os._exit(0)\nos.execvp(\"sleep\",[\"sleep\",\"5{mark}\"])'; sleep 6{mark}"
        ),
    ];
    let mut all: Vec<_> =
        lines.iter().map(|line| start(&supervisor, session(&workspace, line))).collect();
    all.push(start(
        &supervisor,
        terminal(&workspace, &["bash", "--norc", "-ic", &format!("sleep 7{mark} & sleep 8{mark}")]),
    ));
    println!("ready");
    loop {
        std::thread::park();
    }
}

fn nothing_survives_a_killed_server() {
    let rounds = std::env::var(ROUNDS).ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    for round in 0..rounds {
        let mark = mark(10_000 + round);
        let mut server = std::process::Command::new("/proc/self/exe");
        server.args([SERVE, &mark]).stdout(Stdio::piped()).process_group(0);
        let mut server = server.spawn().unwrap();
        // Killed at any moment of the starts, or after them.
        if round % 2 == 0 {
            let mut line = String::new();
            let output = server.stdout.take().unwrap();
            std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
            assert_eq!(line, "ready\n");
        } else {
            std::thread::sleep(Duration::from_millis(u64::from(round) * 7 % 60));
        }
        kill_process(Pid::from_child(&server), Signal::KILL).unwrap();
        server.wait().unwrap();
        let begun = Instant::now();
        while is_running(&mark) {
            assert!(begun.elapsed() < Duration::from_secs(5), "round {round}: a process survives");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    // Nor does one that was about to start.
    std::thread::sleep(Duration::from_millis(300));
    assert!(!is_running(&mark(1)), "a process was started after its server's end");
}
