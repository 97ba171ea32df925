//! Every example of every tool of the built-in dialects that works.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{
    ContainerDaemon, Desktop, KubeServer, Server, component, define_shell_agent, skip, user_config,
    wait_for,
};

use crate::browser::ListeningBrowser;
use crate::dialects::{call, tools};
use crate::git::{git, repository};
use crate::models::model_server::ModelServer;
use crate::network::dns_server::DnsServer;
use crate::network::http_server::HttpServer;

const DIALECTS: [&str; 11] = [
    "blade",
    "zap",
    "arawn",
    "go-ai",
    "ai-orchestrator",
    "claude-code",
    "codex",
    "cursor",
    "vscode-agent",
    "serena",
    "filesystem",
];

/// What the examples of the references name.
fn fixture() -> String {
    let filler = "// A line that is long enough for a column.\n".repeat(120);
    format!(
        r#"
//- /Cargo.toml
[package]
name = "fixture"
version = "0.1.0"
edition = "2021"
//- /src/main.rs
fn main() {{
    old_function();
    old();
}}

fn old_function() {{}}

fn old() {{}}
{filler}
//- /src/lib.rs
pub struct Config {{
    pub size: u32,
}}

pub fn foo() -> u32 {{
    let x = 5;
    let a = 1;
    foo_bar(x + a)
}}

pub fn foo_bar(size: u32) -> u32 {{
    Config {{ size }}.size
}}
{filler}
//- /src/old_name.rs
//- /src/App.tsx
export const App = 1;
//- /src/deep/unit_test.rs
fn unit() {{}}
//- /src/repeated.txt
same
same
same
//- /temp/old_file.txt
old
//- /.tandem/runbooks/release.md
# Release

Cut a release.
//- /.tandem/workflows/deploy.toml
[inputs.environment]
choices = ["staging", "production"]
required = true
[[steps]]
id = "record"
tool = "write_file"
arguments = {{ path = "deployed.txt", content = {{ jq = '$environment' }} }}
//- /.tandem/agents/researcher.md
---
name: researcher
description: Finds papers
---
//- /deploy.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  color: blue
//- /infra/main.tf
variable "size" {{
  default = 1
}}
resource "terraform_data" "server" {{
  input = var.size
}}
//- /templates/base.html
<p>base</p>
//- /requirements.txt
Django==3.2.1
//- /app.py
total = 0
for number in range(3):
    total = total + number
print(total)
"#
    )
}

/// A repository with a staged, an unstaged and an untracked file, and another branch.
fn prepare(root: &Path) {
    let write = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
    std::fs::create_dir(root.join("empty")).unwrap();
    write(".gitignore", "/target\n");
    repository(root);
    git(root, &["branch", "other"]);
    write("staged.txt", "staged\n");
    git(root, &["add", "staged.txt"]);
    let main = std::fs::read_to_string(root.join("src/main.rs")).unwrap();
    write("src/main.rs", &format!("{main}// changed\n"));
    write("untracked.txt", "untracked\n");
    let database = rusqlite::Connection::open(root.join("app.db")).unwrap();
    let users = "CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ann')";
    database.execute_batch(users).unwrap();
}

/// What the examples of containers name: Dockerfiles, and an image if `tool` runs one.
fn prepare_containers(server: &Server, daemon: &ContainerDaemon, dialect: &str, tool: &str) {
    let text = "FROM scratch\nCOPY busybox /bin/\nRUN [\"/bin/busybox\", \"--install\", \"-s\", \"/bin\"]\nCMD [\"true\"]\n";
    server.write("Dockerfile", text);
    // With its mode: it is run in the image.
    std::fs::copy(&daemon.busybox, server.path("busybox")).unwrap();
    server.write(".dockerignore", ".git\n");
    std::fs::create_dir(server.path("image")).unwrap();
    server.write("image/app.Dockerfile", "FROM scratch\nARG VERSION\nENV VERSION=$VERSION\n");
    if tool == "docker_run" {
        let build = json!({ "context": ".", "tag": "app:latest" });
        call(server, dialect, "docker_build", &build).unwrap();
    }
}

/// A server with an editor that shows documents and a person who approves everything.
fn start(
    names: &DnsServer,
    web: &HttpServer,
    models: &ModelServer,
    desktop: Option<&Desktop>,
    containers: Option<&ContainerDaemon>,
) -> Server {
    let builder = Server::builder(&fixture())
        .capability("window/showDocument", json!({ "support": true }))
        .capability("window/showMessage", json!({}))
        .prepare(prepare);
    let search = format!("[network.search]\nprovider = \"searxng\"\nurl = \"{}\"\n", web.url("/"));
    let models = models.settings();
    let advisories = builder.home().outside().join("osv");
    std::fs::create_dir(&advisories).unwrap();
    std::fs::write(advisories.join("1.json"), r#"{"id": "X-1"}"#).unwrap();
    let advisories = format!("[vulnerabilities]\nadvisories = [\"{}\"]\n", advisories.display());
    let dns = format!("[network]\ndns = [\"{}\"]\n", names.address);
    let settings = format!("{dns}{search}{advisories}{models}");
    user_config(builder.home(), &settings);
    let kubeconfig = builder.home().outside().join(".kube/config");
    std::fs::create_dir(kubeconfig.parent().unwrap()).unwrap();
    std::fs::write(kubeconfig, KubeServer::start().kubeconfig()).unwrap();
    // Before all others in the list of installed agents.
    define_shell_agent(&builder.home().outside(), "a", "");
    let mut command = builder.home().command();
    command.envs(component("debugpy").map(|program| ("TANDEM_DEBUGPY", program)));
    // The home of the tests has no toolchain.
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let default = std::env::home_dir().map(|home| home.join(folder).into_os_string());
        command.envs(std::env::var_os(name).or(default).map(|value| (name, value)));
    }
    command.envs(containers.map(|daemon| ("DOCKER_HOST", daemon.host())));
    if let Some(desktop) = desktop {
        command.env("DISPLAY", &desktop.display);
        let tesseract = Desktop::tesseract(&builder.home().outside());
        command.envs(tesseract.map(|program| ("TANDEM_TESSERACT", program)));
    }
    let client = Client::spawn(command.arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    server.answer_requests(|request, _| match request.method.as_str() {
        "window/showDocument" => Answer::Result(json!({ "success": true })),
        "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
        _ => Answer::Default,
    });
    server
}

/// Brings about what an example takes for granted.
fn set_up(server: &Server, dialect: &str, tool: &str) {
    let must = |tool: &str, arguments: Value| {
        call(server, dialect, tool, &arguments).unwrap_or_else(|error| panic!("{tool}: {error}"))
    };
    match tool {
        "get_action_history" | "rollback_action" | "get_audit_log" | "ide_dashboard_activity" => {
            must("write_file", json!({ "path": "made.txt", "content": "made\n" }));
        }
        "debug_step" => {
            must("debug_breakpoint", json!({ "action": "set", "file": "app.py", "line": 3 }));
            must("debug_attach", json!({ "command": ["python3", "app.py"] }));
            must("debug_step", json!({ "action": "continue" }));
        }
        "ide_chat_send" | "ide_session_list" => {
            must("ide_session_create", json!({ "name": "Tests" }));
        }
        "ide_chat_history" | "ide_plan_status" => {
            must("ide_session_create", json!({ "name": "Tests" }));
            let message = json!({ "session": "s1", "message": "Hello", "wait_ms": 60_000 });
            server.must("session_send", message);
        }
        "ide_build_status" | "ide_build_list" | "ide_build_logs" => {
            must("build", json!({}));
        }
        "iac_apply" => {
            must("iac_plan", json!({ "tool": "terraform", "path": "infra" }));
        }
        "metrics_query" => {
            must("metrics_record", json!({ "type": "t", "agent_id": "a", "repo": "r" }));
        }
        "rag_query" => {
            must("rag_ingest", json!({ "path": "src", "collection": "hostuk-docs" }));
        }
        "memory_search" | "memory_recall" | "memory_context" => {
            let memory = json!({ "content": "The person prefers tabs. The server's port is 8080.",
                "key": "port", "category": "convention", "tags": ["preferences"] });
            server.must("memory_remember", memory);
        }
        "click" | "fill" | "query_selector" | "browser_screenshot" | "webview_click"
        | "webview_type" | "webview_query" | "webview_console" | "webview_eval"
        | "webview_screenshot" | "webview_wait" => {
            let page = "data:text/html,<title>t</title><input id=name><button id=submit>Send</button>\
                        <script>console.log('ready')</script>";
            must("navigate", json!({ "url": page }));
        }
        "process_stop" | "process_kill" | "process_list" | "process_output" | "process_input" => {
            must("process_start", json!({ "command": "cat" }));
        }
        "get_editor_state" | "get_selection" | "replace_selection" | "insert_at_cursor"
        | "goto_line" => {
            server.open_file("src/main.rs");
            server.report(json!({
                "activeUri": server.uri("src/main.rs"),
                "activeTab": 0,
                "tabs": [{ "uri": server.uri("src/main.rs"), "dirty": false }],
                "selections": [{ "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 16 } }],
            }));
        }
        _ => {}
    }
}

/// The values at a path such as `matches[].path` or `changes.*[].new_text`.
fn values<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for step in path.split('.') {
        let (name, lists) = step
            .split_once("[]")
            .map_or((step, 0), |(name, more)| (name, 1 + more.matches("[]").count()));
        found = found
            .into_iter()
            .flat_map(|value| match name {
                "*" => value
                    .as_object()
                    .into_iter()
                    .flat_map(|fields| fields.values())
                    .collect::<Vec<_>>(),
                _ => value.get(name).into_iter().collect(),
            })
            .collect();
        for _ in 0..lists {
            found = found
                .into_iter()
                .flat_map(|value| value.as_array().into_iter().flatten())
                .collect();
        }
    }
    found
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string[]" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        _ => panic!("unknown type {kind}"),
    }
}

/// The tools that need a screen.
const DESKTOP_TOOLS: [&str; 8] = [
    "list_windows",
    "focus_window",
    "screenshot",
    "key_press",
    "text_insert",
    "mouse_click",
    "detect_elements",
    "ocr",
];

/// The tools that need a container daemon.
const CONTAINER_TOOLS: [&str; 2] = ["docker_build", "docker_run"];

/// A screen with a terminal that has the focus, for the examples of one tool. The window that they name becomes
/// the terminal, and the picture a file of the workspace.
fn terminal(desktop: &mut Desktop, server: &Server, dialect: &str, arguments: &mut Value) {
    desktop.terminal("terminal", &["-geometry", "100x30+50+50"], "sleep 1000");
    let id = wait_for("the terminal", || {
        let listed = call(server, dialect, "list_windows", &json!({})).unwrap();
        listed["windows"].as_array().unwrap().first().map(|window| window["id"].clone())
    });
    call(server, dialect, "focus_window", &json!({ "window_id": id })).unwrap();
    if arguments.get("window_id").is_some() {
        arguments["window_id"] = id;
    }
    if arguments["screenshot"] == "text.png" {
        let picture = desktop.folder().join("text.png");
        let picture = picture.to_str().unwrap();
        let words = [
            "/usr/bin/pango-view",
            "--font=DejaVu Sans 14",
            "--text=Submit the form",
            "-qo",
            picture,
        ];
        assert!(desktop.command(&words).status().unwrap().success());
        server.write("text.png", std::fs::read(picture).unwrap());
    }
}

fn has_terraform() -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("terraform").is_file())
}

/// Runs one example in a workspace of its own; returns what is wrong.
fn check(dialect: &str, tool: &Value, example: &str) -> Result<(), String> {
    let name = tool["name"].as_str().unwrap();
    let mut arguments: Value = serde_json::from_str(example).unwrap();
    let (web, names) =
        (HttpServer::start(), DnsServer::start(&[("example.com", &[&["192.0.2.1"]])]));
    let mut desktop = if DESKTOP_TOOLS.contains(&name) { Desktop::start("800x600") } else { None };
    let containers = if CONTAINER_TOOLS.contains(&name) { ContainerDaemon::start() } else { None };
    let models = ModelServer::start();
    let server = start(&names, &web, &models, desktop.as_ref(), containers.as_ref());
    if let Some(daemon) = &containers {
        prepare_containers(&server, daemon, dialect, name);
    }
    if let Some(desktop) = &mut desktop {
        terminal(desktop, &server, dialect, &mut arguments);
    }
    // Hosts of an example are the test's own.
    for place in ["/url", "/urls/0"] {
        let url = arguments.pointer_mut(place);
        let Some(url) =
            url.filter(|url| url.as_str().is_some_and(|url| url.starts_with("https://")))
        else {
            continue;
        };
        let path = url.as_str().unwrap().splitn(4, '/').nth(3).unwrap_or_default().to_owned();
        *url = web.url(&format!("/{path}")).into();
    }
    if arguments.get("port").is_some() {
        arguments["port"] = web.address.port().into();
    }
    // An absolute path of an example is meant below the workspace.
    if let Some(path) = arguments["path"].as_str().filter(|path| path.starts_with('/')) {
        arguments["path"] = server.path(path.trim_start_matches('/')).to_str().into();
    }
    let running = (name == "webview_connect").then(ListeningBrowser::start);
    if let Some(browser) = &running {
        arguments["debug_url"] = format!("http://127.0.0.1:{}", browser.port).into();
    }
    let mut other = None;
    if name == "kill_process" {
        let sleep = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        arguments["pid"] = sleep.id().into();
        other = Some(sleep);
    }
    set_up(&server, dialect, name);
    let result = call(&server, dialect, name, &arguments)
        .map_err(|error| format!("{dialect}: {name} {arguments}: {error}"))?;
    if example.contains("cargo build") && result.get("exit_code").is_some_and(|code| *code != 0) {
        return Err(format!("{dialect}: {name} {arguments}: {result}"));
    }
    if let Some(mut other) = other {
        assert!(!other.wait().unwrap().success(), "it was not killed");
    }
    for field in tool["returns"].as_array().unwrap() {
        let (path, kind) = field.as_str().unwrap().split_once(": ").unwrap();
        let found = values(&result, path);
        if found.is_empty() || !found.iter().all(|value| is_of_type(value, kind)) {
            return Err(format!("{dialect}: {name} {arguments}: {path} is no {kind}: {result}"));
        }
    }
    Ok(())
}

#[test]
fn every_example_works_and_returns_the_documented_fields() {
    let mut examples = Vec::new();
    for dialect in DIALECTS {
        for tool in tools(&["--dialect", dialect, "--json"]) {
            let is_of_browser = tool["name"].as_str().is_some_and(|name| {
                name.starts_with("webview_")
                    || ["navigate", "click", "fill", "query_selector", "browser_screenshot"]
                        .contains(&name)
            });
            if is_of_browser && component("chromium").is_none() {
                skip("every_example_works_and_returns_the_documented_fields", "chromium");
                continue;
            }
            let name = tool["name"].as_str().unwrap();
            if DESKTOP_TOOLS.contains(&name) && component("desktop").is_none() {
                skip("every_example_works_and_returns_the_documented_fields", "desktop");
                continue;
            }
            if CONTAINER_TOOLS.contains(&name) && !ContainerDaemon::is_here() {
                skip("every_example_works_and_returns_the_documented_fields", "containers");
                continue;
            }
            let is_debugging = tool["name"].as_str().unwrap().starts_with("debug_");
            if is_debugging && component("debugpy").is_none() {
                skip("every_example_works_and_returns_the_documented_fields", "debugpy");
                continue;
            }
            if name.starts_with("iac_") && !has_terraform() {
                // No registry carries it, so that CI may lack it.
                let _ = writeln!(
                    std::io::stderr(),
                    "SKIPPED the examples of {name}: terraform is not on the PATH"
                );
                continue;
            }
            for example in tool["examples"].as_array().unwrap() {
                examples.push((dialect, tool.clone(), example.as_str().unwrap().to_owned()));
            }
        }
    }
    assert!(examples.len() > 200, "{}", examples.len());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((dialect, tool, example)) =
                    examples.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(failure) = check(dialect, tool, example) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        examples.len(),
        failures.join("\n")
    );
}
