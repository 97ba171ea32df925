//! What linters and compilers find, in the editor: diagnostics, quick fixes, checks when a file is
//! saved, and lenses that run a test.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Encoding, Home, Server, apply_edits, component, skip};

use crate::checks::{command, is_running};

/// Compiling takes longer than answers usually do.
const CHECK_TIMEOUT: Duration = Duration::from_secs(120);

/// A server with the machine's toolchains whose client takes quick fixes and says that it runs nothing
/// of untrusted workspaces.
fn server(fixture: &str, programs: &[&Path], is_trusted: bool) -> Server {
    let literals = json!({ "codeActionKind": { "valueSet": [] } });
    let builder = Server::builder(fixture)
        .capability("window/showMessage", json!({}))
        .capability("textDocument/codeAction/codeActionLiteralSupport", literals)
        .capability("experimental/workspaceTrust", json!(is_trusted))
        .capability("experimental/commands", json!({ "commands": ["tandem.run"] }))
        .options(json!({ "check": { "onSave": true } }));
    let client = Client::spawn(command(builder.home(), programs).arg("lsp")).unwrap();
    builder.with_client(client).initialize()
}

/// A call that the person starts.
fn by_person(server: &Server, tool: &str, arguments: Value) -> Value {
    let params = json!({ "tool": tool, "arguments": arguments });
    server.start_request("tandem/call", params).unwrap().wait(CHECK_TIMEOUT).unwrap()
}

fn save(server: &Server, path: &str) {
    server.write(path, server.buffer(path));
    let document = json!({ "uri": server.uri(path) });
    server.notify("textDocument/didSave", json!({ "textDocument": document })).unwrap();
}

/// Waits for published diagnostics that `wanted` accepts.
fn published(server: &Server, path: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let uri = server.uri(path);
    let is_wanted = |params: &Value| {
        params["uri"] == *uri && params["diagnostics"].as_array().is_some_and(|all| wanted(all))
    };
    let found =
        server.wait_for_notification("textDocument/publishDiagnostics", CHECK_TIMEOUT, is_wanted);
    let found = found.unwrap_or_else(|error| panic!("{error}; {:?}", server.take_unread()));
    found["diagnostics"].as_array().unwrap().clone()
}

fn coded<'d>(diagnostics: &'d [Value], code: &str) -> Option<&'d Value> {
    diagnostics.iter().find(|one| one["code"] == code)
}

/// The quick fixes for a diagnostic.
fn fixes(server: &Server, path: &str, diagnostic: &Value) -> Vec<Value> {
    let context = json!({ "diagnostics": [diagnostic], "only": ["quickfix"] });
    let params = json!({
        "textDocument": { "uri": server.uri(path) }, "range": diagnostic["range"], "context": context,
    });
    let all = server.request("textDocument/codeAction", params).unwrap();
    let all = all.as_array().unwrap().iter();
    all.filter(|action| action["diagnostics"][0]["code"] == diagnostic["code"]).cloned().collect()
}

/// The document after a quick fix.
fn fixed(server: &Server, path: &str, fix: &Value) -> String {
    let change = &fix["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["uri"], server.uri(path), "{fix}");
    let edits = change["edits"].as_array().unwrap();
    apply_edits(&server.buffer(path), edits, Encoding::Utf16).unwrap()
}

const CRATE: &str = "
//- /Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2021\"

[workspace]
//- /src/lib.rs
mod other;

/// Whether a basket – 🧺 – is bare.
pub fn is_bare(basket: &[u8]) -> bool {
    let count = 1;
    /* 🧺 */ basket.len() == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(1 + 1, 2);
    }

    #[test]
    fn adds_more() {
        assert_eq!(1 + 2, 4);
    }
}
//- /src/other.rs
pub fn twice(number: &u8) -> u8 {
    return number * 2;
}
";

#[test]
fn what_clippy_suggests_is_a_quick_fix() {
    let server = server(CRATE, &[], true);
    server.open_file("src/lib.rs");
    let lint = by_person(&server, "lint", json!({}));
    assert_eq!(lint["runner"], "clippy", "{lint}");
    let found = published(&server, "src/lib.rs", |all| coded(all, "clippy::len_zero").is_some());
    let zero = coded(&found, "clippy::len_zero").unwrap();
    assert_eq!((&zero["source"], &zero["severity"]), (&json!("clippy"), &json!(2)), "{zero}");
    let link = zero["codeDescription"]["href"].as_str().unwrap();
    assert!(link.contains("len_zero"), "{link}");
    let all = fixes(&server, "src/lib.rs", zero);
    assert_eq!((all.len(), &all[0]["isPreferred"]), (1, &json!(true)), "{all:?}");
    assert!(fixed(&server, "src/lib.rs", &all[0]).contains("/* 🧺 */ basket.is_empty()\n"));
    // The compiler's own.
    let unused = coded(&found, "unused_variables").unwrap();
    assert_eq!((&unused["source"], &unused["tags"]), (&json!("rustc"), &json!([1])), "{unused}");
    let all = fixes(&server, "src/lib.rs", unused);
    assert!(fixed(&server, "src/lib.rs", &all[0]).contains("let _count = 1;"), "{all:?}");
    // A file that is not open.
    let other = published(&server, "src/other.rs", |all| !all.is_empty());
    assert!(coded(&other, "clippy::needless_return").is_some(), "{other:?}");

    // It moves with its line, and is gone when that changes.
    server.replace_text("src/lib.rs", "/// Whether", "/// New.\n///\n/// Whether");
    let moved = published(&server, "src/lib.rs", |all| {
        coded(all, "clippy::len_zero").is_some_and(|one| one["range"]["start"]["line"] == 7)
    });
    let all = fixes(&server, "src/lib.rs", coded(&moved, "clippy::len_zero").unwrap());
    assert!(fixed(&server, "src/lib.rs", &all[0]).contains("/* 🧺 */ basket.is_empty()\n"));
    server.replace_text("src/lib.rs", "basket.len() == 0", "basket.len() == 0 && true");
    published(&server, "src/lib.rs", |all| {
        let has = |code: &str| coded(all, code).is_some();
        has("unused_variables") && !has("clippy::len_zero")
    });

    // Mended and saved, it is checked again, and the closed file is clean.
    let text = server.buffer("src/lib.rs");
    let text = text.replace("basket.len() == 0 && true", "basket.is_empty()");
    server.replace_text("src/lib.rs", &server.buffer("src/lib.rs"), &text);
    server.write("src/other.rs", "pub fn twice(number: u8) -> u8 {\n    number * 2\n}\n");
    save(&server, "src/lib.rs");
    published(&server, "src/other.rs", |all| all.iter().all(|one| one["source"] != "clippy"));
}

#[test]
fn an_error_of_the_compiler_has_its_related_places() {
    let server = server(CRATE, &[], true);
    server.open_file("src/lib.rs");
    server.replace_text("src/lib.rs", "-> bool {", "-> u8 {");
    save(&server, "src/lib.rs");
    let found = published(&server, "src/lib.rs", |all| coded(all, "E0308").is_some());
    let error = coded(&found, "E0308").unwrap();
    assert_eq!((&error["source"], &error["severity"]), (&json!("rustc"), &json!(1)), "{error}");
    assert!(error["codeDescription"]["href"].as_str().unwrap().ends_with("E0308.html"), "{error}");
    let related = &error["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"]["line"], 3, "{error}");
}

/// A folder with `ruff`.
fn ruff(home: &Home) -> Option<PathBuf> {
    let ruff = component("ruff")?;
    let folder = home.outside().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(ruff, folder.join("ruff")).unwrap();
    Some(folder)
}

const PYTHON: &str = "
//- /pyproject.toml
[tool.ruff]
//- /shop.py
import os

print(f\"hello\")
";

#[test]
fn a_saved_file_is_checked() {
    let home = Home::new();
    let Some(folder) = ruff(&home) else { return skip("a_saved_file_is_checked", "ruff") };
    let server = server(PYTHON, &[&folder], true);
    server.open_file("shop.py");
    save(&server, "shop.py");
    let found = published(&server, "shop.py", |all| coded(all, "F401").is_some());
    // The server's own warning of the same import is left out.
    let of_import = found.iter().filter(|one| one["range"]["start"]["line"] == 0).count();
    assert_eq!(of_import, 1, "{found:?}");
    let unused = coded(&found, "F401").unwrap();
    assert_eq!((&unused["source"], &unused["tags"]), (&json!("ruff"), &json!([1])), "{unused}");
    let all = fixes(&server, "shop.py", unused);
    // The server's own fix of it is left out.
    assert_eq!((all.len(), &all[0]["title"]), (1, &json!("Remove unused import: `os`")), "{all:?}");
    assert_eq!(fixed(&server, "shop.py", &all[0]), "\nprint(f\"hello\")\n");
    let string = coded(&found, "F541").unwrap();
    let all = fixes(&server, "shop.py", string);
    assert_eq!(fixed(&server, "shop.py", &all[0]), "import os\n\nprint(\"hello\")\n");
    server.replace_text("shop.py", "import os\n\nprint(f\"hello\")", "print(\"hello\")");
    save(&server, "shop.py");
    published(&server, "shop.py", <[Value]>::is_empty);
    // Saved several times at once, it is checked once.
    let runs =
        |server: &Server| server.must("build_list", json!({ "check": "lint" }))["builds"].clone();
    let before = runs(&server).as_array().map_or(0, Vec::len);
    for _ in 0..5 {
        save(&server, "shop.py");
    }
    let started = Instant::now();
    while runs(&server).as_array().map_or(0, Vec::len) == before {
        assert!(started.elapsed() < CHECK_TIMEOUT, "it was not checked");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(runs(&server).as_array().map_or(0, Vec::len), before + 1);
}

#[test]
fn a_file_that_is_not_open_keeps_its_results_until_it_is_deleted() {
    let home = Home::new();
    let Some(folder) = ruff(&home) else {
        return skip("a_file_that_is_not_open_keeps_its_results_until_it_is_deleted", "ruff");
    };
    let server = server(PYTHON, &[&folder], true);
    by_person(&server, "lint", json!({}));
    let has_results = |all: &[Value]| coded(all, "F541").is_some();
    published(&server, "shop.py", has_results);
    // Opened and closed again, it still has them.
    server.open_file("shop.py");
    published(&server, "shop.py", has_results);
    server.close_file("shop.py");
    published(&server, "shop.py", <[Value]>::is_empty);
    published(&server, "shop.py", has_results);
    std::fs::remove_file(server.path("shop.py")).unwrap();
    published(&server, "shop.py", <[Value]>::is_empty);
}

#[test]
fn what_eslint_suggests_is_a_quick_fix() {
    let Some(vitest) = component("web-check-tools") else {
        return skip("what_eslint_suggests_is_a_quick_fix", "web-check-tools");
    };
    let packages = vitest.parent().unwrap().parent().unwrap();
    let home = Home::new();
    let folder = home.outside().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = packages.join(".bin/eslint").canonicalize().unwrap();
    std::os::unix::fs::symlink(program, folder.join("eslint")).unwrap();
    let node = component("node").map(|node| node.parent().unwrap().to_owned());
    let programs: Vec<&Path> = [Some(&*folder), node.as_deref()].into_iter().flatten().collect();
    let fixture = "//- /package.json\n{ \"type\": \"module\" }\n//- /eslint.config.js\n\
        export default [{ rules: { \"prefer-const\": \"error\", \"no-useless-escape\": \"warn\" } }];\n\
        //- /shop.js\nconst basket = \"🧺\"; let total = basket + \"a\\-b\";\nexport default total;\n";
    let server = server(fixture, &programs, true);
    std::os::unix::fs::symlink(packages, server.path("node_modules")).unwrap();
    server.open_file("shop.js");
    save(&server, "shop.js");
    let found = published(&server, "shop.js", |all| coded(all, "prefer-const").is_some());
    let constant = coded(&found, "prefer-const").unwrap();
    assert_eq!(constant["source"], "eslint", "{constant}");
    let all = fixes(&server, "shop.js", constant);
    assert_eq!(all[0]["isPreferred"], true, "{all:?}");
    // Offsets behind a character of two units.
    assert!(
        fixed(&server, "shop.js", &all[0]).starts_with("const basket = \"🧺\"; const total = ")
    );
    let escape = coded(&found, "no-useless-escape").unwrap();
    let all = fixes(&server, "shop.js", escape);
    assert_eq!((all.len(), all[0].get("isPreferred")), (2, None), "{all:?}");
    assert!(fixed(&server, "shop.js", &all[0]).contains("\"a-b\""));
}

#[test]
fn without_trust_the_person_is_asked_once() {
    let home = Home::new();
    let Some(folder) = ruff(&home) else {
        return skip("without_trust_the_person_is_asked_once", "ruff");
    };
    let server = server(PYTHON, &[&folder], false);
    let questions: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = questions.clone();
    server.answer_requests(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
        Answer::Result(json!({ "title": "Deny" }))
    });
    server.open_file("shop.py");
    save(&server, "shop.py");
    let wait = |count: usize| {
        let started = Instant::now();
        while questions.lock().unwrap().len() < count {
            assert!(started.elapsed() < CHECK_TIMEOUT, "there is no question {count}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(1);
    assert!(questions.lock().unwrap()[0].contains("ruff check"), "{questions:?}");
    for _ in 0..2 {
        std::thread::sleep(Duration::from_millis(900));
        save(&server, "shop.py");
    }
    std::thread::sleep(Duration::from_millis(900));
    let asked = questions.lock().unwrap();
    assert_eq!(asked.iter().filter(|one| one.contains("ruff check")).count(), 1, "{asked:?}");
}

#[test]
fn a_save_cancels_the_check_before() {
    let fixture = "//- /own.txt\n\n//- /a.own\none\n";
    let builder = Server::builder(fixture)
        .capability("experimental/workspaceTrust", json!(true))
        .options(json!({ "check": { "onSave": true } }));
    let kinds = builder.home().outside().join("config/tandem/checks");
    std::fs::create_dir_all(&kinds).unwrap();
    let kind = "files = ['own.txt']\nextensions = ['own']\n[[lint]]\nname = 'slow'\n\
                command = ['sh', '-c', 'echo run >> runs; sleep 4321']\ninstall = 'none'\n";
    std::fs::write(kinds.join("own.toml"), kind).unwrap();
    let client = Client::spawn(command(builder.home(), &[]).arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    server.open_file("a.own");
    let runs = || std::fs::read_to_string(server.path("runs")).unwrap_or_default().lines().count();
    for count in 1..=3 {
        save(&server, "a.own");
        let started = Instant::now();
        while runs() < count {
            assert!(started.elapsed() < CHECK_TIMEOUT, "run {count} has not begun");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let wait = |running: bool| {
        let started = Instant::now();
        while is_running("4321") != running {
            assert!(started.elapsed() < CHECK_TIMEOUT, "running: {}", !running);
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait(true);
    drop(server.quit());
    wait(false);
}

/// The argument of the run lens above a line.
fn run_lens(server: &Server, path: &str, line: u64) -> Value {
    let document = json!({ "uri": server.uri(path) });
    let all = server.request("textDocument/codeLens", json!({ "textDocument": document })).unwrap();
    let all = all.as_array().unwrap();
    let is_meant = |lens: &&Value| {
        lens["range"]["start"]["line"] == line && lens["command"]["command"] == "tandem.run"
    };
    let lens = all.iter().find(is_meant).unwrap_or_else(|| panic!("{all:?}"));
    lens["command"]["arguments"][0].clone()
}

#[test]
fn a_lens_runs_exactly_its_test() {
    let server = server(CRATE, &[], true);
    server.open_file("src/lib.rs");
    let adds = run_lens(&server, "src/lib.rs", 11);
    assert_eq!((&adds["kind"], &adds["name"]), (&json!("test"), &json!("adds")), "{adds}");
    let run = |target: &Value| {
        let run = &target["run"];
        by_person(&server, run["tool"].as_str().unwrap(), run["arguments"].clone())
    };
    let result = run(&adds);
    let counts = |result: &Value| (result["passed"].clone(), result["failed"].clone());
    assert_eq!(counts(&result), (json!(1), json!(0)), "{result}");
    let result = run(&run_lens(&server, "src/lib.rs", 16));
    assert_eq!(counts(&result), (json!(0), json!(1)), "{result}");
    assert_eq!(result["failures"][0]["line"], 18, "{result}");
}

#[test]
fn a_lens_runs_a_program() {
    let fixture = "//- /pyproject.toml\n\n//- /tool/run.py\nif __name__ == '__main__':\n    print('it ran')\n";
    let server = server(fixture, &[], true);
    server.open_file("tool/run.py");
    let main = run_lens(&server, "tool/run.py", 0);
    assert_eq!(main["kind"], "main", "{main}");
    let started = by_person(&server, "process_start", main["run"]["arguments"].clone());
    let id = started["id"].clone();
    let output = by_person(&server, "process_output", json!({ "id": id, "wait_ms": 10_000 }));
    assert!(output.to_string().contains("it ran"), "{output}");
}
