//! One list of escapes for commands, run in our sandbox and in those of others: writes by every kind of
//! name and link, made before, by the command or exchanged while it writes; processes that stay; Unix
//! sockets. What gets through is counted.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Home, component};

use super::is_attack_run;

const SOCKETS: &str = include_str!("../sockets.py");

/// When a process that stays behind would have left its mark.
const SURVIVAL_WAIT: Duration = Duration::from_millis(1_500);
/// How often the start is timed.
const START_SAMPLES: usize = 15;

/// A sandbox that runs commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sandbox {
    Tandem,
    Codex,
    Srt,
}

const SANDBOXES: &[Sandbox] = &[Sandbox::Tandem, Sandbox::Codex, Sandbox::Srt];

impl Sandbox {
    fn name(self) -> &'static str {
        match self {
            Self::Tandem => "tandem",
            Self::Codex => "codex sandbox",
            Self::Srt => "sandbox-runtime",
        }
    }

    /// The program, if it is here: `codex` comes with `cargo xtask setup`, `TANDEM_SRT` names `srt`.
    fn program(self) -> Option<PathBuf> {
        match self {
            Self::Tandem => Some(tests::binary()),
            Self::Codex => component("codex"),
            Self::Srt => std::env::var_os("TANDEM_SRT").map(PathBuf::from),
        }
    }

    /// Runs `script` in the workspace, which it may write to. What it prints.
    fn run(self, program: &Path, home: &Home, script: &str) -> String {
        let root = home.root();
        fs::write(root.join("attack.sh"), script).unwrap();
        let mut command = home.command();
        if self != Self::Tandem {
            let mut other = Command::new(program);
            other.env("HOME", home.outside()).env("CODEX_HOME", home.outside().join("state"));
            // Codex puts its helpers below its own folder, which it refuses in a temporary one.
            other.env("TMPDIR", home.outside().join("tmp"));
            command = other;
        }
        match self {
            Self::Tandem => {
                let params = json!({ "command": "sh attack.sh", "timeout_ms": 60_000 });
                command.args(["call", "run_command", &params.to_string(), "--workspace"]);
                command.arg(&root);
            }
            Self::Codex => {
                let settings = [
                    "sandbox_mode=\"workspace-write\"",
                    "sandbox_workspace_write.exclude_slash_tmp=true",
                    "sandbox_workspace_write.exclude_tmpdir_env_var=true",
                ];
                command.arg("sandbox");
                settings.iter().for_each(|setting| _ = command.args(["-c", setting]));
                command.args(["--", "sh", "attack.sh"]);
            }
            Self::Srt => {
                let settings = home.outside().join("srt.json");
                let rules = json!({
                    "network": { "allowedDomains": [], "deniedDomains": [] },
                    "filesystem": { "denyRead": [], "allowWrite": [root], "denyWrite": [] },
                });
                fs::write(&settings, rules.to_string()).unwrap();
                command.arg("--settings").arg(settings).args(["-c", "sh attack.sh"]);
            }
        }
        command.current_dir(&root).stdin(Stdio::null());
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if self != Self::Tandem {
            return printed;
        }
        let answer: Value = serde_json::from_str(&printed).unwrap_or_default();
        answer["stdout"].as_str().unwrap_or(&printed).to_owned()
    }
}

/// A workspace with what the escapes aim at, and what lies beside it.
fn stage() -> Home {
    let home = Home::new();
    let (root, outside) = (home.root(), home.outside());
    let config = outside.join("config/tandem");
    fs::create_dir_all(&config).unwrap();
    fs::create_dir_all(outside.join("state")).unwrap();
    fs::create_dir_all(outside.join("tmp")).unwrap();
    fs::write(config.join("config.toml"), "[policy.allow]\nrun = [\"sh attack.sh\"]\n").unwrap();
    for folder in [outside.join("secret"), root.join(".git/hooks"), root.join(".vscode")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(outside.join("secret/kept.txt"), "kept\n").unwrap();
    fs::write(root.join(".git/hooks/pre-commit"), "kept\n").unwrap();
    fs::write(root.join(".vscode/tasks.json"), "kept\n").unwrap();
    home
}

/// What must not be written: the name, and the path from the workspace.
const TARGETS: &[(&str, &str)] = &[
    ("file outside", "../secret/kept.txt"),
    ("new file outside", "../secret/new.txt"),
    (".git/hooks", ".git/hooks/pre-commit"),
    (".vscode", ".vscode/tasks.json"),
];

/// Ways to write to `$T`: absolute; `$R`: relative; `$D`, `$B`: its folder and name. `pf`, `pd` and
/// `ph` are links to the file, to the folder and a hard link, made before the command starts.
const WRITES: &[(&str, &str)] = &[
    ("absolute path", "echo x > $T"),
    ("relative path", "echo x > $R"),
    ("from its folder", "cd $D && echo x > $B"),
    ("append", "echo x >> $T"),
    ("link to the file", "ln -s $T l; echo x > l"),
    ("link to the folder", "ln -s $D l; echo x > l/$B"),
    ("chain of links", "ln -s $D a; ln -s a b; echo x > b/$B"),
    ("hard link", "ln $T l && echo x > l"),
    ("earlier link to the file", "echo x > pf"),
    ("earlier link to the folder", "echo x > pd/$B"),
    ("earlier hard link", "test -e ph && echo x > ph"),
    ("/proc/self/root", "echo x > /proc/self/root$T"),
    ("/proc/self/cwd", "echo x > /proc/self/cwd/$R"),
    ("/proc/1/root", "echo x > /proc/1/root$T"),
    ("/proc/1/cwd", "echo x > /proc/1/cwd/$R"),
    ("handle", "exec 3< $D; echo x > /proc/self/fd/3/$B"),
    ("reopened handle", "exec 3< $T; echo x > /proc/self/fd/3"),
    ("rename into place", "echo x > n; mv -f n $T"),
    ("link into place", "echo x > n; ln -f n $T"),
    ("its folder moved away", "mv $D m && echo x > m/$B && mv m $D"),
    ("the folder above moved away", "mv $D/.. m2 && echo x > m2/*/$B; mv m2 $D/.."),
    ("another name, upper case", "echo x > $(echo $R | tr gv GV)"),
    ("bind mount", "unshare -rm sh -c \"mkdir m; mount --bind $D m; echo x > m/$B\""),
    (
        "remount",
        "unshare -rm sh -c \"mount -o remount,rw,bind $D; mount -o remount,rw /; echo x > $T\"",
    ),
    ("lower mounts", "unshare -rm sh -c \"umount -l $T; umount -l $D; echo x > $T\""),
    ("truncated by handle", "python3 -c \"import os; os.truncate('$T', 0)\""),
    ("in a new session", "setsid -w sh -c \"echo x > $T\""),
    ("exchanged while it writes", "python3 swap.py $D $B"),
    ("exchanged file", "python3 swap.py $D $B file"),
];

/// Writes through a name that is now a plain folder (or file), now a link.
const SWAP: &str = r#"
import os, sys, threading
folder, name, of_file = sys.argv[1], sys.argv[2], len(sys.argv) > 3
os.makedirs("plain", exist_ok=True)
open("plain/" + name, "w").close()
stop = False
def swap():
    n = 0
    while not stop:
        n += 1
        for target in ["plain", folder]:
            os.symlink(os.path.join(target, name) if of_file else target, "s%d" % n)
            os.rename("s%d" % n, "s")
threading.Thread(target=swap, daemon=True).start()
for _ in range(2000):
    try:
        with open("s" if of_file else "s/" + name, "a") as out:
            out.write("x\n")
    except OSError:
        pass
stop = True
"#;

/// Whether a way to write reaches a target.
fn writes(sandbox: Sandbox, program: &Path, target: &str, way: &str) -> bool {
    let home = stage();
    let root = home.root();
    let path = root.join(target);
    let parent = path.parent().unwrap().canonicalize().unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let absolute = parent.join(name);
    symlink(&absolute, root.join("pf")).unwrap();
    symlink(&parent, root.join("pd")).unwrap();
    let _ = fs::hard_link(&absolute, root.join("ph"));
    fs::write(root.join("swap.py"), SWAP).unwrap();
    let before = fs::read(&absolute).ok();
    let set = format!("T={}\nR={target}\nD={}\nB={name}\n", absolute.display(), parent.display());
    sandbox.run(program, &home, &format!("{set}{way}\n"));
    fs::read(&absolute).ok() != before
}

/// Ways to go on after the command has ended: `$M` is where they leave their mark.
const SURVIVAL_SCRIPTS: &[(&str, &str)] = &[
    ("background", "(sleep 1; echo x > $M) &"),
    ("new session", "setsid sh -c \"sleep 1; echo x > $M\" > /dev/null 2>&1 &"),
    ("nohup", "nohup sh -c \"sleep 1; echo x > $M\" > /dev/null 2>&1 &"),
    (
        "double fork",
        "python3 -c \"
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 64); time.sleep(1); open('$M', 'w').close()
    os._exit(0)\"",
    ),
];

fn survives(sandbox: Sandbox, program: &Path, way: &str) -> bool {
    let home = stage();
    let mark = home.root().join("mark");
    sandbox.run(program, &home, &format!("M={}\n{way}\n", mark.display()));
    std::thread::sleep(SURVIVAL_WAIT);
    mark.exists()
}

/// The ways to a daemon outside: how many there are, and which got an answer.
fn sockets(sandbox: Sandbox, program: &Path) -> (usize, Vec<String>) {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let home = stage();
    let name = format!("tandem-escape-{}-{}", std::process::id(), sandbox as u8);
    let path = home.outside().join("d.sock");
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let inside = home.root().join("in.sock");
    let listeners = [
        UnixListener::bind(&path).unwrap(),
        UnixListener::bind(&inside).unwrap(),
        UnixListener::bind_addr(&address).unwrap(),
    ];
    for listener in listeners {
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let read = stream.read(&mut [0; 16]);
                    if read.is_ok_and(|read| read > 0) {
                        let _ = stream.write_all(b"done");
                    }
                });
            }
        });
    }
    let log = home.outside().join("log");
    let _datagram = UnixDatagram::bind(&log).unwrap();
    fs::write(home.root().join("sockets.py"), SOCKETS).unwrap();
    let script = format!(
        "python3 sockets.py 0 {} {} {} {} @{name}",
        home.root().display(),
        path.display(),
        inside.display(),
        log.display()
    );
    let printed = sandbox.run(program, &home, &script);
    // Without the error's number, which may differ between two tries.
    let way = |line: &str| line.rsplit_once(' ').map_or(line, |(way, _)| way).to_owned();
    let lines: std::collections::BTreeSet<String> = printed
        .lines()
        .map(|l| if l.starts_with("refused") { way(l) } else { l.to_owned() })
        .collect();
    let reached = lines.iter().filter(|line| line.starts_with("REACHED"));
    let tried = lines.iter().filter(|line| line.starts_with("refused")).count();
    let reached: Vec<String> = reached.cloned().collect();
    (tried + reached.len(), reached)
}

fn start_time(sandbox: Sandbox, program: &Path) -> Duration {
    let home = stage();
    let mut times: Vec<Duration> = (0..START_SAMPLES)
        .map(|_| {
            let started = Instant::now();
            sandbox.run(program, &home, "true");
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[START_SAMPLES / 2]
}

/// The counts of all sandboxes that are here; ours lets nothing through that is not documented. Only
/// `cargo xtask attack` tries every way on every target, and the sandboxes of others.
#[test]
fn escapes_by_sandbox() {
    let targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    println!("| sandbox | {} | processes | sockets | start and end |", targets.join(" | "));
    println!("|---|{}--:|--:|--:|", "--:|".repeat(TARGETS.len()));
    let mut ours = Vec::new();
    let sandboxes = if is_attack_run() { SANDBOXES } else { &[Sandbox::Tandem] };
    for &sandbox in sandboxes {
        let Some(program) = sandbox.program() else {
            println!("| {} | not installed |", sandbox.name());
            continue;
        };
        // A sandbox that runs nothing lets nothing through.
        let home = stage();
        let printed = sandbox.run(&program, &home, "echo x > own.txt; cat own.txt");
        if printed.trim() != "x" {
            assert!(sandbox != Sandbox::Tandem, "nothing runs: {printed}");
            println!("| {} | does not run here: {:.80} |", sandbox.name(), printed.trim());
            continue;
        }
        let mut through = Vec::new();
        let mut counts = Vec::new();
        for (index, (target, path)) in TARGETS.iter().enumerate() {
            let (mut tried, before) = (0, through.len());
            for (number, (name, way)) in WRITES.iter().enumerate() {
                if !is_attack_run() && number % TARGETS.len() != index {
                    continue;
                }
                tried += 1;
                if writes(sandbox, &program, path, way) {
                    through.push(format!("{target}: {name}"));
                }
            }
            counts.push(format!("{} of {tried}", through.len() - before));
        }
        let staying =
            SURVIVAL_SCRIPTS.iter().filter(|(_, way)| survives(sandbox, &program, way)).count();
        let (tried, reached) = sockets(sandbox, &program);
        assert!(tried > 40, "{}: {tried} ways to sockets were tried", sandbox.name());
        println!(
            "| {} | {} | {staying} of {} | {} of {tried} | {:.0} ms |",
            sandbox.name(),
            counts.join(" | "),
            SURVIVAL_SCRIPTS.len(),
            reached.len(),
            start_time(sandbox, &program).as_secs_f64() * 1e3
        );
        println!("<!-- {}: {through:?} {reached:?} -->", sandbox.name());
        if sandbox == Sandbox::Tandem {
            assert_eq!((staying, &reached), (0, &Vec::new()), "{through:?}");
            ours = through;
        }
    }
    // A second name that a file outside has in the workspace is a file of the workspace.
    ours.retain(|name| !name.ends_with(": earlier hard link"));
    assert!(ours.is_empty(), "{ours:#?}");
}

/// The ways to write do write where there is no sandbox.
#[test]
fn the_ways_to_write_work_without_a_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let mut idle = Vec::new();
    for (index, (name, way)) in WRITES.iter().enumerate() {
        let root = folder.path().join(index.to_string()).join("w");
        let secret = root.parent().unwrap().join("secret");
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&secret).unwrap();
        let target = secret.join("kept.txt");
        fs::write(&target, "kept\n").unwrap();
        symlink(&target, root.join("pf")).unwrap();
        symlink(&secret, root.join("pd")).unwrap();
        fs::hard_link(&target, root.join("ph")).unwrap();
        fs::write(root.join("swap.py"), SWAP).unwrap();
        let set = format!(
            "T={}\nR=../secret/kept.txt\nD={}\nB=kept.txt\n",
            target.display(),
            secret.display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{set}{way}")]).current_dir(&root);
        let _ = shell.stdin(Stdio::null()).output().unwrap();
        if fs::read_to_string(&target).is_ok_and(|text| text == "kept\n") {
            idle.push(*name);
        }
    }
    // Some need privileges, or a file system that ignores case.
    assert!(idle.len() * 2 < WRITES.len(), "these write nothing: {idle:?}");
}
