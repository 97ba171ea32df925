//! The calls, in an order in which each finds what it needs.

use serde_json::{Value, json};
use tests::KubeServer;

use crate::dns_server::DnsServer;
use crate::http_server::HttpServer;
use crate::sdk::Sdk;
use crate::workspace::{LiveWorkspace, git};

/// Calls every tool.
pub(crate) fn all(live: &mut LiveWorkspace, sdk: &mut Sdk) {
    files(sdk);
    search(sdk);
    names(sdk);
    editor(live, sdk);
    editing(sdk);
    commands(sdk);
    processes(sdk);
    network(sdk);
    models(sdk);
    browser(sdk);
    desktop(live, sdk);
    containers(live, sdk);
    databases(live, sdk);
    clusters(live, sdk);
    infrastructure(live, sdk);
    runbooks(live, sdk);
    checks(live, sdk);
    debugging(sdk);
    repository(live, sdk);
    history(sdk);
    examples(live, sdk);
}

/// Calls the examples of the tools that the scenarios above leave out.
fn examples(live: &LiveWorkspace, sdk: &mut Sdk) {
    let output = live.server.command().args(["tools", "--json"]).output().unwrap();
    let tools: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for name in sdk.uncalled() {
        let tool = tools.iter().find(|tool| tool["name"] == *name).unwrap();
        for example in tool["examples"].as_array().unwrap() {
            sdk.call(&name, serde_json::from_str(example.as_str().unwrap()).unwrap());
        }
    }
}

fn files(sdk: &mut Sdk) {
    sdk.call("read_file", json!({ "path": "app.py" }));
    sdk.call("read_file", json!({ "path": "empty.py" }));
    sdk.refused("read_file", json!({ "path": "gone" }), "E_FILE_NOT_FOUND");
    sdk.refused("read_file", json!({ "pth": "app.py" }), "E_INVALID_PARAMS");
    sdk.call("read_file_range", json!({ "path": "app.py", "start_line": 2, "end_line": 4 }));
    let long: String = (0..4_000).map(|n| format!("line {n}\n")).collect();
    sdk.call("write_file", json!({ "path": "long.txt", "content": long }));
    let cut = sdk.call("read_file", json!({ "path": "long.txt" }));
    assert!(cut["next_cursor"].is_string(), "{cut}");
    sdk.call("read_file", json!({ "path": "long.txt", "cursor": cut["next_cursor"] }));
    sdk.call(
        "write_file",
        json!({ "path": "long.txt", "content": "short\n", "overwrite": true, "dry_run": true }),
    );
    for path in ["app.py", "."] {
        sdk.call("get_file_info", json!({ "path": path }));
    }
    sdk.call("create_directory", json!({ "path": "folder/inner" }));
    sdk.call("copy_file", json!({ "source": "notes.txt", "destination": "folder/copy.txt" }));
    sdk.call(
        "move_file",
        json!({ "source": "folder/copy.txt", "destination": "folder/moved.txt" }),
    );
    sdk.call("delete_file", json!({ "path": "folder/moved.txt" }));
    sdk.call("delete_file", json!({ "path": "folder", "recursive": true }));
    sdk.call("delete_file", json!({ "path": "long.txt" }));
    sdk.call("list_directory", json!({}));
    sdk.call("list_directory", json!({ "max_depth": 3 }));
    sdk.call("get_workspace_structure", json!({}));
    sdk.call("get_workspace_structure", json!({ "limit": 1 }));
    let memory =
        json!({ "content": "Areas are computed here.", "path": "app.py", "start_line": 2 });
    sdk.refused("memory_remember", memory, "E_INVALID_PARAMS");
    let memory = json!({ "content": "Areas are computed here.", "key": "areas", "title": "Areas",
        "category": "decision", "tags": ["shapes"], "path": "app.py", "start_line": 3, "end_line": 6 });
    sdk.call("memory_remember", memory.clone());
    sdk.call("memory_remember", memory);
    let memories = sdk.call("memory_recall", json!({ "query": "areas" }));
    sdk.call("memory_context", json!({ "query": "areas" }));
    sdk.call("memory_forget", json!({ "id": memories["memories"][0]["id"] }));
    sdk.call("lang_detect", json!({ "path": "app.py" }));
    sdk.call("lang_detect", json!({ "text": "?" }));
    sdk.call("lang_list", json!({}));
}

fn network(sdk: &mut Sdk) {
    let server = HttpServer::start();
    let names = DnsServer::start(&[("host.test", &[&["192.0.2.1"]])]);
    let (host, port) = (server.address.ip().to_string(), server.address.port());
    for path in ["/json", "/binary", "/missing", "/redirect?302,/set-cookie", "/long"] {
        sdk.call("http_request", json!({ "url": server.url(path) }));
    }
    sdk.call("http_request", json!({ "url": server.url("/json"), "save_to": "got.json" }));
    sdk.refused("http_request", json!({ "url": "file:///etc/passwd" }), "E_INVALID_PARAMS");
    for path in ["/page", "/json", "/binary"] {
        sdk.call("web_fetch", json!({ "url": server.url(path) }));
    }
    sdk.call("web_fetch", json!({ "url": server.url("/page"), "save_to": "got.html" }));
    sdk.call("web_search", json!({ "query": "fish" }));
    sdk.refused("web_search", json!({ "query": "" }), "E_INVALID_PARAMS");
    sdk.call("port_check", json!({ "host": host, "port": port }));
    sdk.call("port_check", json!({ "host": host, "port": 1 }));
    for name in ["host.test", "gone.test"] {
        let server = names.address.to_string();
        sdk.call("dns_lookup", json!({ "hostname": name, "server": server }));
    }
}

/// The fixture defines the backends.
fn models(sdk: &mut Sdk) {
    sdk.call("ml_generate", json!({ "prompt": "Say hello." }));
    sdk.call("ml_generate", json!({ "prompt": "Go on", "backend": "local", "model": "half" }));
    sdk.refused("ml_generate", json!({ "prompt": "x", "model": "page" }), "E_UNSUPPORTED");
    sdk.call("ml_complete", json!({ "prefix": "def area(", "suffix": "):" }));
    let pair = json!({ "prompt": "Why?", "response": "So.", "suites": "heuristic,semantic" });
    sdk.call("ml_score", pair);
    sdk.call("ml_probe", json!({ "categories": "honesty" }));
    sdk.call("ml_status", json!({}));
    sdk.call("ml_backends", json!({}));
    sdk.call("list_llm_models", json!({}));
    sdk.call("embed", json!({ "text": "where is the retry logic" }));
}

/// Those without `browser_` in their names.
const BROWSER_TOOLS: [&str; 4] = ["navigate", "click", "fill", "query_selector"];

fn browser(sdk: &mut Sdk) {
    if tests::component("chromium").is_none() {
        tests::skip("the calls of the browser's tools", "chromium");
        sdk.leave_out(|name| name.starts_with("browser_") || BROWSER_TOOLS.contains(&name));
        return;
    }
    let server = HttpServer::start();
    sdk.call("navigate", json!({ "url": server.url("/page") }));
    let page = "data:text/html,<title>t</title><input id=name><input type=file><button id=submit>Send</button>\
                <button onclick='console.log(confirm(1))'>Ask</button>";
    sdk.call("navigate", json!({ "url": page, "wait_until": "domcontentloaded" }));
    sdk.call("browser_snapshot", json!({}));
    sdk.call("browser_snapshot", json!({ "full": true }));
    sdk.call("fill", json!({ "selector": "#name", "value": "Ada" }));
    sdk.call("browser_act", json!({ "action": "press", "selector": "#name", "key": "End" }));
    sdk.call("click", json!({ "selector": "#submit" }));
    sdk.call("click", json!({ "selector": "text=Ask" }));
    sdk.call("browser_dialog", json!({ "accept": true }));
    sdk.call("query_selector", json!({ "selector": "input", "all": true }));
    sdk.call("browser_screenshot", json!({}));
    sdk.call("browser_screenshot", json!({ "path": "page.pdf", "format": "pdf" }));
    sdk.call("browser_evaluate", json!({ "expression": "({ a: [1, null] })" }));
    sdk.call("browser_evaluate", json!({ "expression": "nothing" }));
    sdk.call("browser_console", json!({ "clear": true }));
    sdk.call("browser_network", json!({}));
    sdk.call("browser_wait", json!({ "selector": "#name" }));
    sdk.call("browser_emulate", json!({ "color_scheme": "dark" }));
    sdk.call("browser_tabs", json!({}));
    sdk.call("browser_connect", json!({}));
    sdk.refused("navigate", json!({ "url": "file:///etc/passwd" }), "E_INVALID_PARAMS");
    sdk.refused("click", json!({ "selector": "#gone", "timeout_ms": 100 }), "E_NO_MATCH");
    sdk.call("browser_close", json!({}));
}

/// The family of the desktop, in listing order.
const DESKTOP_TOOLS: [&str; 14] = [
    "list_windows",
    "focus_window",
    "screenshot",
    "key_press",
    "text_insert",
    "mouse_click",
    "mouse_act",
    "ocr",
    "compare_images",
    "detect_elements",
    "element_act",
    "wait_for_screen",
    "clipboard_read",
    "clipboard_write",
];

fn desktop(live: &mut LiveWorkspace, sdk: &mut Sdk) {
    let Some(desktop) = &mut live.desktop else {
        tests::skip("the calls of the desktop's tools", "desktop");
        return sdk.leave_out(|name| DESKTOP_TOOLS.contains(&name));
    };
    sdk.call("list_windows", json!({}));
    desktop.terminal("Terminal", &["-geometry", "60x20+20+20"], "echo some text; sleep 1000");
    let window = tests::wait_for("the terminal", || {
        sdk.call("list_windows", json!({}))["windows"].as_array().unwrap().first().cloned()
    });
    let id = &window["id"];
    sdk.call("focus_window", json!({ "window_id": id }));
    sdk.call("screenshot", json!({ "max_tokens": 100 }));
    sdk.call("screenshot", json!({ "window_id": id, "path": "window.png" }));
    sdk.call("key_press", json!({ "key": "a", "window_id": id }));
    sdk.call("text_insert", json!({ "text": "bc", "window_id": id }));
    sdk.call("mouse_click", json!({ "x": 20, "y": 20, "window_id": id }));
    sdk.call("mouse_act", json!({ "action": "scroll", "x": 200, "y": 150, "down": 1 }));
    sdk.call("ocr", json!({ "window_id": id }));
    sdk.call("compare_images", json!({ "before_path": "window.png", "window_id": id }));
    let region = json!({ "x": 0, "y": 0, "width": 50, "height": 50 });
    let same = json!({ "before_path": "window.png", "after_path": "window.png", "region": region });
    sdk.call("compare_images", same);
    sdk.call("detect_elements", json!({ "window_id": id }));
    sdk.call("wait_for_screen", json!({ "window_id": id, "stable_ms": 100 }));
    sdk.refused("key_press", json!({ "key": "nothing" }), "E_INVALID_PARAMS");
    sdk.call("clipboard_write", json!({ "text": "copied" }));
    assert_eq!(sdk.call("clipboard_read", json!({}))["text"], "copied");
    desktop.report_elements();
    desktop.run(&["/usr/bin/yad", "--title=Form", "--form", "--field=Gift:CHK", "TRUE"]);
    let form = tests::wait_for("the form", || {
        let windows = sdk.call("list_windows", json!({ "filter": "Form" }));
        windows["windows"].as_array().unwrap().first().map(|window| window["id"].clone())
    });
    sdk.call("focus_window", json!({ "window_id": form }));
    let found = sdk.call(
        "wait_for_screen",
        json!({ "window_id": form, "element_type": "checkbox", "text": "Gift" }),
    );
    let element = &found["element"]["id"];
    sdk.call("element_act", json!({ "element": element }));
    sdk.refused("element_act", json!({ "element": "x" }), "E_INVALID_PARAMS");
}

/// The family of containers, in listing order.
const CONTAINER_TOOLS: [&str; 7] = [
    "docker_build",
    "docker_run",
    "docker_ps",
    "docker_logs",
    "docker_exec",
    "docker_stop",
    "docker_images",
];

fn containers(live: &LiveWorkspace, sdk: &mut Sdk) {
    let Some(daemon) = &live.containers else {
        tests::skip("the calls of the containers' tools", "containers");
        return sdk.leave_out(|name| CONTAINER_TOOLS.contains(&name));
    };
    let text = "FROM scratch\nCOPY busybox /bin/\nRUN [\"/bin/busybox\", \"--install\", \"-s\", \"/bin\"]\n";
    live.server.write("image/Dockerfile", text);
    std::fs::copy(&daemon.busybox, live.server.path("image/busybox")).unwrap();
    let build = json!({ "context": "image", "tag": "box" });
    let built = sdk.call("docker_build", build);
    assert_eq!(built["success"], true, "{built}");
    live.server.write("failing/Dockerfile", "FROM box\nRUN false\n");
    let failed = sdk.call("docker_build", json!({ "context": "failing", "tag": "x" }));
    assert_eq!(failed["diagnostics"][0]["line"], 2, "{failed}");
    sdk.call(
        "docker_run",
        json!({ "image": "box", "command": ["sh", "-c", "echo a; echo b >&2; exit 1"] }),
    );
    let line = "echo ready; sleep 1000";
    let started = sdk.call(
        "docker_run",
        json!({ "image": "box", "command": ["sh", "-c", line], "detach": true, "ready": { "pattern": "ready" },
            "volumes": ["image:/image"] }),
    );
    let id = &started["container"];
    sdk.call("docker_ps", json!({}));
    sdk.call("docker_ps", json!({ "all": true }));
    sdk.call("docker_logs", json!({ "container": id }));
    sdk.call("docker_logs", json!({ "container": id, "cursor": started["next_cursor"] }));
    sdk.call("docker_exec", json!({ "container": id, "command": ["echo", "a"] }));
    sdk.call("docker_stop", json!({ "container": id, "grace_seconds": 0 }));
    sdk.call("docker_images", json!({}));
    sdk.refused("docker_logs", json!({ "container": "nobody" }), "E_NO_MATCH");
    sdk.refused(
        "docker_run",
        json!({ "image": "box", "volumes": ["/etc:/etc"] }),
        "E_PATH_FORBIDDEN",
    );
}

fn databases(live: &LiveWorkspace, sdk: &mut Sdk) {
    let database = rusqlite::Connection::open(live.server.path("shop.db")).unwrap();
    let items = "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items VALUES (1, 'pen'), (2, x'00')";
    database.execute_batch(items).unwrap();
    let query = |query: &str| json!({ "connection": "shop.db", "query": query });
    sdk.call("db_query", query("SELECT * FROM items"));
    sdk.call(
        "db_query",
        json!({ "connection": "shop.db", "query": "SELECT ?, ?, ?", "params": [null, "a", [1]] }),
    );
    sdk.call(
        "db_query",
        json!({ "connection": "shop.db", "query": "SELECT 1", "save_to": "one.csv" }),
    );
    sdk.call("db_query", json!({ "connection": "shop.db", "query": "DELETE FROM items WHERE id = 1", "write": true }));
    sdk.refused("db_query", query("DELETE FROM items"), "E_DENIED");
    sdk.call("db_schema", json!({ "connection": "shop.db" }));
    sdk.call("db_explain", query("SELECT * FROM items WHERE id = 1"));
}

fn clusters(live: &LiveWorkspace, sdk: &mut Sdk) {
    let cluster = KubeServer::start();
    let folder = live.server.outside().join(".kube");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config"), cluster.kubeconfig()).unwrap();
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, selector: {matchLabels: {app: web}}}\n";
    sdk.call("kube_diff", json!({ "manifest": manifest }));
    sdk.call("kube_apply", json!({ "manifest": manifest, "dry_run": true }));
    sdk.call("kube_apply", json!({ "manifest": manifest }));
    sdk.call("kube_apply", json!({ "manifest": manifest }));
    sdk.refused("kube_apply", json!({ "manifest": "kind: Pod\n" }), "E_INVALID_PARAMS");
    sdk.call("kube_get", json!({ "resource": "deployments" }));
    sdk.call("kube_get", json!({ "resource": "deployment/web" }));
    sdk.refused("kube_get", json!({ "resource": "gadgets" }), "E_NO_MATCH");
    sdk.call("kube_rollout", json!({ "resource": "deployment/web", "wait": false }));
    let pod =
        cluster.put(json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web-1" } }));
    cluster.state().logs.insert(pod, "2026-01-01T00:00:01Z started\n".to_owned());
    sdk.call("kube_logs", json!({ "pod": "web-1" }));
}

fn infrastructure(live: &LiveWorkspace, sdk: &mut Sdk) {
    let source = "resource \"terraform_data\" \"one\" {\n  input = 1\n}\n";
    live.server.write("infra/main.tf", source);
    let has_terraform = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("terraform").is_file());
    sdk.refused("iac_plan", json!({ "path": "infra", "tool": "pulumi" }), "E_UNSUPPORTED");
    if !has_terraform {
        sdk.refused("iac_plan", json!({ "path": "infra" }), "E_UNAVAILABLE");
        sdk.refused("iac_apply", json!({ "path": "infra" }), "E_UNAVAILABLE");
        return;
    }
    sdk.call("iac_plan", json!({ "path": "infra" }));
    sdk.call("iac_apply", json!({ "path": "infra" }));
}

fn runbooks(live: &LiveWorkspace, sdk: &mut Sdk) {
    let steps = "```sh\nmake\n```\n```tandem\nread_file {\n```\n";
    live.server.write(".tandem/runbooks/release.md", format!("# Release\n\n## Build\n\n{steps}"));
    live.server.write(".claude/skills/review/SKILL.md", "---\nname: review\n---\n");
    sdk.call("list_runbooks", json!({}));
    sdk.call("get_runbook", json!({ "name": "release" }));
    sdk.refused("get_runbook", json!({ "name": "gone" }), "E_FILE_NOT_FOUND");
    sdk.call("search_runbooks", json!({ "query": "build" }));
    sdk.call("catalog", json!({}));
    sdk.call(
        "plan_intent",
        json!({ "input": "rename `a` to `b` in app.py, or fix TypeError #12" }),
    );
    sdk.call(
        "plan_route",
        json!({ "intent": { "intent": "fix_bug", "entities": { "file": "app.py" } } }),
    );
    sdk.call("plan_route", json!({ "intent": { "intent": "undo" }, "available_tools": [] }));
    sdk.refused("plan_route", json!({ "intent": {} }), "E_INVALID_PARAMS");
    let step =
        "[[steps]]\nid = \"read\"\ntool = \"read_file\"\narguments = { path = \"app.py\" }\n";
    live.server.write(".tandem/workflows/reads.toml", step);
    sdk.call("workflow", json!({}));
    sdk.call("workflow", json!({ "workflow": "reads", "dry_run": true }));
    let run = sdk.call("workflow", json!({ "workflow": "reads" }));
    sdk.call("workflow", json!({ "action": "status", "run": run["run"], "step": "read" }));
    sdk.call("workflow", json!({ "action": "show", "workflow": "bisect" }));
    sdk.refused("workflow", json!({ "workflow": "gone" }), "E_FILE_NOT_FOUND");
}

fn checks(live: &LiveWorkspace, sdk: &mut Sdk) {
    let make = "all:\n\techo done\ntest:\n\tfalse\n";
    live.server.write("made/Makefile", make);
    sdk.call("build", json!({ "path": "made" }));
    sdk.call("test", json!({ "path": "made" }));
    live.server.write("crate/Cargo.toml", "[package]\nname = \"checked\"\nversion = \"0.1.0\"\n");
    live.server.write("crate/src/lib.rs", "pub fn one()->i32{ return 1; }\n");
    for tool in ["lint", "typecheck", "format"] {
        sdk.refused(tool, json!({ "path": "made" }), "E_UNSUPPORTED");
        sdk.call(tool, json!({ "path": "crate" }));
    }
    let runs = sdk.call("build_list", json!({}));
    let id = &runs["builds"][0]["id"];
    sdk.call("build_status", json!({ "id": id }));
    sdk.call("build_logs", json!({ "id": id }));
}

fn search(sdk: &mut Sdk) {
    for pattern in ["app", "nothing is called so"] {
        sdk.call("find_files", json!({ "pattern": pattern }));
        sdk.call("find_files_glob", json!({ "pattern": format!("{pattern}*") }));
        sdk.call("grep_search", json!({ "pattern": pattern }));
    }
    sdk.call("search_directory", json!({ "name": "f" }));
    sdk.call("find_files", json!({ "pattern": "p", "max_results": 1 }));
    sdk.call("find_files_glob", json!({ "pattern": "*", "max_results": 1 }));
    let lock = r#"{"packages": {"node_modules/a": {"version": "1.0.0"}}}"#;
    sdk.call("write_file", json!({ "path": "locked/package-lock.json", "content": lock }));
    let advisory = r#"{"id": "X-1", "summary": "bad", "aliases": ["CVE-1"], "affected": [{"package":
        {"ecosystem": "npm", "name": "a"}, "ranges": [{"type": "SEMVER", "events":
        [{"introduced": "0"}, {"fixed": "1.0.1"}]}]}]}"#;
    sdk.call("write_file", json!({ "path": "locked/advisories/x.json", "content": advisory }));
    sdk.call("vuln_scan", json!({ "path": "locked", "advisories": "locked/advisories" }));
    sdk.call("sbom", json!({ "path": "locked" }));
    sdk.call("secret_scan", json!({ "patterns": ["area"], "sarif": true }));
    sdk.call("grep_search", json!({ "pattern": "area", "context_lines": 2, "max_results": 1 }));
    sdk.call("codebase_search", json!({ "query": "area" }));
    sdk.call("codebase_search", json!({ "query": "nowhere to be found" }));
    sdk.call("search", json!({ "query": "how large a shape is", "max_results": 2 }));
    sdk.refused("search", json!({ "query": " " }), "E_INVALID_PARAMS");
    sdk.call(
        "rag_ingest",
        json!({ "path": ".", "category": "all", "metadata": { "year": "2026" } }),
    );
    sdk.call(
        "rag_query",
        json!({ "question": "how large is a shape", "category": "all", "top_k": 2 }),
    );
    sdk.refused("rag_query", json!({ "question": "x", "collection": "none" }), "E_INVALID_PARAMS");
    sdk.call("rag_collections", json!({ "show_stats": true }));
    sdk.call("structural_search", json!({ "pattern": "$A.area()", "language": "python" }));
    sdk.call("structural_search", json!({ "pattern": "nowhere($A)", "language": "python" }));
    sdk.call(
        "structural_replace",
        json!({ "pattern": "$A.area()", "rewrite": "$A.area(1)", "language": "python",
            "dry_run": true }),
    );
    sdk.refused(
        "structural_replace",
        json!({ "pattern": "nowhere($A)", "rewrite": "$A", "language": "python" }),
        "E_NO_MATCH",
    );
    sdk.call("repository_map", json!({}));
    sdk.call(
        "repository_map",
        json!({ "paths": ["app.py"], "words": ["area"], "max_tokens": 200 }),
    );
}

fn names(sdk: &mut Sdk) {
    let class = json!({ "uri": "app.py", "line": 8, "name": "Shape" });
    let instance = json!({ "uri": "app.py", "line": 21, "name": "Square" });
    let keyword = json!({ "uri": "app.py", "position": { "line": 2, "character": 1 } });
    for place in [class, instance, keyword] {
        for tool in
            ["lsp_definition", "lsp_declaration", "lsp_type_definition", "lsp_implementation"]
        {
            sdk.call(tool, place.clone());
        }
        sdk.call("lsp_references", place.clone());
        sdk.call("lsp_hover", place);
    }
    for uri in ["app.py", "empty.py"] {
        sdk.call("lsp_document_symbols", json!({ "uri": uri }));
        sdk.call("lsp_diagnostics", json!({ "uri": uri }));
        sdk.call("symbols_overview", json!({ "path": uri, "depth": 1 }));
        sdk.call("get_diagnostics", json!({ "path": uri }));
    }
    sdk.call("get_diagnostics", json!({}));
    sdk.call("get_diagnostics", json!({ "path": ".", "severity": "error" }));
    sdk.call("symbols_overview", json!({ "path": "." }));
    for query in ["area", "zzz"] {
        sdk.call("lsp_workspace_symbols", json!({ "query": query }));
    }
    sdk.call("find_symbol", json!({ "name_path": "area", "include_body": true, "depth": 1 }));
    sdk.refused("find_symbol", json!({ "name_path": "zzz" }), "E_NO_MATCH");
    sdk.call("find_symbol", json!({ "name_path": "S", "substring_matching": true, "depth": 2 }));
    let behind = json!({ "uri": "app.py", "position": { "line": 20, "character": 4 } });
    sdk.call("lsp_completion", behind);
    let nowhere = json!({ "uri": "empty.py", "position": { "line": 0, "character": 0 } });
    sdk.call("lsp_completion", nowhere);
    for name in ["Shape", "Square/area", "idle"] {
        sdk.call("find_referencing_symbols", json!({ "name_path": name, "path": "app.py" }));
        sdk.call("find_implementations", json!({ "name_path": name, "path": "app.py" }));
        sdk.call("impact", json!({ "name_path": name, "path": "app.py" }));
    }
}

fn editor(live: &LiveWorkspace, sdk: &mut Sdk) {
    sdk.call("get_editor_state", json!({}));
    sdk.call("get_selection", json!({}));
    sdk.call("open_file", json!({ "path": "notes.txt", "line": 2 }));
    sdk.call("open_file", json!({ "path": "notes.txt" }));
    sdk.call("goto_line", json!({ "line": 3 }));
    sdk.call("replace_selection", json!({ "content": "import" }));
    live.select(1);
    sdk.call("insert_at_cursor", json!({ "content": "" }));
    sdk.call("insert_at_cursor", json!({ "content": "# typed\n" }));
}

fn editing(sdk: &mut Sdk) {
    let edit = json!({ "path": "notes.txt", "old_text": "one\ntwo\n", "new_text": "one\nthree\n" });
    let mut dry = edit.clone();
    dry["dry_run"] = true.into();
    sdk.call("apply_edit", dry);
    sdk.call("apply_edit", edit);
    let same = json!({ "path": "notes.txt", "old_text": "one", "new_text": "one" });
    sdk.call("apply_edit", same);
    let back_and_forth =
        [("(three)", "<$1>", true), ("(three)", "<$1>", false), ("<|>", "", false)];
    for (pattern, replacement, dry_run) in back_and_forth {
        let place = json!({ "pattern": pattern, "replacement": replacement, "path": "notes.txt",
            "dry_run": dry_run });
        sdk.call("replace_in_files", place);
    }
    let patches =
        json!([{ "old_text": "one", "new_text": "1" }, { "old_text": "three", "new_text": "3" }]);
    sdk.call("apply_edit", json!({ "edits": [{ "path": "notes.txt", "patches": patches }] }));
    sdk.refused(
        "apply_edit",
        json!({ "path": "notes.txt", "old_text": "absent", "new_text": "" }),
        "E_NO_MATCH",
    );
    sdk.call("edit_file", json!({ "path": "notes.txt", "old_content": "1", "new_content": "one" }));
    let body = "def idle():\n    return None\n";
    sdk.call("replace_symbol_body", json!({ "name_path": "idle", "path": "app.py", "body": body }));
    for (tool, name) in [("insert_before_symbol", "before"), ("insert_after_symbol", "after")] {
        let body = format!("def {name}():\n    pass\n");
        sdk.call(tool, json!({ "name_path": "idle", "path": "app.py", "body": body }));
    }
    sdk.call(
        "safe_delete_symbol",
        json!({ "name_path": "before", "path": "app.py", "dry_run": true }),
    );
    sdk.call("safe_delete_symbol", json!({ "name_path": "before", "path": "app.py" }));
    let rename = json!({ "name_path": "after", "path": "app.py", "new_name": "later" });
    let mut dry = rename.clone();
    dry["dry_run"] = true.into();
    sdk.call("rename_symbol", dry);
    sdk.call("rename_symbol", rename);
    let text = sdk.call("read_file", json!({ "path": "app.py" }));
    let line = line_of(&text, "def later");
    let rename = json!({ "uri": "app.py", "line": line, "name": "later", "new_name": "last" });
    sdk.call("lsp_rename", rename);
    let line = line_of(&text, "import os");
    let actions = sdk.call("code_actions", json!({ "path": "app.py", "start_line": line }));
    let action = actions["actions"].as_array().and_then(|all| all.first()).cloned();
    let action = action.unwrap_or_else(|| panic!("no action: {actions}"));
    let apply = json!({ "path": "app.py", "start_line": line, "action": action["action"] });
    sdk.call("apply_code_action", apply);
    sdk.call("code_actions", json!({ "path": "ledger.c", "start_line": 1 }));
    sdk.call("reindent", json!({ "path": "ledger.c", "dry_run": true }));
    sdk.call("reindent", json!({ "path": "ledger.c" }));
    sdk.call("format_file", json!({ "path": "shapes.rs", "dry_run": true }));
    sdk.call("format_file", json!({ "path": "shapes.rs" }));
    sdk.call("format_file", json!({ "path": "shapes.rs" }));
}

fn commands(sdk: &mut Sdk) {
    for command in ["echo out; echo err >&2; exit 3", "true", "seq 5000"] {
        sdk.call("run_command", json!({ "command": command }));
    }
    let slow = json!({ "command": "sleep 10", "timeout_ms": 200 });
    sdk.refused("run_command", slow, "E_TIMEOUT");
}

fn processes(sdk: &mut Sdk) {
    let line = "echo ready; while read line; do echo \"<$line>\"; done";
    let ready = json!({ "pattern": "ready" });
    sdk.call("process_start", json!({ "command": line, "name": "echo", "ready": ready }));
    // Before its prompt a shell dies of `ctrl-c`.
    let prompt = json!({ "pattern": "^[$#] " });
    let shell =
        json!({ "command": "sh", "pty": true, "limits": { "cpu_seconds": 60 }, "ready": prompt });
    let shell = sdk.call("process_start", shell);
    sdk.call("process_list", json!({}));
    let typed = json!({ "id": "echo", "text": "one", "wait_for": "<one>" });
    assert_eq!(sdk.call("process_input", typed)["output"], "<one>\n");
    sdk.call("process_input", json!({ "id": shell["id"], "keys": ["ctrl-c"] }));
    let output = sdk.call("process_output", json!({ "id": "echo" }));
    sdk.call("process_output", json!({ "id": "echo", "cursor": output["next_cursor"] }));
    sdk.call("process_output", json!({ "id": "echo", "wait_for": "never", "wait_ms": 50 }));
    sdk.refused("process_output", json!({ "id": "none" }), "E_NO_MATCH");
    sdk.call("process_stop", json!({ "id": "echo" }));
    sdk.call("kill_process", json!({ "pid": shell["pid"], "signal": "HUP" }));
    let third = sdk.call("process_start", json!({ "command": "sleep", "args": ["1000"] }));
    sdk.call("process_kill", json!({ "id": third["id"] }));
    sdk.call("process_list", json!({ "running_only": true }));
    sdk.call("list_processes", json!({ "filter": "tandem" }));
    sdk.call("list_processes", json!({ "filter": "no such process", "max_results": 1 }));
    sdk.call("ws_info", json!({}));
    sdk.call("ws_start", json!({}));
    sdk.call("ws_info", json!({}));
    sdk.refused("ws_start", json!({ "addr": "192.0.2.1:80" }), "E_INVALID_PARAMS");
}

fn debugging(sdk: &mut Sdk) {
    const LONG: u32 = 60_000;
    sdk.call("debug_sessions", json!({}));
    sdk.call("debug_configurations", json!({}));
    sdk.call("debug_breakpoint", json!({ "action": "list" }));
    let set = json!({ "action": "set", "symbol": "add" });
    sdk.call("debug_breakpoint", set);
    let launch = json!({ "program": "ledger", "args": ["stay"], "wait_ms": LONG });
    let stop = sdk.call("debug_launch", launch);
    assert_eq!(stop["state"], "stopped", "{stop}");
    sdk.call("debug_threads", json!({}));
    sdk.call("debug_stack", json!({}));
    sdk.call("debug_stack", json!({ "max_results": 1 }));
    sdk.call("debug_variables", json!({}));
    let book = sdk.call("debug_evaluate", json!({ "expression": "*book" }));
    sdk.call("debug_variables", json!({ "reference": book["reference"] }));
    sdk.call("debug_variables", json!({ "values": false, "filter": "no such name" }));
    sdk.call("debug_evaluate", json!({ "expression": "amount" }));
    sdk.call("debug_set_variable", json!({ "name": "amount", "value": "7" }));
    sdk.call("debug_disassemble", json!({ "count": 3 }));
    let address = sdk.call("debug_evaluate", json!({ "expression": "&book->total" }));
    let address = address["memory"].as_str().or(address["result"].as_str()).unwrap().to_owned();
    sdk.call("debug_memory", json!({ "address": address, "count": 8 }));
    sdk.call("debug_step", json!({ "action": "over", "wait_ms": LONG }));
    sdk.call("debug_sessions", json!({}));
    sdk.call("debug_breakpoint", json!({ "action": "list" }));
    sdk.call("debug_restart", json!({ "wait_ms": LONG }));
    sdk.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    let on = sdk.call("debug_step", json!({ "action": "continue", "wait_ms": 300 }));
    assert_eq!(on["state"], "running", "{on}");
    sdk.call("debug_pause", json!({ "wait_ms": LONG }));
    sdk.call("debug_output", json!({}));
    sdk.call("debug_output", json!({ "category": "stderr" }));
    sdk.call("debug_stop", json!({}));
    sdk.call("debug_attach", json!({ "command": ["./ledger"] }));
    let end = sdk.call("debug_step", json!({ "action": "continue", "wait_ms": LONG }));
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(4)), "{end}");
}

fn repository(live: &LiveWorkspace, sdk: &mut Sdk) {
    let root = live.server.root();
    // What an editor holds unsaved is in the way of a pull.
    live.server.close_file("app.py");
    sdk.call("git_status", json!({}));
    sdk.call("git_status", json!({ "path": "notes.txt", "all_untracked": true }));
    for extra in [
        json!({}),
        json!({ "lines": true }),
        json!({ "staged": true }),
        json!({ "commit": "v1..main" }),
    ] {
        sdk.call("git_diff", extra);
    }
    sdk.call("git_log", json!({}));
    sdk.call("git_log", json!({ "path": "conflict.txt", "limit": 1 }));
    sdk.call("git_log", json!({ "grep": "no commit says so" }));
    sdk.call("git_show", json!({}));
    sdk.call("git_show", json!({ "commit": "v1", "path": "notes.txt" }));
    sdk.call("git_blame", json!({ "path": "notes.txt" }));
    sdk.call("git_merge_base", json!({ "commits": ["main", "other"] }));
    sdk.call("git_tags", json!({}));
    sdk.call("git_tags", json!({ "name": "none" }));
    sdk.call("git_remote", json!({}));
    sdk.call("git_branch", json!({ "action": "list", "remote": true }));
    sdk.call("git_branch", json!({ "action": "create", "name": "side" }));
    sdk.call("git_branch", json!({ "action": "delete", "name": "side" }));
    sdk.call("git_conflicts", json!({}));
    sdk.call("git_checkpoint", json!({ "action": "list" }));
    sdk.call("git_checkpoint", json!({ "action": "create", "message": "before" }));
    sdk.call("git_checkpoint", json!({ "action": "diff" }));
    sdk.call("git_checkpoint", json!({ "action": "list" }));
    sdk.call("git_stage", json!({ "files": ["notes.txt"] }));
    sdk.call("git_unstage", json!({ "files": ["notes.txt"] }));
    sdk.call("git_stage", json!({ "files": ["notes.txt"] }));
    sdk.call("git_commit", json!({ "message": "notes" }));
    sdk.call("git_commit", json!({ "message": "nothing", "allow_empty": true }));
    sdk.call(
        "git_stash",
        json!({ "action": "push", "message": "aside", "include_untracked": true }),
    );
    sdk.call("git_stash", json!({ "action": "list" }));
    sdk.call("git_stash", json!({ "action": "pop" }));
    sdk.call("git_discard", json!({ "files": ["shapes.rs"] }));
    let order = json!({ "agent": "shell-agent", "task": "Do nothing" });
    sdk.call("delegate", order);
    sdk.call("delegate", json!({ "agent": "shell-agent", "task": "Do nothing", "worktree": true }));
    let order = json!({ "agent": "shell-agent", "task": "Do nothing", "background": true });
    sdk.call("delegate", order);
    sdk.call("delegate_status", json!({ "id": "d1", "wait_ms": 60_000 }));
    sdk.call("session_create", json!({ "name": "Tests", "agent": "shell-agent" }));
    let message = json!({ "session": "s1", "message": "Do nothing", "wait_ms": 60_000 });
    let answer = sdk.call("session_send", message);
    assert_eq!(answer["messages"][0]["content"], "It is done.", "{answer}");
    sdk.call("session_history", json!({ "session": "s1" }));
    sdk.call("session_list", json!({}));
    sdk.call("worktree_create", json!({ "branch": "task" }));
    sdk.call("worktree_list", json!({}));
    sdk.call("worktree_status", json!({ "worktree": "task" }));
    sdk.call("worktree_merge", json!({ "worktree": "task", "dry_run": true }));
    sdk.call("worktree_merge", json!({ "worktree": "task" }));
    sdk.call("worktree_remove", json!({ "worktree": "task", "delete_branch": true }));
    sdk.call("git_fetch", json!({}));
    sdk.call("git_pull", json!({}));
    sdk.call("git_push", json!({}));
    // A clean tree, in which a merge stops.
    git(&root, &["stash", "-q", "--include-untracked"]);
    assert!(!git(&root, &["merge", "-q", "other"]), "the merge should conflict");
    sdk.call("git_status", json!({}));
    sdk.call("git_conflicts", json!({ "path": "conflict.txt" }));
    let resolve = json!({ "action": "resolve", "path": "conflict.txt", "side": "ours" });
    sdk.call("git_conflicts", resolve);
}

fn history(sdk: &mut Sdk) {
    sdk.call("get_action_history", json!({}));
    sdk.call("get_action_history", json!({ "path": "nowhere" }));
    sdk.call("get_pending_verifications", json!({}));
    sdk.call("create_directory", json!({ "path": "undone" }));
    sdk.call("undo_action", json!({ "dry_run": true }));
    sdk.call("undo_action", json!({}));
    sdk.call("audit_log", json!({ "event": "a test", "details": { "n": 1 } }));
    sdk.call("get_audit_log", json!({ "limit": 3 }));
    sdk.call("get_audit_log", json!({ "tool": "no_such_tool" }));
}

/// The 1-based line of a read file that holds `text`.
fn line_of(read: &Value, text: &str) -> usize {
    let content = read["content"].as_str().unwrap();
    content.lines().position(|line| line.contains(text)).unwrap() + 1
}
