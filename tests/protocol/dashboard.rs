//! The dashboard: the page in a real Chromium, who is refused, and the command.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use client::Answer;
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, Server, component, define_shell_agent, skip, wait_for};

use crate::network::Session;

/// A dashboard that listens.
struct Dashboard {
    address: String,
    token: String,
}

impl Dashboard {
    /// By the command, in the server that runs for the folder of `server`.
    fn start(server: &Server) -> Self {
        let mut command = server.command();
        let output =
            command.args(["dashboard", "--workspace"]).arg(server.root()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        Self::at(String::from_utf8(output.stdout).unwrap().trim())
    }

    fn at(url: &str) -> Self {
        let (address, token) = url.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        Self { address: address.to_owned(), token: token.to_owned() }
    }

    fn url(&self) -> String {
        format!("http://{}/#{}", self.address, self.token)
    }

    /// The status and body of a request with these header lines, and more.
    fn request(&self, start: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{start} HTTP/1.1\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        // One that is refused may not be read to its end.
        let _ = stream.write_all(request.as_bytes());
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        let response = String::from_utf8_lossy(&response).into_owned();
        let status = response.split(' ').nth(1).unwrap_or_else(|| panic!("{start}: {response}"));
        (status.parse().unwrap(), response)
    }

    /// The answer to a call of the page.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let body = json!({ "tool": tool, "arguments": arguments }).to_string();
        let host = format!("host: {}", self.address);
        let bearer = format!("authorization: Bearer {}", self.token);
        let headers = [&*host, &*bearer, "content-type: application/json"];
        let (status, response) = self.request("POST /api/call", &headers, &body);
        assert_eq!(status, 200, "{response}");
        serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

/// A server whose client cannot be asked.
fn start() -> Server {
    Server::builder("//- /a.txt\none\n")
        .prepare(|root| define_shell_agent(root.parent().unwrap(), "a", ""))
        .start()
}

/// A browser on the page, in a server of its own.
struct Page(Session);

impl Page {
    fn open(test: &str, dashboard: &Dashboard) -> Option<Self> {
        if component("chromium").is_none() {
            skip(test, "chromium");
            return None;
        }
        let session = Session::on_loopback();
        let opened = session.call("navigate", json!({ "url": dashboard.url() }));
        assert_eq!(opened.unwrap()["status"], 200);
        Some(Self(session))
    }

    fn evaluate(&self, expression: &str) -> Value {
        let result = self.0.call("browser_evaluate", json!({ "expression": expression })).unwrap();
        assert!(result.get("error").is_none(), "{result}");
        result["value"].clone()
    }

    fn text(&self) -> String {
        self.evaluate("document.body.innerText").as_str().unwrap().to_owned()
    }

    fn wait_for_text(&self, text: &str) {
        let waited = self.0.call("browser_wait", json!({ "text": text, "timeout_ms": 20_000 }));
        waited.unwrap_or_else(|error| panic!("{text}: {error:?}: {}", self.text()));
    }

    fn click(&self, selector: &str) {
        let clicked = self.0.call("click", json!({ "selector": selector }));
        clicked.unwrap_or_else(|error| panic!("{selector}: {error:?}: {}", self.text()));
    }

    fn tab(&self, name: &str) {
        self.click(&format!("role=tab[name=\"{name}\"]"));
    }
}

#[test]
fn calls_appear_and_are_undone() {
    let server = start();
    let dashboard = Dashboard::start(&server);
    let Some(page) = Page::open("calls_appear_and_are_undone", &dashboard) else { return };
    page.wait_for_text("live");
    assert_eq!(
        page.evaluate("location.hash + sessionStorage.length"),
        "1",
        "the token is out of the bar"
    );
    // Names that a page would run are text.
    let name = "<img src=x onerror=document.title=1>.txt";
    server.must("write_file", json!({ "path": name, "content": "new\n" }));
    page.wait_for_text("onerror=document.title=1");
    server.must("apply_edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "two" }));
    page.wait_for_text("apply_edit a.txt");
    assert_eq!(page.evaluate("document.images.length"), 0);
    page.tab("History");
    page.wait_for_text("Undo…");
    // The newest is the first.
    page.click(".rows > li:first-child .side button");
    page.wait_for_text("Undoing it would change:");
    assert!(page.text().contains("+one"), "{}", page.text());
    assert_eq!(server.disk_text("a.txt"), "two\n", "it is only shown");
    page.click("text=Undo it");
    wait_for("the undo", || (server.disk_text("a.txt") == "one\n").then_some(()));
    page.tab("Calls");
    page.wait_for_text("undo_action");
    // What the page itself reads is not shown.
    assert!(!page.text().contains("get_action_history"), "{}", page.text());
    page.tab("Figures");
    page.wait_for_text("Memory of the server");
    page.tab("Processes");
    page.wait_for_text("No processes.");
    page.tab("Checks");
    page.wait_for_text("Nothing has been built or tested.");
}

#[test]
fn approvals_are_answered_on_the_page() {
    let server = start();
    let dashboard = Dashboard::start(&server);
    let Some(page) = Page::open("approvals_are_answered", &dashboard) else { return };
    page.wait_for_text("live");
    let command = json!({ "command": "echo '<b>made</b>' > made.txt" });
    let pending = server.start_tool("run_command", command.clone());
    page.wait_for_text("Waiting for you");
    assert!(page.text().contains("| echo '<b>made</b>' > made.txt"), "{}", page.text());
    // Others write meanwhile.
    server.must("write_file", json!({ "path": "other.txt", "content": "x\n" }));
    page.click("text=Deny");
    let error = pending.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert!(error.to_string().contains("E_DENIED"), "{error}");
    wait_for("the end of the question", || {
        (!page.text().contains("Waiting for you")).then_some(())
    });
    let pending = server.start_tool("run_command", command);
    page.wait_for_text("Waiting for you");
    page.click("text=Allow once");
    let done = pending.wait(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(done["exit_code"], 0, "{done}");
    assert_eq!(server.disk_text("made.txt"), "<b>made</b>\n");
}

#[test]
fn an_agent_is_talked_with_on_the_page() {
    let server = start();
    let dashboard = Dashboard::start(&server);
    let Some(page) = Page::open("an_agent_is_talked_with", &dashboard) else { return };
    page.tab("Sessions");
    page.wait_for_text("No sessions.");
    let fill = |selector: &str, value: &str| {
        page.0.call("fill", json!({ "selector": selector, "value": value })).unwrap();
    };
    fill("form input", "Work");
    page.click("text=Create");
    page.wait_for_text("s1 · a");
    fill("textarea", "Do it");
    page.click("text=Send");
    // The page is asked, too: what the agent does, nobody else decides on.
    page.wait_for_text("session_send wants to run:");
    page.click("text=Allow once");
    page.wait_for_text("It is done.");
    let history = server.must("session_history", json!({ "session": "s1" }));
    assert_eq!(history["messages"][0]["content"], "Do it");
}

#[test]
fn an_answer_on_the_page_takes_the_editors_question_back() {
    let server =
        Server::builder("//- /a.txt\none\n").capability("window/showMessage", json!({})).start();
    let dashboard = Dashboard::start(&server);
    let (asked, is_asked) = std::sync::mpsc::channel();
    server.answer_requests(move |request, _| {
        if request.method == "window/showMessageRequest" {
            asked.send(()).unwrap();
            // The person does not answer here.
            return Answer::Handled;
        }
        Answer::Default
    });
    let pending = server.start_tool("run_command", json!({ "command": "true" }));
    is_asked.recv_timeout(RESPONSE_TIMEOUT).unwrap();
    let waiting = server.must("get_pending_verifications", json!({}));
    let id = waiting["pending"][0]["id"].as_str().unwrap();
    let host = format!("host: {}", dashboard.address);
    let bearer = format!("authorization: Bearer {}", dashboard.token);
    let headers = [&*host, &*bearer, "content-type: application/json"];
    let answer = |decision: &str| {
        let body = json!({ "id": id, "decision": decision }).to_string();
        dashboard.request("POST /api/approval", &headers, &body)
    };
    assert_eq!(answer("perhaps").0, 400);
    assert!(answer("once").1.contains("\"taken\":true"));
    assert_eq!(pending.wait(RESPONSE_TIMEOUT).unwrap()["exit_code"], 0);
    server.wait_for_notification("$/cancelRequest", RESPONSE_TIMEOUT, |_| true).unwrap();
    assert!(answer("once").1.contains("\"taken\":false"), "it waits no more");
}

#[test]
fn only_the_page_with_the_token_is_served() {
    let server = start();
    let dashboard = Dashboard::start(&server);
    let host = format!("host: {}", dashboard.address);
    let origin = format!("origin: http://{}", dashboard.address);
    let bearer = format!("authorization: Bearer {}", dashboard.token);
    let json = "content-type: application/json";
    let call = r#"{"tool":"session_list","arguments":{}}"#;
    // The page has no secrets, and may be framed by nobody.
    let (status, page) = dashboard.request("GET /", &[&host], "");
    assert_eq!(status, 200);
    for header in
        ["content-security-policy: default-src 'none'", "frame-ancestors 'none'", "nosniff"]
    {
        assert!(page.contains(header), "{header}: {page}");
    }
    assert!(!page.contains(&dashboard.token));
    let status =
        |start: &str, headers: &[&str], body: &str| dashboard.request(start, headers, body).0;
    assert_eq!(status("POST /api/call", &[&host, &origin, &bearer, json], call), 200);
    let wrong = format!("authorization: Bearer {}", "0".repeat(64));
    for (start, headers, expected) in [
        ("GET /", vec!["host: example.com"], 403),
        ("GET /", vec!["host: 127.0.0.1.example.com"], 403),
        ("GET /", vec![&*host, "origin: http://example.com"], 403),
        ("GET /app.js", vec!["host: example.com"], 403),
        ("GET /../app.js", vec![&*host], 404),
        ("GET /app.js/..", vec![&*host], 404),
        ("POST /", vec![&*host], 405),
        ("GET /api/events", vec![&*host], 401),
        ("GET /api/events", vec![&*host, &wrong], 401),
        ("GET /api/events?token=x", vec![&*host], 401),
        ("POST /api/call", vec![&*host, json], 401),
        ("POST /api/call", vec![&*host, &bearer], 415),
        ("POST /api/call", vec![&*host, &bearer, "content-type: text/plain"], 415),
        ("POST /api/call", vec![&*host, "origin: http://localhost:1", &bearer, json], 403),
        ("POST /api/call", vec!["host: example.com", &bearer, json], 403),
        ("GET /api/call", vec![&*host, &bearer, json], 405),
        ("POST /api/approval", vec![&*host, json], 401),
        ("GET /api/secrets", vec![&*host, &bearer], 404),
    ] {
        assert_eq!(status(start, &headers, call), expected, "{start} {headers:?}");
    }
    let headers = [&*host, &*bearer, json];
    assert_eq!(status("POST /api/call", &headers, "{"), 400);
    assert_eq!(status("POST /api/call", &headers, &"x".repeat(300_000)), 413);
    assert_eq!(status("POST /api/approval", &headers, r#"{"id":"x","decision":"once"}"#), 400);
    assert_eq!(status("POST /api/approval", &headers, r#"{"id":1,"decision":"once"}"#), 400);
    // Pages call what they need, and nothing else.
    for tool in ["run_command", "write_file", "read_file", "dashboard_start", "call_tool", ""] {
        let answer = dashboard.call(tool, json!({ "path": "a.txt", "name": "undo_action" }));
        assert_eq!(answer["error"]["code"], "E_TOOL_NOT_FOUND", "{tool}: {answer}");
    }
    server.must_fail("dashboard_start", json!({ "addr": "0.0.0.0:0" }), "E_INVALID_PARAMS");
}

#[test]
fn an_agent_may_not_start_it_by_itself() {
    let server = start();
    server.must_fail("dashboard_start", json!({}), "E_DENIED");
    // Once the person has started it, its address is no secret; its token is.
    let dashboard = Dashboard::start(&server);
    let started = server.must("dashboard_start", json!({}));
    assert_eq!(started["addr"], dashboard.address);
    assert!(!started.to_string().contains(&dashboard.token));
    server.must_fail("read_file", json!({ "path": started["token_file"] }), "E_PATH_FORBIDDEN");
}

/// A process that is killed at the end.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn without_a_server_the_command_is_one_that_agents_join() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "one\n").unwrap();
    let mut command = home.command();
    command.args(["dashboard", "--workspace"]).arg(home.root());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut child = KillOnDrop(child);
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let dashboard = Dashboard::at(line.trim());
    let call = |tool: &str, arguments: Value| {
        let mut command = home.command();
        command.args(["call", tool, &arguments.to_string(), "--workspace"]).arg(home.root());
        assert!(command.output().unwrap().status.success());
    };
    call("apply_edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "two" }));
    let history = dashboard.call("get_action_history", json!({}));
    let action = history["result"]["actions"][0]["id"].clone();
    let undone = dashboard.call("undo_action", json!({ "action": action }));
    assert_eq!(undone["result"]["changed"], true, "{undone}");
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "one\n");
    // It ends at once, and lets go of its port.
    let id = child.0.id();
    std::process::Command::new("kill").arg(id.to_string()).status().unwrap();
    let ended = wait_for("its end", || child.0.try_wait().unwrap());
    assert!(ended.success(), "{ended}");
    let refused = || TcpStream::connect(&dashboard.address).is_err().then_some(());
    wait_for("the end of its port", refused);
}

#[test]
fn a_page_that_does_not_read_delays_nobody() {
    let server = start();
    let dashboard = Dashboard::start(&server);
    let mut slow = TcpStream::connect(&dashboard.address).unwrap();
    let (host, token) = (&dashboard.address, &dashboard.token);
    write!(
        slow,
        "GET /api/events HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    slow.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
    let mut lines = BufReader::new(slow).lines();
    // With the head of the answer the page has begun to listen; what ended before is in one line.
    while !lines.next().unwrap().unwrap().is_empty() {}
    let begun = std::time::Instant::now();
    for _ in 0..300 {
        server.must("file_exists", json!({ "path": "a.txt" }));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // It gets all of them once it reads.
    let mut ended = 0;
    while ended < 300 {
        let line = lines.next().unwrap().unwrap();
        ended += usize::from(line.contains("\"file_exists\"") && line.contains("\"done\""));
        assert!(begun.elapsed() < Duration::from_secs(60), "{ended} of 300");
    }
}

#[test]
fn the_page_is_built_from_its_sources() {
    let (Some(node), Some(vite)) = (component("node"), component("page-tools")) else {
        skip("the_page_is_built_from_its_sources", "page-tools");
        return;
    };
    let page = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../server/dashboard/page"));
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str, from: &Path| std::fs::copy(from, folder.path().join(name)).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    for entry in std::fs::read_dir(page.join("src")).unwrap().flatten() {
        copy(&format!("src/{}", entry.file_name().to_str().unwrap()), &entry.path());
    }
    for name in ["index.html", "package.json", "tsconfig.json", "vite.config.js"] {
        copy(name, &page.join(name));
    }
    let modules = vite.ancestors().nth(3).unwrap();
    std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
    let run = |script: &Path, arguments: &[&str]| {
        let mut command = std::process::Command::new(&node);
        let output = command.arg(script).args(arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run(&modules.join("typescript/bin/tsc"), &["--noEmit"]);
    run(&vite, &["build"]);
    for name in ["index.html", "app.js", "app.css"] {
        let built = std::fs::read(folder.path().join("dist").join(name)).unwrap();
        let committed = std::fs::read(page.join("dist").join(name)).unwrap();
        assert!(
            built == committed,
            "{name}: run `npm ci && npm run build` in server/dashboard/page"
        );
    }
}
