//! `diagnostics` of the tools that edit.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "\
//- /shapes.py
class Circle:
    pass


def area(circle):
    return 3
//- /main.py
from shapes import area, Circle

print(area(Circle()))
print(missing)
";

fn entries(result: &Value, kind: &str) -> Vec<String> {
    let list = result["diagnostics"][kind].as_array().unwrap_or_else(|| panic!("{result}"));
    let entry = |one: &Value| {
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
        format!("{}:{} {}", text("path"), one["line"], text("message"))
    };
    list.iter().map(entry).collect()
}

#[test]
fn says_what_an_edit_introduced_and_fixed_in_every_file() {
    let server = Server::start(FIXTURE);
    let edit = |more: Value| {
        let mut params = json!({ "path": "shapes.py", "diagnostics": true,
            "old_text": "def area(circle):", "new_text": "\n\ndef surface(circle):" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.must("apply_edit", params)
    };
    let dry = edit(json!({ "dry_run": true }));
    let introduced = ["main.py:1 the import `area` does not resolve"];
    assert_eq!(entries(&dry, "introduced"), introduced, "{dry}");
    let done = edit(json!({}));
    assert_eq!(
        (entries(&done, "introduced"), &done["diagnostics"]["pending"]),
        (introduced.map(String::from).to_vec(), &json!([]))
    );
    assert_eq!(done["diagnostics"]["files"][0]["hash"], done["files"][0]["hash"]);
    // The problem that was there before is not mentioned; shifting it is neither.
    let fixed = server.must(
        "apply_edit",
        json!({ "path": "main.py", "diagnostics": true, "edits": null,
            "old_text": "from shapes import area, Circle", "new_text": "# Shapes.\nfrom shapes import surface as area, Circle" }),
    );
    assert_eq!(entries(&fixed, "fixed"), ["main.py:1 the import `area` does not resolve"]);
    assert_eq!(entries(&fixed, "introduced"), [""; 0], "{fixed}");
    // Without the parameter there is nothing.
    let plain = server.must(
        "apply_edit",
        json!({ "path": "main.py", "old_text": "missing", "new_text": "other" }),
    );
    assert!(plain["diagnostics"].is_null(), "{plain}");
}

#[test]
fn every_tool_that_edits_can_answer() {
    let server = Server::start(FIXTURE);
    let introduced = |tool: &str, mut params: Value| {
        params["diagnostics"] = json!("true");
        let result = server.must(tool, params);
        entries(&result, "introduced")
    };
    let found =
        introduced("write_file", json!({ "path": "new.py", "content": "print(nothing)\n" }));
    assert_eq!(found, ["new.py:1 `nothing` is not defined"]);
    let found = introduced(
        "replace_in_files",
        json!({ "pattern": "Circle\\(\\)", "replacement": "Round()", "path": "main.py" }),
    );
    assert!(found.contains(&"main.py:3 `Round` is not defined".to_owned()), "{found:?}");
    let found = introduced(
        "structural_replace",
        json!({ "pattern": "print(missing)", "rewrite": "print(missing, gone)", "language": "python" }),
    );
    assert_eq!(found, ["main.py:4 `gone` is not defined"]);
    let found = introduced(
        "replace_symbol_body",
        json!({ "path": "shapes.py", "name_path": "area", "body": "def area(circle):\n    return size" }),
    );
    assert_eq!(found, ["shapes.py:6 `size` is not defined"]);
    // A rename changes every use: nothing breaks.
    let found = introduced(
        "rename_symbol",
        json!({ "path": "shapes.py", "name_path": "area", "new_name": "surface" }),
    );
    assert_eq!(found, [""; 0]);
    server.must_fail(
        "apply_edit",
        json!({ "path": "main.py", "old_text": "a", "new_text": "b", "diagnostics": "soon" }),
        "E_INVALID_PARAMS",
    );
}

#[test]
fn other_programs_writing_in_between_make_no_answer_stale() {
    let server = Server::start(FIXTURE);
    for round in 0..150 {
        // Of these writes nobody is notified.
        let name = if round % 2 == 0 { "area" } else { "volume" };
        let shapes =
            format!("class Circle:\n    pass\n\n\ndef {name}(circle):\n    return {round}\n");
        server.write("shapes.py", shapes);
        let wanted = if round % 3 == 0 { "volume" } else { "area" };
        let main = format!("from shapes import {wanted}\n\nprint({wanted}(1), {round})\n");
        let result = server.must(
            "write_file",
            json!({ "path": "main.py", "content": main, "overwrite": true, "diagnostics": true }),
        );
        let found = entries(&result, "introduced");
        let error = format!("main.py:1 the import `{wanted}` does not resolve");
        let is_wrong = wanted != name;
        // It may have been wrong before in the same way.
        let had = entries(&result, "fixed").contains(&error);
        let previous_wanted = if (round + 2) % 3 == 0 { "volume" } else { "area" };
        let was_wrong = round > 0 && previous_wanted != name;
        let expect_new = is_wrong && !(was_wrong && previous_wanted == wanted);
        assert_eq!(found.contains(&error), expect_new, "{round}: {result}");
        assert!(!had || !is_wrong, "{round}: {result}");
        assert_eq!(result["diagnostics"]["pending"], json!([]), "{round}: {result}");
    }
}

/// Reports what a language server found in a version.
fn report(server: &Server, version: i64, exact: bool, messages: &[(u64, &str)]) {
    let diagnostics: Vec<Value> = messages
        .iter()
        .map(|(line, message)| {
            let at = json!({ "line": line, "character": 0 });
            json!({ "range": { "start": at, "end": at }, "severity": 1, "code": "E1", "message": message })
        })
        .collect();
    let params = json!({ "uri": server.uri("main.py"), "source": "checker", "version": version,
        "exact": exact, "diagnostics": diagnostics });
    server.notify("tandem/didChangeDiagnostics", params).unwrap();
}

fn edit(server: &Server, old: &str, new: &str, diagnostics: Value) -> Value {
    server.must(
        "apply_edit",
        json!({ "path": "main.py", "old_text": old, "new_text": new, "diagnostics": diagnostics }),
    )
}

#[test]
fn language_servers_of_the_editor_answer_for_the_version_or_are_pending() {
    let server = Server::start(FIXTURE);
    // No editor has reported anything: nothing is expected of it.
    let result = edit(&server, "print(missing)", "print(missing, 1)", json!(true));
    assert_eq!(result["diagnostics"]["pending"], json!([]), "{result}");
    server.open_file("main.py");
    report(&server, 1, true, &[(3, "bad argument")]);
    let started = Instant::now();
    let result = edit(&server, "from shapes", "\nfrom shapes", json!(200));
    assert!(started.elapsed() >= Duration::from_millis(200));
    let pending = &result["diagnostics"]["pending"][0];
    assert_eq!(
        (&pending["source"], &pending["path"]),
        (&json!("checker"), &json!("main.py")),
        "{result}"
    );
    assert_eq!(entries(&result, "introduced"), [""; 0], "not reported is not clean, and not new");
    // It reports while the next call waits: one problem moved, one is new.
    report(&server, 2, true, &[(4, "bad argument")]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            report(&server, 3, true, &[(5, "bad argument"), (3, "wrong type")]);
        });
        let result = edit(&server, "print(area", "# More.\nprint(area", json!(20_000));
        assert_eq!(result["diagnostics"]["pending"], json!([]), "{result}");
        assert_eq!(entries(&result, "introduced"), ["main.py:4 wrong type"], "{result}");
        assert_eq!(entries(&result, "fixed"), [""; 0]);
        assert_eq!(result["diagnostics"]["introduced"][0]["source"], "checker");
    });
    // A report without a version of its own counts, and is marked.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            report(&server, 4, false, &[]);
        });
        let result = edit(&server, "print(area", "# Less.\nprint(area", json!(20_000));
        assert_eq!(entries(&result, "fixed").len(), 2, "{result}");
        assert!(result["diagnostics"]["fixed"][0]["unsure"].is_string(), "{result}");
        assert_eq!(result["diagnostics"]["pending"][0]["source"], "checker");
    });
    // A file that is not open is not seen by them.
    let result = server
        .must("write_file", json!({ "path": "new.py", "content": "x = 1\n", "diagnostics": true }));
    assert_eq!(result["diagnostics"]["introduced"], json!([]), "{result}");
    let result = server.must(
        "apply_edit",
        json!({ "path": "new.py", "old_text": "1", "new_text": "2", "diagnostics": true }),
    );
    assert_eq!(result["diagnostics"]["pending"][0]["why"], "the file is not open in the editor");
}

#[test]
fn waiting_for_reports_keeps_nobody_from_editing() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    report(&server, 1, true, &[]);
    let waiting = server.start_tool(
        "apply_edit",
        json!({ "path": "main.py", "old_text": "print(area", "new_text": "# More.\nprint(area",
            "diagnostics": 10_000 }),
    );
    server.must("write_file", json!({ "path": "other.py", "content": "x = 1\n" }));
    // Had that waited, the report would come too late.
    report(&server, 2, true, &[(3, "wrong type")]);
    let result = waiting.wait(Duration::from_secs(30)).unwrap();
    assert_eq!(entries(&result, "introduced"), ["main.py:4 wrong type"], "{result}");
}

#[test]
fn what_is_not_known_is_neither_new_nor_fixed() {
    let server = Server::start(FIXTURE);
    let result = edit(&server, "print(area(", "print(area((", json!(true));
    let introduced = entries(&result, "introduced");
    assert!(introduced.len() == 1 && introduced[0].starts_with("main.py:3"), "{result}");
    assert_eq!(entries(&result, "fixed"), [""; 0], "`missing` is still there");
    assert_eq!(result["diagnostics"]["pending"][0]["source"], "names");
    let result = edit(&server, "print(area((", "print(area(", json!(true));
    assert_eq!(
        result["diagnostics"]["introduced"][0]["unsure"],
        "the previous text had syntax errors"
    );
    assert_eq!(entries(&result, "introduced"), ["main.py:4 `missing` is not defined"]);
    assert!(entries(&result, "fixed")[0].starts_with("main.py:3"), "{result}");
}

#[test]
fn broken_reports_are_ignored() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    for bad in [
        json!(null),
        json!([]),
        json!({ "uri": server.uri("main.py"), "source": "s", "diagnostics": [] }),
        json!({ "uri": 1, "source": "s", "version": 1, "diagnostics": [] }),
        json!({ "uri": server.uri("main.py"), "source": "s", "version": 1, "diagnostics": [{}] }),
        json!({ "uri": server.uri("main.py"), "source": "s", "version": 1e300, "diagnostics": {} }),
    ] {
        server.notify("tandem/didChangeDiagnostics", bad).unwrap();
    }
    let result = edit(&server, "print(missing)", "print(1)", json!(true));
    assert_eq!(result["diagnostics"]["pending"], json!([]), "{result}");
    assert_eq!(entries(&result, "fixed"), ["main.py:4 `missing` is not defined"]);
}
