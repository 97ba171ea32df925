//! `run_command`: its result, its sandbox, and that no process or file of it survives.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT};

/// Calls it from a shell, with the person's approval.
fn call(home: &Home, params: Value) -> Result<Value, Value> {
    outcome(&home.command().args(arguments(home, &params)).output().unwrap())
}

fn arguments(home: &Home, params: &Value) -> Vec<String> {
    let root = home.root().to_string_lossy().into_owned();
    ["call", "--yes", "run_command", &params.to_string(), "--workspace", &root]
        .map(str::to_owned)
        .to_vec()
}

fn outcome(output: &Output) -> Result<Value, Value> {
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    match output.status.code() {
        Some(0) => Ok(value),
        Some(1) => Err(value),
        other => panic!("exit status {other:?}: {value}"),
    }
}

fn run(home: &Home, line: &str) -> Value {
    call(home, json!({ "command": line, "verbose": true }))
        .unwrap_or_else(|error| panic!("`{line}` did not run: {error}"))
}

fn refused(home: &Home, params: Value, code: &str) -> Value {
    let error = call(home, params.clone()).expect_err(&params.to_string());
    assert_eq!(error["code"], code, "{params}: {error}");
    error
}

/// A number that only this test's processes have in their command lines.
fn mark(number: u32) -> String {
    format!("98{}{number}", std::process::id())
}

fn is_running(mark: &str) -> bool {
    processes().iter().any(|(_, line)| line.contains(mark))
}

/// Numbers and command lines of the processes that sleep.
fn processes() -> Vec<(String, String)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let pid = entry.file_name().to_string_lossy().into_owned();
            line.contains("sleep").then_some((pid, line))
        })
        .collect()
}

fn wait_until(what: &str, done: impl Fn() -> bool) -> Duration {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(2));
    }
    started.elapsed()
}

/// A server whose client answers every approval request with `title`, and the requests.
fn start_with_answer(home: &Home, title: &'static str) -> (Client, Arc<Mutex<Vec<Value>>>) {
    let mut command = home.command();
    let client = Client::spawn(command.arg("lsp")).unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params.clone());
        Answer::Result(json!({ "title": title }))
    });
    let capabilities = json!({ "window": { "showMessage": {}, "workDoneProgress": true } });
    client.initialize(&home.root(), capabilities).unwrap();
    (client, questions)
}

#[test]
fn a_command_that_fails_is_a_result() {
    let home = Home::new();
    let result = run(&home, "echo out; echo err >&2; exit 3");
    assert_eq!(result["exit_code"], 3);
    assert_eq!((&result["stdout"], &result["stderr"]), (&json!("out\n"), &json!("err\n")));
    assert!(result["duration_ms"].is_u64() && result["signal"].is_null());
    let result = run(&home, "kill -TERM $$");
    assert_eq!((&result["exit_code"], &result["signal"]), (&json!(143), &json!(15)));
    assert_eq!(run(&home, "no-such-program-anywhere")["exit_code"], 127);
    assert_eq!(run(&home, "false\ntrue\n")["exit_code"], 0, "a line may be several");
}

#[test]
fn it_runs_in_the_requested_folder() {
    let home = Home::new();
    std::fs::create_dir(home.root().join("sub")).unwrap();
    symlink("sub", home.root().join("inside")).unwrap();
    let sub = format!("{}\n", home.root().join("sub").display());
    for cwd in ["sub", "sub/", "./inside", &home.root().join("sub").to_string_lossy()] {
        let params = json!({ "command": "pwd -P", "workdir": cwd });
        assert_eq!(call(&home, params).unwrap()["stdout"], sub.as_str(), "{cwd}");
    }
    symlink("/tmp", home.root().join("out")).unwrap();
    std::fs::write(home.root().join("file"), "").unwrap();
    for (cwd, code) in [
        ("nowhere", "E_DIR_NOT_FOUND"),
        ("file", "E_DIR_NOT_FOUND"),
        ("..", "E_PATH_FORBIDDEN"),
        ("/", "E_PATH_FORBIDDEN"),
        ("out", "E_PATH_FORBIDDEN"),
        ("a\0b", "E_INVALID_PARAMS"),
    ] {
        refused(&home, json!({ "command": "touch ran", "cwd": cwd }), code);
    }
    assert!(!home.root().join("ran").exists());
}

#[test]
fn a_folder_swapped_for_a_link_does_not_escape_the_workspace() {
    let home = Home::new();
    let (root, outside) = (home.root(), home.outside().join("secret"));
    std::fs::create_dir(&outside).unwrap();
    std::fs::create_dir(root.join("dir")).unwrap();
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (root, outside, done) = (root.clone(), outside.clone(), done.clone());
        move || {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = std::fs::rename(root.join("dir"), root.join("dir.away"));
                let _ = symlink(&outside, root.join("dir"));
                let _ = std::fs::remove_file(root.join("dir"));
                let _ = std::fs::rename(root.join("dir.away"), root.join("dir"));
            }
        }
    });
    let mut ran = 0;
    for _ in 0..60 {
        if let Ok(result) = call(&home, json!({ "command": "pwd -P; touch here", "cwd": "dir" })) {
            let at = result["stdout"].as_str().unwrap().trim();
            assert!(Path::new(at).starts_with(&root), "it ran in {at}");
            ran += 1;
        }
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    println!("{ran} of 60 ran");
}

#[test]
fn without_approval_nothing_runs() {
    let home = Home::new();
    let params = json!({ "command": "touch ran" });
    let mut arguments = arguments(&home, &params);
    arguments.retain(|argument| argument != "--yes");
    let error = outcome(&home.command().args(arguments).output().unwrap()).unwrap_err();
    assert_eq!(error["code"], "E_DENIED");
    let (client, questions) = start_with_answer(&home, "Deny");
    let error = client.execute_command("tandem.run_command", json!([params])).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_DENIED");
    let question = questions.lock().unwrap()[0]["message"].as_str().unwrap().to_owned();
    assert!(question.contains("touch ran"), "{question}");
    assert!(!home.root().join("ran").exists());
}

#[test]
fn the_person_at_the_editor_approves_and_the_command_runs() {
    let home = Home::new();
    let (client, questions) = start_with_answer(&home, "Allow once");
    let params = json!([{ "command": "echo done > made; cat made" }]);
    let result = client.execute_command("tandem.run_command", params).unwrap();
    assert_eq!(result["stdout"], "done\n");
    assert_eq!(std::fs::read_to_string(home.root().join("made")).unwrap(), "done\n");
    assert_eq!(questions.lock().unwrap().len(), 1);
}

#[test]
fn writes_outside_are_refused_and_writes_inside_work() {
    let home = Home::new();
    let (root, outside) = (home.root(), home.outside());
    std::fs::write(outside.join("kept"), "kept").unwrap();
    symlink(outside.join("kept"), root.join("link")).unwrap();
    let o = outside.display();
    for line in [
        "touch $HOME/new".to_owned(),
        "touch /tmp/tandem-new-file".to_owned(),
        "echo > /dev/shm/../../tmp/tandem-new-file".to_owned(),
        format!("echo lost > {o}/kept"),
        "echo lost > link".to_owned(),
        format!("rm {o}/kept"),
        format!("mv {o}/kept stolen"),
        format!("ln -f {o}/kept hard && echo lost > hard"),
        "touch ../new".to_owned(),
        "mkdir /new /usr/new".to_owned(),
        format!("cp /dev/null {o}/new"),
        format!("chmod 777 {o}/kept"),
        format!("touch -d 2001-01-01 {o}/kept"),
    ] {
        assert_ne!(run(&home, &line)["exit_code"], 0, "{line}");
    }
    assert_eq!(std::fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert!(!outside.join("new").exists() && !Path::new("/tmp/tandem-new-file").exists());
    let line = format!(
        "set -e; echo a > a; mkdir d; mv a d/b; cat d/b; rm -r d; echo x > $TMPDIR/y; \
         cat {o}/kept; ls /usr > /dev/null; cat /etc/passwd > /dev/null"
    );
    let result = run(&home, &line);
    assert_eq!((&result["exit_code"], &result["stdout"]), (&json!(0), &json!("a\nkept")));
    assert_eq!(result["sandbox"]["filesystem"], "landlock_and_mounts", "{}", result["sandbox"]);
}

#[test]
fn guarded_paths_are_read_only() {
    let home = Home::new();
    let root = home.root();
    for folder in [".git/hooks", ".vscode", ".idea", ".tandem", "deep/er/.vscode", "UP/.GIT"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join(".git/config"), "kept").unwrap();
    std::fs::write(root.join("x.code-workspace"), "{}").unwrap();
    for line in [
        "touch .git/hooks/pre-commit",
        "echo > .git/config",
        "cd .git && touch new",
        "touch .vscode/tasks.json",
        "touch .idea/workspace.xml .tandem/config.toml",
        "touch deep/er/.vscode/tasks.json",
        "touch UP/.GIT/config",
        "echo > x.code-workspace",
        "echo y > z && mv -f z x.code-workspace",
        "rm -rf .vscode",
        "mv .git moved",
        "mkdir new && mv -T new .vscode",
        "ln -f .git/config hard && echo lost > hard",
        "chmod 777 .git/config",
    ] {
        assert_ne!(run(&home, line)["exit_code"], 0, "{line}");
    }
    // In the folder itself, and through what leads around.
    for (line, cwd) in [("touch new", ".git"), ("echo > config", ".git"), ("touch x", ".git/hooks")]
    {
        let result = call(&home, json!({ "command": line, "cwd": cwd })).unwrap();
        assert_ne!(result["exit_code"], 0, "{line} in {cwd}");
    }
    assert_ne!(run(&home, "cd /proc/1/cwd && touch .git/x")["exit_code"], 0);
    assert_eq!(std::fs::read_to_string(root.join(".git/config")).unwrap(), "kept");
    let result = run(&home, "cat .git/config");
    assert_eq!(result["stdout"], "kept", "they can be read");
    let told: Vec<_> = result["sandbox"]["read_only"].as_array().unwrap().iter().collect();
    for path in [".git", ".vscode", ".idea", ".tandem", "deep/er/.vscode", "x.code-workspace"] {
        assert!(told.contains(&&json!(path)), "{path}: {told:?}");
    }
}

#[test]
fn secrets_are_not_inherited_and_given_variables_are_set() {
    let home = Home::new();
    let params = json!({ "command": "env", "env": { "GIVEN": "a b", "PATH": "/usr/bin:/bin" } });
    let secrets = [
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "ANTHROPIC_API_KEY",
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "LD_PRELOAD_X",
        "npm_config__authToken",
    ];
    let mut command = home.command();
    command.envs(secrets.map(|name| (name, "top secret")));
    let result = outcome(&command.args(arguments(&home, &params)).output().unwrap()).unwrap();
    let seen = result["stdout"].as_str().unwrap();
    assert!(!seen.contains("top secret"), "{seen}");
    assert!(seen.contains("GIVEN=a b\n") && seen.contains("PATH=/usr/bin:/bin\n"), "{seen}");
    assert!(seen.contains("TERM=dumb\n") && seen.contains("TMPDIR=/"), "{seen}");
    assert!(seen.contains(&format!("HOME={}\n", home.outside().display())), "{seen}");
    refused(&home, json!({ "command": "env", "env": { "A=B": "" } }), "E_INVALID_PARAMS");
    // Nor is what the server itself has open, or its environment, by way of /proc.
    let result = run(&home, "ls /proc/self/fd | wc -l; cat /proc/1/environ; cat /proc/1/fd/*");
    assert_eq!(result["stdout"], "4\n", "{result}");
}

const CONNECT: &str = "import socket,sys\n\
    try: s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2); print('connected')\n\
    except OSError as e: print('refused', e)";

#[test]
fn the_network_is_available_only_on_request() {
    let home = Home::new();
    std::fs::write(home.root().join("connect.py"), CONNECT).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("python3 connect.py {}", listener.local_addr().unwrap().port());
    let result = run(&home, &line);
    assert!(result["stdout"].as_str().unwrap().starts_with("refused"), "{result}");
    assert_eq!(result["sandbox"]["network"], "namespace");
    let result = call(&home, json!({ "command": line, "network": true })).unwrap();
    assert_eq!(result["stdout"], "connected\n", "{result}");
    let result = call(&home, json!({ "command": line, "sandbox": false })).unwrap();
    assert!(result["stdout"].as_str().unwrap().starts_with("refused"), "{result}");
}

#[test]
fn daemon_sockets_are_unreachable_even_with_network_access() {
    let home = Home::new();
    let path = home.outside().join("daemon.sock");
    let _daemon = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let line = format!(
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{}')\"",
        path.display()
    );
    for network in [false, true] {
        let result = call(&home, json!({ "command": line, "network": network })).unwrap();
        assert_ne!(result["exit_code"], 0);
    }
    let result = call(&home, json!({ "command": line, "sandbox": false })).unwrap();
    assert_eq!(result["exit_code"], 0, "{result}");
}

#[test]
fn nothing_survives_its_end() {
    let home = Home::new();
    let mark = mark(1);
    for start in running_processes(&mark) {
        for sandbox in [true, false] {
            let params = json!({ "command": format!("{start}; exit 0"), "sandbox": sandbox });
            let started = Instant::now();
            assert_eq!(call(&home, params).unwrap()["exit_code"], 0, "{start}");
            assert!(started.elapsed() < Duration::from_secs(5), "{start} was waited for");
            assert!(!is_running(&mark), "{start} survived: {:?}", processes());
        }
    }
}

fn running_processes(mark: &str) -> Vec<String> {
    vec![
        format!("sleep {mark} & :"),
        format!("nohup sleep {mark} >/dev/null 2>&1 & :"),
        format!("setsid sh -c 'setsid sleep {mark} & exit' & :"),
        format!("(trap '' TERM INT HUP QUIT; sleep {mark}) & :"),
        format!("(exec 1>&- 2>&- 0<&-; trap '' TERM; (setsid sleep {mark} &) &) & :"),
        format!(
            "python3 -c 'import os,sys\nif os.fork(): sys.exit()\nos.setsid()\nif os.fork(): \
             os._exit(0)\nos.execvp(\"sleep\",[\"sleep\",\"{mark}\"])'"
        ),
    ]
}

#[test]
fn a_timeout_kills_everything_and_returns_the_output_so_far() {
    let home = Home::new();
    let mark = mark(2);
    for start in running_processes(&mark) {
        let line = format!("echo begun; {start}; trap '' TERM; while :; do sleep 1; done");
        let started = Instant::now();
        let error = refused(&home, json!({ "command": line, "timeout_ms": 200 }), "E_TIMEOUT");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        assert_eq!(error["details"]["stdout"], "begun\n", "{error}");
        assert!(!is_running(&mark), "{start} survived: {:?}", processes());
    }
    for timeout in [0, 600_001] {
        let params = json!({ "command": "true", "timeout_ms": timeout });
        refused(&home, params, "E_INVALID_PARAMS");
    }
}

#[test]
fn a_cancel_kills_it_at_once() {
    let home = Home::new();
    let mark = mark(3);
    let (client, _) = start_with_answer(&home, "Allow once");
    let line = format!("trap '' TERM; setsid sleep {mark} & sleep {mark}");
    let params = json!({ "command": "tandem.run_command", "arguments": [{ "command": line }] });
    let call = client.start_request("workspace/executeCommand", params).unwrap();
    wait_until("the command", || is_running(&mark));
    let cancelled = Instant::now();
    client.cancel(call.id).unwrap();
    let gone = wait_until("its end", || !is_running(&mark));
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    assert!(gone < Duration::from_millis(100), "{gone:?}");
    assert!(cancelled.elapsed() < Duration::from_millis(300), "{:?}", cancelled.elapsed());
}

#[test]
fn nothing_survives_the_server() {
    for signal in ["-KILL", "-TERM"] {
        let home = Home::new();
        let mark = mark(4);
        let line = format!("setsid sleep {mark} & trap '' TERM HUP; sleep {mark}");
        let mut server = home
            .command()
            .args(arguments(&home, &json!({ "command": line })))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the command", || {
            processes().iter().any(|(_, l)| l.starts_with("sleep") && l.contains(&mark))
        });
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([signal, &server.id().to_string()]).status().unwrap().success());
        server.wait().unwrap();
        let gone = wait_until("the end of all", || !is_running(&mark));
        assert!(gone < Duration::from_secs(1), "{gone:?}");
    }
}

#[test]
fn commands_end_when_their_editor_exits() {
    let home = Home::new();
    let mark = mark(5);
    let (client, _) = start_with_answer(&home, "Allow once");
    let line = format!("trap '' TERM; setsid sleep {mark} & sleep {mark}");
    let params = json!({ "command": "tandem.run_command", "arguments": [{ "command": line }] });
    let _call = client.start_request("workspace/executeCommand", params).unwrap();
    wait_until("the command", || is_running(&mark));
    drop(client);
    wait_until("the end of all", || !is_running(&mark));
}

#[test]
fn output_is_bounded_and_fast() {
    let home = Home::new();
    let started = Instant::now();
    let result = run(&home, "yes | head -c 1000000000; yes 1234567 | head -n 3000 >&2");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(result.to_string().len() < 60_000);
    let lines: Vec<_> = result["stdout"].as_str().unwrap().lines().collect();
    assert_eq!((lines.len(), &result["truncated"]), (151, &json!(true)));
    assert_eq!(lines[100], "[left out here: 999999700 bytes]");
    let lines: Vec<_> = result["stderr"].as_str().unwrap().lines().collect();
    assert_eq!((lines.len(), lines[150]), (151, "1234567"));
    let result = run(&home, "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\377\\0ok' >&2");
    assert!(result.to_string().len() < 60_000 && result["truncated"] == true);
    assert_eq!(result["stderr"], "\u{fffd}\0ok");
}

#[test]
fn standard_input_is_the_given_text_or_empty() {
    let home = Home::new();
    let result = call(&home, json!({ "command": "cat; wc -c", "stdin": "some\ntext" })).unwrap();
    assert_eq!(result["stdout"], "some\ntext0\n");
    assert_eq!(run(&home, "cat | wc -c; tty; test -e /dev/tty && : < /dev/tty")["exit_code"], 2);
    let much = "x".repeat(1 << 20);
    let result = call_on_stdin(&home, &json!({ "command": "wc -c", "stdin": much })).unwrap();
    assert_eq!(result["stdout"], "1048576\n");
    let result = call_on_stdin(&home, &json!({ "command": "true", "stdin": much })).unwrap();
    assert_eq!(result["exit_code"], 0, "who reads nothing is not waited for");
}

/// A shell starts background jobs with signals ignored, and programs inherit that.
#[test]
fn a_command_has_default_signals_even_if_the_server_ignores_some() {
    let home = Home::new();
    let tandem = home.command();
    let mut ignoring = Command::new("sh");
    ignoring.args(["-c", "trap '' INT HUP; exec \"$0\" \"$@\""]).arg(tandem.get_program());
    ignoring.args(arguments(&home, &json!({ "command": "kill -INT $$; echo ignored" })));
    for (name, value) in tandem.get_envs() {
        match value {
            Some(value) => ignoring.env(name, value),
            None => ignoring.env_remove(name),
        };
    }
    ignoring.current_dir(tandem.get_current_dir().unwrap_or(&home.root()));
    let result = outcome(&ignoring.output().unwrap()).unwrap();
    assert_eq!(result["stdout"], "", "{result}");
}

/// The parameters may be longer than a command line.
fn call_on_stdin(home: &Home, params: &Value) -> Result<Value, Value> {
    use std::io::Write;
    let mut command = home.command();
    command.args(["call", "--yes", "run_command", "-", "--workspace"]).arg(home.root());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(params.to_string().as_bytes()).unwrap();
    outcome(&child.wait_with_output().unwrap())
}

#[test]
fn impossible_commands_are_refused_before_approval() {
    let home = Home::new();
    for (line, code) in [
        ("", "E_INVALID_PARAMS"),
        (" \n ", "E_INVALID_PARAMS"),
        ("touch ran\0", "E_INVALID_PARAMS"),
    ] {
        refused(&home, json!({ "command": line }), code);
    }
    refused(&home, json!({ "command": "x", "nonsense": 1 }), "E_INVALID_PARAMS");
    let huge = format!("touch ran # {}", "x".repeat(1 << 20));
    let error = call_on_stdin(&home, &json!({ "command": huge })).unwrap_err();
    assert_eq!(error["code"], "E_TOO_LARGE");
    let long = format!("echo {}", "x".repeat(100_000));
    assert_eq!(call_on_stdin(&home, &json!({ "command": long })).unwrap()["exit_code"], 0);
    assert!(!home.root().join("ran").exists());
}

#[test]
fn a_fork_bomb_is_bounded_and_ends() {
    let home = Home::new();
    let result = run(&home, "true");
    let Some(limit) = result["sandbox"]["process_limit"].as_u64() else {
        println!("NOT TESTED: this kernel cannot count a namespace's processes (Linux 6.14)");
        return;
    };
    let started = Instant::now();
    // The shell that stays makes no process itself: it could not, and would end too early.
    let line = "b() { b | b & }; b; while :; do :; done";
    let params = json!({ "command": line, "timeout_ms": 3_000 });
    let arguments = arguments(&home, &params);
    let mut child = home.command().args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    // Processes come and go while they are listed, so their number says nothing. Their ids in the
    // namespace do: the kernel gives none above its limit.
    let mut highest = 0;
    while child.try_wait().unwrap().is_none() {
        let ids = ids_in_namespace("b() { b | b & }");
        highest = ids.into_iter().max().unwrap_or(0).max(highest);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(highest <= limit, "the highest id {highest} of {limit}");
    let error = outcome(&child.wait_with_output().unwrap()).unwrap_err();
    assert_eq!(error["code"], "E_TIMEOUT", "{error}");
    // The bomb has met the limit, whether it was seen or not.
    let stderr = error["details"]["stderr"].as_str().unwrap();
    assert!(stderr.contains("Cannot fork"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// The ids, in their own PID namespace, of the processes in one whose command line has `words`.
fn ids_in_namespace(words: &str) -> Vec<u64> {
    let id = |process: std::fs::DirEntry| {
        let line = std::fs::read(process.path().join("cmdline")).ok()?;
        let status = std::fs::read_to_string(process.path().join("status")).ok()?;
        let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
        let ids: Vec<&str> = ids.split_whitespace().collect();
        let is_inside = ids.len() > 1 && String::from_utf8_lossy(&line).contains(words);
        ids.last().filter(|_| is_inside)?.parse().ok()
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(id).collect()
}

#[test]
fn five_hundred_commands_leave_no_zombie_no_file_and_no_memory_behind() {
    let home = Home::new();
    let (client, _) = start_with_answer(&home, "Allow once");
    let pid = client.process().unwrap().id();
    let measure = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let rss: u64 = rss.trim().trim_end_matches(" kB").parse().unwrap();
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        (rss, files)
    };
    // One launcher waits for the next command.
    let zombies = || {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let children =
            tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
        let children: Vec<String> = children
            .flat_map(|c| c.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        assert!(children.len() <= 1, "{children:?}");
        let stat =
            |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        children.into_iter().filter(|pid| stat(pid).contains(") Z ")).count()
    };
    let run = |times: usize| {
        for n in 0..times {
            let line = if n % 2 == 0 { "echo x" } else { "sleep 100 & exit 1" };
            let params = json!([{ "command": line }]);
            let result = client.execute_command("tandem.run_command", params).unwrap();
            assert_eq!(result["exit_code"], n % 2);
        }
    };
    run(50);
    let (rss, files) = measure();
    run(450);
    let (rss_after, files_after) = measure();
    assert_eq!(zombies(), 0);
    assert!(files_after <= files + 2, "{files} files, then {files_after}");
    assert!(rss_after < rss + 8_000, "{rss} kB, then {rss_after} kB");
}

#[test]
fn temporary_files_go_with_it() {
    let home = Home::new();
    let result = run(&home, "mkdir -m 0 $TMPDIR/locked; echo x > $TMPDIR/x; printf $TMPDIR");
    let temporary = result["stdout"].as_str().unwrap();
    assert!(temporary.starts_with('/') && !Path::new(temporary).exists(), "{temporary}");
}

/// A file that runs with its owner's rights gives them to everybody on the machine.
#[test]
fn no_command_can_create_setuid_or_setgid_files() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let home = Home::new();
    let script = "cp /bin/true a; chmod 4755 a; cp /bin/true b; chmod u+s b; chmod 2755 b
        install -m 4755 /bin/true c; cp /bin/true d; chmod 755 d
        python3 -c 'import os; os.open(\"e\", os.O_CREAT | os.O_WRONLY, 0o4755)
os.mknod(\"f\", 0o104755)'; true";
    std::fs::write(home.root().join("make.sh"), script).unwrap();
    let call = |tool: &str, params: &Value| {
        let mut command = home.command();
        command.args(["call", "--yes", tool, &params.to_string(), "--workspace"]);
        let output = command.arg(home.root()).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let result = call("run_command", &json!({ "command": "sh make.sh" }));
    assert_eq!(result["exit_code"], 0, "{result}");
    let mode = |name: &str| std::fs::metadata(home.root().join(name)).map(|found| found.mode());
    assert_eq!(mode("d").unwrap() & 0o7777, 0o755);
    let tool = home.root().join("tool");
    std::fs::write(&tool, "x\n").unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o6777)).unwrap();
    let copied = call("copy_file", &json!({ "source": "tool", "destination": "copy" }));
    assert!(copied["code"].is_null(), "{copied}");
    let patch = json!({ "path": "tool", "old_text": "x", "new_text": "y" });
    let edited = call("edit_file", &patch);
    assert!(edited["code"].is_null(), "{edited}");
    for name in ["a", "b", "c", "e", "f", "copy", "tool"] {
        assert_eq!(mode(name).unwrap_or_default() & 0o6000, 0, "{name}");
    }
    assert_eq!(mode("copy").unwrap() & 0o002, 0);
}
