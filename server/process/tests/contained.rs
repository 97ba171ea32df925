//! Commands in their sandbox. This binary is also the launcher, so it has its own test harness:
//! [`TESTS`] lists all tests, and arguments select among them.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking")]

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process::{
    Command, CommandOutcome, ExitStatus, FilesystemIsolation, Input, KillReason, Launcher,
    Mechanisms, Network, NetworkIsolation, ProcessError, ProcessIsolation, Program,
};
use rustix::process::{Pid, Signal, kill_process};

#[macro_use]
mod support;

use support::{TestWorkspace, is_running};

const TESTS: &[(&str, fn())] = tests![
    a_command_runs_and_reports_how_it_ended,
    every_mechanism_is_in_force_on_this_kernel,
    writes_stay_in_writable_folders,
    without_user_namespaces_landlock_and_a_reaper_isolate,
    without_mounts_protected_paths_are_an_error,
    missing_isolation_is_an_error,
    survivors_are_killed_in_a_namespace,
    survivors_are_killed_by_the_reaper,
    a_reaper_cannot_be_killed_from_inside,
    a_dropped_child_is_killed,
    unix_sockets_of_other_processes_are_out_of_reach,
    tracing_is_refused_unless_requested,
    capabilities_are_dropped_except_the_one_for_tracing,
    dangerous_calls_are_refused,
    processes_are_counted,
    a_folder_replaced_meanwhile_is_rejected,
    a_failed_start_leaves_nothing_behind,
    a_killed_spare_launcher_is_replaced,
    output_is_bounded_and_fast,
    interactive_input_and_output,
    the_proxy_works_inside_the_same_sandbox,
];

fn main() -> ExitCode {
    support::main(TESTS)
}

fn run_with(mechanisms: Mechanisms, command: Command) -> Result<CommandOutcome, ProcessError> {
    let child = Launcher::current().with(mechanisms).start(command)?;
    let (limit, never) = (Some(Duration::from_secs(60)), AtomicBool::new(false));
    Ok(child.collect(1 << 20, limit, &never, &mut |_, _| {}))
}

fn run(command: Command) -> CommandOutcome {
    run_with(Mechanisms::default(), command).unwrap()
}

fn text(captured: &process::Captured) -> String {
    assert_eq!(captured.left_out, 0);
    String::from_utf8([&captured.head[..], &captured.tail[..]].concat()).unwrap()
}

fn stderr_text(outcome: &CommandOutcome) -> String {
    text(&outcome.stdout)
}

fn without_namespaces() -> Mechanisms {
    Mechanisms { user_namespaces: false, ..Mechanisms::default() }
}

fn a_command_runs_and_reports_how_it_ended() {
    let workspace = TestWorkspace::new();
    let outcome = run(workspace.confined("echo out; echo err >&2; exit 3"));
    assert_eq!(outcome.status, ExitStatus::Code(3));
    assert_eq!(
        (stderr_text(&outcome).as_str(), text(&outcome.stderr).as_str()),
        ("out\n", "err\n")
    );
    assert_eq!(run(workspace.confined("kill -SEGV $$")).status, ExitStatus::Signal(11));
    assert_eq!(run(workspace.confined("exit 137")).status, ExitStatus::Code(137));
    let mut command = workspace.confined("");
    command.program = Program::Arguments(vec!["no-such-program".to_owned()]);
    let error = run_with(Mechanisms::default(), command).unwrap_err();
    assert!(matches!(error, ProcessError::NoProgram { .. }), "{error}");
    let mut command = workspace.confined("cat");
    command.input = Input::Bytes(b"x".repeat(1 << 20));
    assert_eq!(run(command).stdout.len(), 1 << 20);
}

fn every_mechanism_is_in_force_on_this_kernel() {
    let workspace = TestWorkspace::new();
    std::fs::create_dir(workspace.root().join(".git")).unwrap();
    let outcome =
        run(workspace.confined("id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status"));
    let confinement = &outcome.confinement;
    assert_eq!(confinement.processes, ProcessIsolation::Namespace);
    assert_eq!(confinement.filesystem, FilesystemIsolation::LandlockAndMounts);
    assert_eq!(confinement.network, NetworkIsolation::Namespace);
    assert!(confinement.system_calls_filtered);
    assert_eq!(confinement.protected, [workspace.root().join(".git").to_string_lossy()]);
    let uid = rustix::process::geteuid().as_raw();
    let none = "0000000000000000";
    let expected = format!("{uid}\nCapEff:\t{none}\nCapBnd:\t{none}\nNoNewPrivs:\t1\n");
    assert_eq!(stderr_text(&outcome), expected);
}

fn writes_stay_in_writable_folders() {
    let workspace = TestWorkspace::new();
    let (root, outside) = (workspace.root(), workspace.outside());
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::create_dir_all(root.join("sub/.git")).unwrap();
    std::fs::write(root.join("a.code-workspace"), "{}").unwrap();
    std::fs::write(outside.join("kept"), "kept").unwrap();
    std::fs::write(root.join("linked"), "x").unwrap();
    let o = outside.display();
    for line in [
        format!("echo x > {o}/kept"),
        format!("truncate -s 0 {o}/kept"),
        format!("rm {o}/kept"),
        format!("mv {o}/kept ."),
        format!("ln linked {o}/new"),
        format!("chmod 777 {o}/kept"),
        format!("touch -d 2001-01-01 {o}/kept"),
        format!("touch -d 2001-01-01 {o}"),
        "touch -d 2001-01-01 /tmp $HOME".to_owned(),
        format!("touch {o}/new"),
        "echo x > ../new".to_owned(),
        "touch /tmp/tandem-test-new".to_owned(),
        "touch $HOME/tandem-test-new".to_owned(),
        "echo x > .git/hooks/pre-commit".to_owned(),
        "mv .git .git2".to_owned(),
        "rm -r .git".to_owned(),
        "echo x > sub/.git/x".to_owned(),
        "echo x > a.code-workspace".to_owned(),
        "echo y > b; mv b a.code-workspace".to_owned(),
        "rm -f a.code-workspace".to_owned(),
        "umount .git".to_owned(),
        "mount -t tmpfs x .".to_owned(),
        "unshare -Urm true".to_owned(),
        "echo 1 > /proc/sys/kernel/core_pattern".to_owned(),
        "echo 1 > /proc/self/oom_score_adj".to_owned(),
        "mknod x c 1 3".to_owned(),
    ] {
        let outcome = run(workspace.confined(&line));
        assert_ne!(outcome.status, ExitStatus::Code(0), "{line}: {}", stderr_text(&outcome));
    }
    assert_eq!(std::fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert!(!outside.join("new").exists());
    assert_eq!(std::fs::read_dir(root.join(".git/hooks")).unwrap().count(), 0);
    for line in [
        "echo x > new && mkdir d && mv new d/new && ln -s d l && rm -r d".to_owned(),
        "echo x > $TMPDIR/x && mktemp".to_owned(),
        "echo x > /dev/null && cat .git/hooks/x 2>/dev/null || cat /etc/passwd".to_owned(),
        format!("cat {o}/kept"),
        "mkfifo p && rm p".to_owned(),
        "touch m && chmod 700 m && touch -d 2001-01-01 m $TMPDIR .".to_owned(),
    ] {
        let outcome = run(workspace.confined(&line));
        assert_eq!(outcome.status, ExitStatus::Code(0), "{line}: {}", text(&outcome.stderr));
    }
    assert!(root.join("l").is_symlink());
    let left = std::fs::read_dir("/tmp").unwrap().flatten();
    let left: Vec<_> = left
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("tandem-") && name.len() == 23)
        .collect();
    assert!(left.len() <= 4, "temporary folders are left: {left:?}");
}

fn without_user_namespaces_landlock_and_a_reaper_isolate() {
    let workspace = TestWorkspace::new();
    let o = workspace.outside().display().to_string();
    let outcome = run_with(without_namespaces(), workspace.confined("echo x > x; id -u")).unwrap();
    assert_eq!(outcome.status, ExitStatus::Code(0), "{}", text(&outcome.stderr));
    let confinement = &outcome.confinement;
    assert_eq!(confinement.processes, ProcessIsolation::Reaper);
    assert_eq!(confinement.filesystem, FilesystemIsolation::Landlock);
    assert_eq!(confinement.network, NetworkIsolation::NoSockets);
    let outcome =
        run_with(without_namespaces(), workspace.confined(&format!("touch {o}/new"))).unwrap();
    assert_ne!(outcome.status, ExitStatus::Code(0));
    let python = "python3 -c 'import socket; socket.socket()'";
    let outcome = run_with(without_namespaces(), workspace.confined(python)).unwrap();
    assert!(text(&outcome.stderr).contains("Error"), "{}", text(&outcome.stderr));
}

fn without_mounts_protected_paths_are_an_error() {
    let workspace = TestWorkspace::new();
    std::fs::create_dir(workspace.root().join(".git")).unwrap();
    for mechanisms in [without_namespaces(), Mechanisms { mounts: false, ..Mechanisms::default() }]
    {
        let error = run_with(mechanisms, workspace.confined("touch ran")).unwrap_err();
        assert!(matches!(error, ProcessError::Unavailable { .. }), "{error}");
        assert!(error.to_string().contains("mount namespaces"), "{error}");
    }
    assert!(!workspace.root().join("ran").exists());
}

fn missing_isolation_is_an_error() {
    let workspace = TestWorkspace::new();
    let all = Mechanisms::default();
    for (mechanisms, named) in [
        (Mechanisms { landlock: false, ..all }, "Landlock"),
        (Mechanisms { seccomp: false, ..all }, "seccomp"),
        (Mechanisms { seccomp: false, ..without_namespaces() }, "user namespaces"),
    ] {
        let error = run_with(mechanisms, workspace.confined("touch ran")).unwrap_err();
        assert!(matches!(error, ProcessError::Unavailable { .. }), "{error}");
        assert!(error.to_string().contains(named), "{error}");
        assert!(!workspace.root().join("ran").exists(), "it ran without {named}");
    }
}

/// A text that identifies this run's processes.
fn mark(number: u32) -> String {
    format!("{}{number}", std::process::id())
}

/// Ways to outlive a shell, each with the mark in its command line.
fn survivors(mark: &str) -> Vec<String> {
    vec![
        format!("sleep 987{mark} & exit 0"),
        format!("nohup sleep 987{mark} >/dev/null 2>&1 & exit 0"),
        format!("setsid sh -c 'setsid sleep 987{mark} & exit' & exit 0"),
        format!("(trap '' TERM INT HUP QUIT; sleep 987{mark}) & exit 0"),
        format!("sh -c \"trap '' TERM; (setsid sh -c 'sleep 987{mark}' &) &\" & exit 0"),
        format!(
            "python3 -c 'import os,sys\nif os.fork(): sys.exit()\nos.setsid()\nif os.fork(): \
             os._exit(0)\nos.execvp(\"sleep\",[\"sleep\",\"987{mark}\"])'; exit 0"
        ),
    ]
}

fn survivors_are_killed(mechanisms: Mechanisms, mark: &str) {
    let workspace = TestWorkspace::new();
    for (number, line) in survivors(mark).into_iter().enumerate() {
        let started = Instant::now();
        let outcome = run_with(mechanisms, workspace.confined(&line)).unwrap();
        assert_eq!(outcome.status, ExitStatus::Code(0), "{line}");
        assert!(started.elapsed() < Duration::from_secs(5), "{line} was waited for");
        assert!(!is_running(&format!("987{mark}")), "{line} left something");
        // Also on a timeout, while the shell still lives.
        let line = line.replace("exit 0", "while :; do sleep 1; done");
        let child = Launcher::current().with(mechanisms).start(workspace.confined(&line)).unwrap();
        let (limit, never) = (Some(Duration::from_millis(150)), AtomicBool::new(false));
        let started = Instant::now();
        let outcome = child.collect(1_000, limit, &never, &mut |_, _| {});
        assert_eq!((outcome.stop, outcome.status), (Some(KillReason::Timeout), ExitStatus::Killed));
        assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
        assert!(!is_running(&format!("987{mark}")), "number {number} left something: {line}");
    }
}

fn survivors_are_killed_in_a_namespace() {
    survivors_are_killed(Mechanisms::default(), &mark(1));
}

fn survivors_are_killed_by_the_reaper() {
    survivors_are_killed(without_namespaces(), &mark(2));
}

fn a_reaper_cannot_be_killed_from_inside() {
    let workspace = TestWorkspace::new();
    let line = "sleep 98763 & for p in $PPID $(cut -d' ' -f4 /proc/$PPID/stat); do \
                kill -9 $p 2>&1; done; echo still";
    let outcome = run_with(without_namespaces(), workspace.confined(line)).unwrap();
    let output = stderr_text(&outcome);
    assert!(output.ends_with("still\n") && output.matches("ermitted").count() == 2, "{output}");
    assert_eq!(outcome.status, ExitStatus::Code(0));
    assert!(!is_running("98763"));
}

fn a_dropped_child_is_killed() {
    let workspace = TestWorkspace::new();
    for mechanisms in [Mechanisms::default(), without_namespaces()] {
        let line = "setsid sleep 98764 & sleep 98764";
        let child = Launcher::current().with(mechanisms).start(workspace.confined(line)).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(is_running("98764"));
        drop(child);
        assert!(!is_running("98764"));
    }
}

fn unix_sockets_of_other_processes_are_out_of_reach() {
    let workspace = TestWorkspace::new();
    let path = workspace.outside().join("daemon.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let connect = format!(
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{}\")'",
        path.display()
    );
    let outcome = run(workspace.confined(&connect));
    assert_ne!(outcome.status, ExitStatus::Code(0));
    assert_eq!(run(workspace.open(&connect)).status, ExitStatus::Code(0));
    drop(listener);
    let own = "python3 -c 'import socket\na = socket.socket(socket.AF_UNIX); a.bind(\"s\"); \
               a.listen()\nb = socket.socket(socket.AF_UNIX); b.connect(\"s\"); print(1)'";
    assert_eq!(stderr_text(&run(workspace.confined(own))), "1\n", "its own sockets work");
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let connect = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {}), 2)'",
        address.port()
    );
    let outcome = run(workspace.confined(&connect));
    assert_ne!(outcome.status, ExitStatus::Code(0));
    let mut command = workspace.confined(&connect);
    command.isolation.network = Network::Open;
    let outcome = run(command);
    assert_eq!(outcome.status, ExitStatus::Code(0), "{}", text(&outcome.stderr));
    let own = "python3 -c 'import socket\na = socket.create_server((\"127.0.0.1\", 0))\n\
               socket.create_connection(a.getsockname()); print(1)'";
    assert_eq!(stderr_text(&run(workspace.confined(own))), "1\n", "its own loopback works");
}

/// `syscall(number, …)` through Python; prints the errno.
fn errno_of(call: &str) -> String {
    format!(
        "python3 -c 'import ctypes; c = ctypes.CDLL(None, use_errno=True); \
         r = c.syscall({call}); print(r if r >= 0 else -ctypes.get_errno())'"
    )
}

fn tracing_is_refused_unless_requested() {
    let workspace = TestWorkspace::new();
    // PTRACE_TRACEME
    let call = errno_of(&format!("{}, 0, 0, 0, 0", libc::SYS_ptrace));
    assert_eq!(stderr_text(&run(workspace.confined(&call))), format!("-{}\n", libc::EPERM));
    let mut command = workspace.confined(&call);
    command.isolation.may_trace = true;
    assert_eq!(stderr_text(&run(command)), "0\n");
}

fn capabilities_are_dropped_except_the_one_for_tracing() {
    let workspace = TestWorkspace::new();
    let line = "grep -h -e CapEff -e CapBnd /proc/self/status | cut -f2 | uniq";
    let rights = |mut command: Command, may_hold: bool| {
        command.isolation.may_attach_anywhere = may_hold;
        let stderr_text = stderr_text(&run_with(without_namespaces(), command).unwrap());
        let sets = stderr_text.lines().map(|set| u64::from_str_radix(set, 16).unwrap());
        // An ordinary user's bounding set stays, but grants nothing.
        sets.min().unwrap()
    };
    assert_eq!(rights(workspace.open(line), false), 0);
    assert_eq!(rights(workspace.confined(line), true), 0);
    let is_root = fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0");
    assert_eq!(rights(workspace.open(line), true), if is_root { 1 << 19 } else { 0 });
}

fn dangerous_calls_are_refused() {
    let workspace = TestWorkspace::new();
    let (refused, unknown) = (libc::EPERM, libc::ENOSYS);
    for (call, errno) in [
        (format!("{}, 0x10000000", libc::SYS_unshare), refused),
        (format!("{}, 0x10000011, 0, 0, 0, 0", libc::SYS_clone), refused),
        (format!("{}, 0x20011, 0, 0, 0, 0", libc::SYS_clone), refused),
        (format!("{}, 0, 0", libc::SYS_clone3), unknown),
        (format!("{}, 1, 0", libc::SYS_io_uring_setup), unknown),
        (format!("{}, 0, 0, 0", libc::SYS_bpf), refused),
        (format!("{}, 0, 0, 0, 0, 0", libc::SYS_keyctl), refused),
        // Packet sockets, hypervisor sockets, kernel cryptography.
        (format!("{}, {}, 3, 0", libc::SYS_socket, libc::AF_PACKET), refused),
        (format!("{}, {}, 1, 0", libc::SYS_socket, libc::AF_VSOCK), refused),
        (format!("{}, {}, 5, 0", libc::SYS_socket, libc::AF_ALG), refused),
        (format!("{}, 0, 0x5412, 0", libc::SYS_ioctl), refused),
        (format!("{}, 0, 0x100005412, 0", libc::SYS_ioctl), refused),
        #[cfg(target_arch = "x86_64")]
        (format!("{}, 0, 0, 0, 0", 0x4000_0000 | 521), unknown),
    ] {
        for mechanisms in [Mechanisms::default(), without_namespaces()] {
            let outcome = run_with(mechanisms, workspace.confined(&errno_of(&call))).unwrap();
            let got = stderr_text(&outcome);
            assert_eq!(got, format!("-{errno}\n"), "{call}: {}", text(&outcome.stderr));
        }
    }
}

fn processes_are_counted() {
    let workspace = TestWorkspace::new();
    // The command's own shell is one process before the fork bomb reaches the limit: a second one
    // may fail.
    let mut command = workspace.confined("b() { b | b & }; (b); while :; do :; done");
    command.limits.processes = 600;
    let child = Launcher::current().start(command).unwrap();
    let Some(limit) = child.confinement().process_limit else {
        println!("NOT TESTED: this kernel cannot count a namespace's processes (Linux 6.14)");
        return;
    };
    let started = Instant::now();
    let (timeout, never) = (Some(Duration::from_secs(3)), AtomicBool::new(false));
    let watched = std::thread::spawn(|| {
        let mut most = 0;
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(2) {
            most = most.max(std::fs::read_dir("/proc").unwrap().count());
            std::thread::sleep(Duration::from_millis(100));
        }
        most
    });
    let before = std::fs::read_dir("/proc").unwrap().count();
    let outcome = child.collect(10_000, timeout, &never, &mut |_, _| {});
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    let most = watched.join().unwrap();
    assert!(most < before + limit as usize + 300, "{most} processes");
    assert_eq!(outcome.status, ExitStatus::Killed);
}

fn a_folder_replaced_meanwhile_is_rejected() {
    let workspace = TestWorkspace::new();
    let command = workspace.confined("touch ran");
    std::fs::rename(workspace.root(), workspace.outside().join("moved")).unwrap();
    std::os::unix::fs::symlink("/", workspace.root()).unwrap();
    let error = run_with(Mechanisms::default(), command).unwrap_err();
    assert!(matches!(error, ProcessError::FolderChanged { .. }), "{error}");
    assert!(!workspace.outside().join("moved/ran").exists() && !Path::new("/ran").exists());
}

fn a_failed_start_leaves_nothing_behind() {
    let workspace = TestWorkspace::new();
    let count = |dir: &str| std::fs::read_dir(dir).unwrap().count();
    let zombies = || {
        let line = run(workspace.open("true"));
        assert_eq!(line.status, ExitStatus::Code(0));
        // One launcher waits for the next command.
        let ended = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
        !matches!(ended, Ok(None)) || children().len() != 1
    };
    run(workspace.confined("true"));
    let before = count("/proc/self/fd");
    for _ in 0..20 {
        run(workspace.confined("true"));
        let mut command = workspace.confined("");
        command.program = Program::Arguments(vec!["no-such-program".to_owned()]);
        run_with(Mechanisms::default(), command).unwrap_err();
        let refused = Mechanisms { landlock: false, ..Mechanisms::default() };
        run_with(refused, workspace.confined("true")).unwrap_err();
        let invalid = run_with(Mechanisms::default(), workspace.confined("a\0b")).unwrap_err();
        assert!(matches!(invalid, ProcessError::Invalid { .. }));
        let long = run_with(Mechanisms::default(), workspace.confined(&"x".repeat(200_000)));
        assert!(matches!(long.unwrap_err(), ProcessError::Invalid { .. }));
    }
    assert_eq!(count("/proc/self/fd"), before);
    assert!(!zombies(), "a child was not waited for");
}

/// The child processes of this one that have not been reaped.
fn children() -> Vec<Pid> {
    let listed = std::fs::read_to_string("/proc/thread-self/children").unwrap();
    listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().unwrap())).collect()
}

fn a_killed_spare_launcher_is_replaced() {
    let workspace = TestWorkspace::new();
    run(workspace.confined("true"));
    let waiting = children();
    assert_eq!(waiting.len(), 1);
    kill_process(waiting[0], Signal::KILL).unwrap();
    let stat = format!("/proc/{}/stat", waiting[0].as_raw_nonzero());
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {}
    let outcome = run(workspace.confined("echo ran"));
    assert_eq!((outcome.status, &outcome.stdout.head[..]), (ExitStatus::Code(0), &b"ran\n"[..]));
    let now = children();
    assert!(now.len() == 1 && now != waiting, "{now:?}");
}

fn output_is_bounded_and_fast() {
    let workspace = TestWorkspace::new();
    let started = Instant::now();
    let outcome = run(workspace.confined("yes | head -c 1000000000"));
    assert_eq!(outcome.status, ExitStatus::Code(0));
    assert_eq!(outcome.stdout.len(), 1_000_000_000);
    assert_eq!(outcome.stdout.head.len() + outcome.stdout.tail.len(), 1 << 20);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    // Alternating output on both streams must not deadlock.
    let line = "i=0; while [ $i -lt 300 ]; do head -c 70000 /dev/zero; \
                head -c 70000 /dev/zero >&2; i=$((i+1)); done";
    let outcome = run(workspace.confined(line));
    assert_eq!((outcome.stdout.len(), outcome.stderr.len()), (21_000_000, 21_000_000));
    let interrupt = AtomicBool::new(false);
    let child = Launcher::current().start(workspace.confined("yes")).unwrap();
    let started = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            interrupt.store(true, Ordering::Relaxed);
        });
        let outcome = child.collect(1_000, None, &interrupt, &mut |_, _| {});
        assert_eq!(
            (outcome.stop, outcome.status),
            (Some(KillReason::Interrupt), ExitStatus::Killed)
        );
        outcome.duration
    });
    assert!(started < Duration::from_millis(250), "{started:?}");
}

fn interactive_input_and_output() {
    use std::io::{BufRead, BufReader, Write};
    let workspace = TestWorkspace::new();
    let mut command = workspace.confined("while read l; do echo \"<$l>\"; done");
    command.input = Input::Piped;
    let mut child = Launcher::current().start(command).unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for word in ["one", "two"] {
        writeln!(input, "{word}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("<{word}>\n"));
    }
    drop(input);
    assert_eq!(child.wait(), ExitStatus::Code(0));
}

fn the_proxy_works_inside_the_same_sandbox() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::fd::OwnedFd;

    // A server for one connection on the sandbox's loopback, which cannot be reached from outside.
    const SERVES: &str = "import socket, os\n\
        s = socket.create_server(('127.0.0.1', 0))\n\
        print(s.getsockname()[1], flush=True)\n\
        c, _ = s.accept()\n\
        c.sendall(c.recv(100).upper())\n\
        c.recv(1)\n";
    let workspace = TestWorkspace::new();
    let program = ["python3", "-c", SERVES].map(str::to_owned);
    let mut command = workspace.confined(":");
    command.program = Program::Arguments(program.to_vec());
    command.has_sandbox_proxy = true;
    let mut child = Launcher::current().start(command).unwrap();
    let door = child.sandbox_proxy().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.trim().parse().unwrap();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(door.connect(1).is_err(), "nobody listens there");
    let mut stream = door.connect(port).unwrap();
    stream.write_all(b"ping").unwrap();
    let mut answer = [0; 4];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"PING");

    let null = || OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    let start = |line: &str| {
        let (mut read, write) = std::io::pipe().unwrap();
        let program_to_start = process::ExtraProgram {
            program: ["sh", "-c", line].map(str::to_owned).to_vec(),
            cwd: workspace.root(),
            environment: vec![
                ("SAYS".to_owned(), Some("so".to_owned())),
                ("HOME".to_owned(), None),
            ],
            stdin: null(),
            stdout: write.try_clone().unwrap().into(),
            stderr: write.into(),
        };
        let pid = door.start(program_to_start).unwrap();
        let mut told = String::new();
        read.read_to_string(&mut told).unwrap();
        (pid, told)
    };
    let (pid, told) =
        start("echo $$ $SAYS $TMPDIR .$HOME; touch in; touch ../out 2>/dev/null || echo no");
    let temporary = child.temporary_folder().display();
    assert_eq!(told, format!("{pid} so {temporary} .\nno\n"));
    assert!(workspace.root().join("in").exists() && !workspace.outside().join("out").exists());
    let (_, told) = start("exec nothing-of-that-name");
    assert!(told.contains("not found"), "{told}");

    // The extra program ends with the command.
    let (mut read, write) = std::io::pipe().unwrap();
    let program_to_start = process::ExtraProgram {
        program: ["sleep", "1000"].map(str::to_owned).to_vec(),
        cwd: workspace.root(),
        environment: Vec::new(),
        stdin: null(),
        stdout: write.into(),
        stderr: null(),
    };
    door.start(program_to_start).unwrap();
    drop(stream);
    child.wait();
    assert_eq!(read.read(&mut [0]).unwrap(), 0);
    assert!(door.connect(port).is_err());
}
