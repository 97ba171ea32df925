//! Processes that outlive their call: as an agent uses them, and what must never happen.

use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, Server};

type Questions = Arc<Mutex<Vec<String>>>;

/// A server whose person answers every request with `title`, and the requests.
fn start(title: &'static str) -> (Server, Questions) {
    let builder = Server::builder("//- /a.txt\none\n//- /server.py\n")
        .capability("window/showMessage", json!({}));
    let client = Client::spawn(builder.home().command().arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    let questions = Questions::default();
    let asked = questions.clone();
    server.answer_requests(move |request, _| match request.method.as_str() {
        "window/showMessageRequest" => {
            asked.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
            Answer::Result(json!({ "title": title }))
        }
        _ => Answer::Default,
    });
    (server, questions)
}

/// A number that only this test's processes have in their command lines.
fn mark(number: u32) -> String {
    format!("96{}{number}", std::process::id())
}

fn is_running(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    })
}

fn wait_until_gone(mark: &str) {
    let begun = Instant::now();
    while is_running(mark) {
        assert!(begun.elapsed() < RESPONSE_TIMEOUT, "a process survives");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const DEV_SERVER: &str = "import http.server, sys, time\n\
    class Handler(http.server.BaseHTTPRequestHandler):\n\
    \x20   def do_GET(self):\n\
    \x20       self.send_response(200); self.end_headers(); self.wfile.write(b'page')\n\
    time.sleep(0.2)\n\
    server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)\n\
    print('Local: http://localhost:%d/' % server.server_port, flush=True)\n\
    server.serve_forever()\n";

#[test]
fn a_dev_server_is_started_awaited_read_and_stopped() {
    let (server, questions) = start("Allow once");
    server.write("server.py", DEV_SERVER);
    let command = "python3 server.py 8080";
    let port = server.must(
        "process_start",
        json!({ "command": command, "name": "dev", "ready": { "port": 8080 }, "verbose": true }),
    );
    assert_eq!((&port["id"], &port["status"]), (&json!("p1"), &json!("running")));
    assert_eq!(port["ready"]["happened"], "port");
    assert!(port["pid"].as_u64().is_some_and(|pid| pid > 1), "{port}");
    assert_eq!(port["sandbox"]["network"], "namespace");
    // Its loopback is its own: another one may use the same port.
    let url = json!({ "url": "http://localhost:8080/", "timeout_ms": 20_000 });
    let second = server.must("process_start", json!({ "command": command, "ready": url }));
    assert_eq!(
        (&second["ready"]["happened"], &second["ready"]["http_status"]),
        (&json!("url"), &json!(200))
    );
    let pattern = json!({ "pattern": r"Local:\s+http" });
    let third = server.must(
        "process_start",
        json!({ "command": "python3", "args": ["server.py", "8080"], "ready": pattern }),
    );
    assert_eq!(third["ready"]["line"], "Local: http://localhost:8080/");
    assert_eq!(third["output"], "Local: http://localhost:8080/\n");
    let output = server.must("process_output", json!({ "id": "dev" }));
    assert_eq!(output["output"], "Local: http://localhost:8080/\n");
    let next =
        server.must("process_output", json!({ "id": "dev", "cursor": output["next_cursor"] }));
    assert_eq!((&next["output"], &next["next_cursor"]), (&json!(""), &output["next_cursor"]));
    let listed = server.must("process_list", json!({}));
    assert_eq!(listed["processes"].as_array().unwrap().len(), 3);
    assert_eq!(listed["processes"][0]["command"], command);
    assert_eq!(listed["processes"][2]["argv"], json!(["python3", "server.py", "8080"]));
    let stopped = server.must("process_stop", json!({ "id": "dev" }));
    assert_eq!((&stopped["status"], &stopped["signal"]), (&json!("exited"), &json!(15)));
    assert_eq!(server.must("process_stop", json!({ "id": "p1" }))["had_ended"], true);
    let killed = server.must("process_kill", json!({ "id": "p2" }));
    assert_eq!((&killed["status"], &killed["sent"]), (&json!("killed"), &json!("KILL")));
    let running = server.must("process_list", json!({ "running_only": true }));
    assert_eq!(running["processes"].as_array().unwrap().len(), 1);
    // Only starting it has been asked for.
    let asked = questions.lock().unwrap();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(
        asked[0].contains("process_start wants to run") && asked[0].contains(command),
        "{}",
        asked[0]
    );
}

#[test]
fn with_the_network_an_open_port_is_not_taken_for_the_programs() {
    let (server, _) = start("Allow once");
    server.write("server.py", DEV_SERVER);
    let other = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let taken = other.local_addr().unwrap().port();
    let params = |port: u16| json!({ "command": format!("python3 server.py {port}"), "network": true, "ready": { "port": port } });
    server.must_fail("process_start", params(taken), "E_CONFLICT");
    drop(other);
    let started = server.must("process_start", params(taken));
    assert_eq!(started["ready"]["happened"], "port");
    let page = std::net::TcpStream::connect(("127.0.0.1", taken));
    assert!(page.is_ok(), "it can be reached from outside");
}

#[test]
fn a_repl_on_a_terminal_is_typed_into_after_approval() {
    let (server, questions) = start("Allow once");
    let repl = json!({ "command": "python3 -q", "name": "py", "pty": true, "ready": { "pattern": "^>>> " } });
    assert_eq!(server.must("process_start", repl)["ready"]["happened"], "pattern");
    let typed = server
        .must("process_input", json!({ "id": "py", "text": "print(6 * 7)", "wait_for": "^>>> $" }));
    assert_eq!(typed["output"], "print(6 * 7)\n42\n>>> ");
    assert_eq!((&typed["waited"]["happened"], &typed["written"]), (&json!("pattern"), &json!(13)));
    let asked = questions.lock().unwrap().last().unwrap().clone();
    assert!(
        asked.contains("input of process p1: python3 -q") && asked.contains("| print(6 * 7)"),
        "{asked}"
    );
    let before = questions.lock().unwrap().len();
    // Short naps: Python misses a signal that comes just before a sleep, until the sleep ends.
    let naps = "import time; print('zz'); [time.sleep(0.05) for _ in iter(int, 1)]";
    let sleep = json!({ "id": "py", "text": naps, "wait_for": "^zz" });
    server.must("process_input", sleep);
    let interrupted = server.must(
        "process_input",
        json!({ "id": "py", "keys": ["ctrl-c"], "wait_for": "KeyboardInterrupt" }),
    );
    assert_eq!(interrupted["waited"]["happened"], "pattern");
    server.must("process_input", json!({ "id": "py", "rows": 40, "columns": 120 }));
    server.must("process_input", json!({ "id": "py", "eof": true, "wait_for": "never" }));
    assert_eq!(server.must("process_output", json!({ "id": "py" }))["status"], "exited");
    assert_eq!(questions.lock().unwrap().len(), before + 1, "only text is asked for");
    server.must_fail("process_input", json!({ "id": "py", "keys": ["ctrl-c"] }), "E_UNAVAILABLE");
}

#[test]
fn refused_starts_and_input_have_no_effect() {
    let (server, _) = start("Deny");
    server.must_fail("process_start", json!({ "command": "touch ran" }), "E_DENIED");
    assert!(!server.path("ran").exists());
    assert_eq!(server.must("process_list", json!({}))["processes"], json!([]));
    // Where nobody can be asked.
    let home = Home::new();
    let call = |arguments: &[&str]| {
        let mut command = home.command();
        command
            .args(["call"])
            .args(arguments)
            .arg("--workspace")
            .arg(home.root())
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let mark = mark(1);
    let sleep = json!({ "command": format!("sleep 1{mark}") }).to_string();
    assert_eq!(call(&["process_start", &sleep])["code"], "E_DENIED");
    // With approval it runs, until its server ends, which is the call.
    assert_eq!(call(&["--yes", "process_start", &sleep])["status"], "running");
    wait_until_gone(&mark);
}

#[test]
fn the_sandbox_is_that_of_commands() {
    let (server, _) = start("Allow once");
    std::fs::create_dir(server.path(".git")).unwrap();
    let outside = server.outside().join("made");
    let line = format!(
        "touch inside; touch {0} 2>/dev/null; touch .git/x 2>/dev/null; echo done; sleep 1000",
        outside.display()
    );
    server.must("process_start", json!({ "command": line, "ready": { "pattern": "done" } }));
    assert!(server.path("inside").exists() && !outside.exists());
    assert!(!server.path(".git/x").exists());
    symlink("/tmp", server.path("out")).unwrap();
    server.must_fail(
        "process_start",
        json!({ "command": "true", "cwd": "out" }),
        "E_PATH_FORBIDDEN",
    );
    server.must_fail(
        "process_start",
        json!({ "command": "true", "cwd": ".." }),
        "E_PATH_FORBIDDEN",
    );
    server.must_fail(
        "process_start",
        json!({ "command": "true", "cwd": "none" }),
        "E_DIR_NOT_FOUND",
    );
}

#[test]
fn guarded_files_of_a_running_process_are_removed_unless_approved() {
    let home = Home::new();
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    // The person allows the program, but not what it creates.
    client.on_request(|request, _| match request.method.as_str() {
        "window/showMessageRequest" => {
            let is_start = request.params["message"].as_str().unwrap().contains("wants to run");
            Answer::Result(json!({ "title": if is_start { "Allow once" } else { "Deny" } }))
        }
        _ => Answer::Default,
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    let tool = |name: &str, arguments: Value| {
        let params = json!({ "command": format!("tandem.{name}"), "arguments": [arguments] });
        client.request("workspace/executeCommand", params).unwrap()
    };
    let line = "mkdir .vscode; echo '{}' > .vscode/tasks.json; echo made; sleep 1000";
    tool("process_start", json!({ "command": line, "ready": { "pattern": "made" } }));
    let output = tool("process_output", json!({ "id": "p1" }));
    assert_eq!(output["status"], "running");
    assert_eq!(output["created_guarded"][0]["kept"], false, "{output}");
    assert!(!home.root().join(".vscode").exists());
    assert!(tool("process_output", json!({ "id": "p1" }))["created_guarded"].is_null());
}

#[test]
fn characters_are_whole_in_every_piece() {
    let (server, _) = start("Allow once");
    let line = r"printf 'a\303'; sleep 0.4; printf '\251\360\237'; sleep 0.4; printf '\230\200\377|'; sleep 0.2; printf '\303'";
    let started = server.must("process_start", json!({ "command": line }));
    let (mut cursor, mut whole) = (json!("0"), String::new());
    loop {
        let piece = server.must(
            "process_output",
            json!({ "id": started["id"], "cursor": cursor, "wait_ms": 50 }),
        );
        whole.push_str(piece["output"].as_str().unwrap());
        cursor = piece["next_cursor"].clone();
        if piece["status"] != "running" && piece["more"].is_null() && piece["output"] == "" {
            break;
        }
    }
    assert_eq!(whole, "aé😀\u{fffd}|\u{fffd}");
}

#[test]
fn invalid_parameters_are_refused() {
    let (server, questions) = start("Allow once");
    for params in [
        json!({ "command": "" }),
        json!({ "command": "a\0b" }),
        json!({ "command": "true", "args": ["\0"] }),
        json!({ "command": "true", "rows": 0 }),
        json!({ "command": "true", "columns": 5000 }),
        json!({ "command": "true", "env": { "A=B": "x" } }),
        json!({ "command": "true", "ready": {} }),
        json!({ "command": "true", "ready": { "pattern": "(" } }),
        json!({ "command": "true", "ready": { "port": 0 } }),
        json!({ "command": "true", "ready": { "url": "http://example.org/" } }),
        json!({ "command": "true", "ready": { "port": 1, "timeout_ms": 600_001 } }),
        json!({ "command": "true", "limits": { "memory_mb": 1 } }),
        json!({ "command": "true", "limits": { "cpu_seconds": 0 } }),
        json!({ "command": "true", "limits": { "cpu_percent": 0 } }),
        json!({ "command": "true", "limits": { "discs": 1 } }),
    ] {
        server.must_fail("process_start", params, "E_INVALID_PARAMS");
    }
    let name = |name: &str| json!({ "command": "sleep 1000", "name": name });
    for bad in ["a\nb", "\u{1b}[2J", "", "p3"] {
        let error = server.must_fail("process_start", name(bad), "E_INVALID_PARAMS");
        assert!(!error.message.chars().any(char::is_control), "{}", error.message);
    }
    let value = json!({ "command": "true", "env": { "A": "x\0y" } });
    let error = server.must_fail("process_start", value, "E_INVALID_PARAMS");
    assert!(error.message.contains("the value of `A` contains a NUL"), "{}", error.message);
    assert!(questions.lock().unwrap().is_empty(), "nothing is asked for what cannot run");
    let started = server.must("process_start", name("one"));
    server.must_fail("process_start", name("one"), "E_EXISTS");
    let id = &started["id"];
    for (tool, params, code) in [
        ("process_output", json!({ "id": "none" }), "E_NO_MATCH"),
        ("process_stop", json!({ "id": "none" }), "E_NO_MATCH"),
        ("process_output", json!({ "id": id, "cursor": "x" }), "E_INVALID_PARAMS"),
        ("process_output", json!({ "id": id, "tail_lines": 0 }), "E_INVALID_PARAMS"),
        ("process_output", json!({ "id": id, "wait_for": "[" }), "E_INVALID_PARAMS"),
        ("process_input", json!({ "id": id }), "E_INVALID_PARAMS"),
        ("process_input", json!({ "id": id, "keys": ["ctrl-c"] }), "E_UNSUPPORTED"),
        ("process_input", json!({ "id": id, "keys": ["f99"] }), "E_INVALID_PARAMS"),
        ("process_input", json!({ "id": id, "rows": 10, "columns": 10 }), "E_UNSUPPORTED"),
        ("process_kill", json!({ "id": id, "signal": "FOO" }), "E_INVALID_PARAMS"),
        ("process_stop", json!({ "id": id, "grace_ms": 60_001 }), "E_INVALID_PARAMS"),
        ("list_processes", json!({ "max_results": 0 }), "E_INVALID_PARAMS"),
    ] {
        server.must_fail(tool, params, code);
    }
    assert_eq!(server.must("process_output", json!({ "id": id, "cursor": 99 }))["output"], "");
}

#[test]
fn requested_limits_are_reported_and_in_force() {
    let (server, _) = start("Allow once");
    let limits = json!({ "memory_mb": 64, "cpu_seconds": 20 });
    let line = "python3 -c 'bytearray(200 << 20)'";
    let params =
        json!({ "command": line, "limits": limits, "ready": { "pattern": "MemoryError" } });
    let limited = server.must("process_start", params);
    assert_eq!(limited["ready"]["happened"], "pattern", "{limited}");
    let limits = limited["limits"].as_array().unwrap();
    for (name, by) in [("cpu_seconds", "rlimit"), ("memory_mb", "rlimit")] {
        assert!(limits.iter().any(|one| one["limit"] == name && one["by"] == by), "{limited}");
    }
}

/// Where there is a control group the share is in force, and elsewhere nothing runs.
#[test]
fn a_share_of_the_processor_is_in_force_or_unavailable() {
    let (server, _) = start("Allow once");
    let params = json!({ "command": "sleep 60", "limits": { "cpu_percent": 20, "processes": 8 } });
    match server.tool("process_start", params) {
        Ok(started) => {
            let expected = json!({
                "limit": "cpu_percent", "value": 20, "by": "cgroup", "per_process": false
            });
            assert!(started["limits"].as_array().unwrap().contains(&expected), "{started}");
        }
        Err(error) => {
            assert_eq!(error.code, "E_UNAVAILABLE", "{}", error.data);
            let listed = server.must("process_list", json!({}));
            assert!(
                listed["processes"].as_array().unwrap().iter().all(|p| p["status"] != "running"),
                "{listed}"
            );
        }
    }
}

#[test]
fn a_flood_is_read_to_its_end_in_flat_memory() {
    let (server, _) = start("Allow once");
    let line = "yes 0123456789 | head -c 299999997; echo end";
    let started = server.must("process_start", json!({ "command": line }));
    let (mut cursor, mut read, mut dropped) = (0, 0, 0);
    loop {
        let piece = server.must("process_output", json!({ "id": started["id"], "cursor": cursor }));
        let next: u64 = piece["next_cursor"].as_str().unwrap().parse().unwrap();
        read += piece["output"].as_str().unwrap().len() as u64;
        dropped += piece["dropped"].as_u64().unwrap_or(0);
        cursor = next;
        if piece["output"] == "" && piece["status"] != "running" {
            break;
        }
    }
    assert_eq!(read + dropped, 300_000_001);
    let last = server.must("process_output", json!({ "id": started["id"], "tail_lines": 2 }));
    assert_eq!(last["output"], "0123456789\nend\n");
    assert_eq!(
        last["skipped"].as_u64().unwrap() + last["dropped"].as_u64().unwrap(),
        300_000_001 - 15
    );
}

#[test]
fn nothing_survives_the_server() {
    let mark = mark(2);
    let line = format!("trap '' TERM HUP INT; setsid sleep 1{mark} & sleep 2{mark}; sleep 3{mark}");
    let start_in = |home: &Home| {
        let client = Client::spawn(home.command().arg("lsp")).unwrap();
        client.on_request(|_, _| Answer::Result(json!({ "title": "Allow once" })));
        client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
        for pty in [false, true] {
            let params = json!({ "command": line, "pty": pty });
            let params = json!({ "command": "tandem.process_start", "arguments": [params] });
            let started = client.request("workspace/executeCommand", params).unwrap();
            assert_eq!(started["status"], "running");
        }
        client
    };
    for is_killed in [true, false] {
        let home = Home::new();
        let client = start_in(&home);
        assert!(is_running(&mark));
        if is_killed {
            client.process().unwrap().kill();
        } else {
            drop(client);
        }
        wait_until_gone(&mark);
    }

    let (server, _) = start("Allow once");
    server.must("process_start", json!({ "command": line }));
    server.quit();
    wait_until_gone(&mark);
}

#[test]
fn other_processes_are_listed_and_killed_by_name_only_after_approval() {
    let mark = mark(3);
    let mut sleep = std::process::Command::new("sleep").arg(format!("1{mark}")).spawn().unwrap();
    let pid = sleep.id();
    let (server, questions) = start("Deny");
    let listed = server.must("list_processes", json!({ "filter": mark }));
    assert_eq!((&listed["total"], &listed["processes"][0]["pid"]), (&json!(1), &json!(pid)));
    assert_eq!(listed["processes"][0]["command"], format!("sleep 1{mark}"));
    assert_eq!(listed["processes"][0]["ppid"], std::process::id());
    server.must_fail("kill_process", json!({ "pid": pid }), "E_DENIED");
    let asked = questions.lock().unwrap().last().unwrap().clone();
    assert!(asked.contains(&format!("process {pid}, signal TERM: sleep 1{mark}")), "{asked}");
    assert!(sleep.try_wait().unwrap().is_none());
    server.must_fail("kill_process", json!({ "pid": 1 }), "E_PERMISSION");
    server.must_fail("kill_process", json!({ "pid": 4_000_000 }), "E_NO_MATCH");
    drop(server);

    let (server, _) = start("Allow once");
    let killed = server.must("kill_process", json!({ "pid": pid, "signal": 9 }));
    assert_eq!((&killed["success"], &killed["sent"]), (&json!(true), &json!("KILL")));
    assert!(!sleep.wait().unwrap().success());
    // One of ours needs no approval.
    let (server, questions) = start("Allow once");
    let ours = server.must("process_start", json!({ "command": "sleep 1000" }));
    let before = questions.lock().unwrap().len();
    server.must("kill_process", json!({ "pid": ours["pid"], "signal": "KILL" }));
    assert_eq!(questions.lock().unwrap().len(), before);
}
