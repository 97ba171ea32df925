//! `test`, `lint`, `typecheck` and `format` with the real programs of JavaScript and TypeScript.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Home, component, skip};

use crate::checks::{call_with, counts, failure, project};

/// A project of `fixtures/checks` with the component's packages, and the folder with their programs.
struct WebProject {
    home: Home,
    programs: PathBuf,
}

impl WebProject {
    fn new(test: &str, name: &str) -> Option<Self> {
        let Some(vitest) = component("web-check-tools") else {
            skip(test, "web-check-tools");
            return None;
        };
        let packages = vitest.parent()?.parent()?.to_owned();
        let home = project(name);
        // Node resolves imports through the link. Programs are found on PATH: a link that leaves the
        // workspace is not followed.
        std::os::unix::fs::symlink(&packages, home.root().join("node_modules")).unwrap();
        let programs = home.outside().join("bin");
        std::fs::create_dir(&programs).unwrap();
        for name in ["vitest", "jest", "tsc", "eslint", "prettier"] {
            let program = packages.join(".bin").join(name).canonicalize().unwrap();
            std::os::unix::fs::symlink(program, programs.join(name)).unwrap();
        }
        let biome = packages.join("@biomejs/cli-linux-x64/biome");
        std::os::unix::fs::symlink(biome, programs.join("biome")).unwrap();
        Some(Self { home, programs })
    }

    fn call(&self, tool: &str, params: Value) -> Result<Value, Value> {
        let node = component("node").map(|node| node.parent().unwrap().to_owned());
        let first: Vec<&Path> =
            [Some(&*self.programs), node.as_deref()].into_iter().flatten().collect();
        call_with(&self.home, &first, tool, params)
    }

    fn must(&self, tool: &str, params: Value) -> Value {
        self.call(tool, params).unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.home.root().join(file), text).unwrap();
    }
}

/// The diagnostics as file, line and code.
fn places(result: &Value) -> Vec<(String, u64, String)> {
    let diagnostics = result["diagnostics"].as_array().unwrap_or_else(|| panic!("{result}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    diagnostics
        .iter()
        .map(|one| {
            (text(&one["file"]), one["line"].as_u64().unwrap_or_default(), text(&one["code"]))
        })
        .collect()
}

#[test]
fn vitest_is_read() {
    let Some(web) = WebProject::new("vitest_is_read", "vitest") else { return };
    let result = web.must("test", json!({ "path": "test" }));
    assert_eq!((&result["runner"], counts(&result)), (&json!("vitest"), (2, 6, 2)), "{result}");
    let labels = failure(&result, "shop > labels");
    assert_eq!((&labels["file"], &labels["line"]), (&json!("test/shop.test.ts"), &json!(12)));
    assert_eq!(labels["expected"], "\"tea: 3\"");
    assert_eq!(
        (&labels["found"], &labels["output"]),
        (&json!("\"tea: 2\""), &json!("a label is next"))
    );
    let objects = failure(&result, "shop > compares objects")["message"].as_str().unwrap();
    assert!(objects.contains("-     3,\n+     2,"), "{objects}");
    let broken = failure(&result, "test/broken.test.ts");
    assert!(broken["message"].as_str().unwrap().contains("Cannot find module '../src/missing'"));
    let crash = failure(&result, "ends its process");
    assert!(crash["message"].as_str().unwrap().contains("process.exit"), "{crash}");
    let slow = failure(&result, "never ends")["message"].as_str().unwrap();
    assert!(slow.contains("timed out in 200ms"), "{slow}");
    // The command does what it says.
    let rerun = web.must("run_command", json!({ "command": labels["rerun"] }));
    let printed = rerun["stdout"].as_str().unwrap();
    assert!(printed.contains("1 failed") && printed.contains("labels"), "{rerun}");
    let again = web.must("test", json!({ "failed_only": true }));
    assert_eq!(again["failed"], 6, "{again}");
    let one = web.must("test", json!({ "path": "test/shop.test.ts", "filter": "sums" }));
    assert_eq!((&one["success"], &one["passed"]), (&json!(true), &json!(1)), "{one}");
    std::fs::remove_file(web.home.root().join("runs.txt")).unwrap();
    let flaky = web.must("test", json!({ "path": "test/flake.test.ts", "repeat": 5 }));
    assert_eq!((&flaky["runs"], &flaky["flaky"]), (&json!(3), &json!(true)), "{flaky}");
}

#[test]
fn a_hanging_vitest_is_killed() {
    let Some(web) = WebProject::new("a_hanging_vitest_is_killed", "vitest") else { return };
    let started = Instant::now();
    let error = web.call("test", json!({ "path": "hang", "timeout_ms": 4_000 })).unwrap_err();
    assert_eq!(error["code"], "E_TIMEOUT", "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn jest_is_read() {
    let Some(web) = WebProject::new("jest_is_read", "jest") else { return };
    let result = web.must("test", json!({ "path": "specs" }));
    assert_eq!((&result["runner"], counts(&result)), (&json!("jest"), (2, 6, 2)), "{result}");
    let labels = failure(&result, "shop > labels");
    assert_eq!((&labels["file"], &labels["line"]), (&json!("specs/shop.test.js"), &json!(10)));
    assert_eq!(
        (&labels["expected"], &labels["found"]),
        (&json!("\"tea: 3\""), &json!("\"tea: 2\""))
    );
    let broken = failure(&result, "specs/broken.test.js");
    assert_eq!(
        (&broken["message"], &broken["line"]),
        (&json!("Cannot find module '../missing' from 'specs/broken.test.js'"), &json!(1))
    );
    let again = web.must("test", json!({ "failed_only": true }));
    assert_eq!(again["failed"], 6, "{again}");
    let coverage = web.must("test", json!({ "path": "specs/shop.test.js", "coverage": true }));
    assert_eq!(coverage["coverage"]["files"][0]["file"], "shop.js", "{coverage}");
    assert_eq!((&coverage["coverage"]["lines"], counts(&coverage)), (&json!(2), (2, 3, 2)));
    let crash = web.must("test", json!({ "path": "hang/crash.test.js" }));
    assert_eq!(crash["success"], false);
    assert!(
        crash["diagnostics"][0]["message"].as_str().unwrap().contains("process.exit"),
        "{crash}"
    );
}

#[test]
fn typescript_is_linted_type_checked_and_formatted() {
    let test = "typescript_is_linted_type_checked_and_formatted";
    let Some(web) = WebProject::new(test, "vitest") else { return };
    let lint = web.must("lint", json!({ "path": "src/old.js" }));
    let expected = [(2, "prefer-const"), (3, "no-debugger")];
    let expected = expected.map(|(line, code)| ("src/old.js".to_owned(), line, code.to_owned()));
    assert_eq!((&lint["runner"], places(&lint)), (&json!("eslint"), expected.to_vec()), "{lint}");
    let fixed = web.must("lint", json!({ "path": "src/old.js", "fix": true }));
    assert_eq!(places(&fixed), expected[1..], "{fixed}");
    assert_eq!(web.must("typecheck", json!({}))["success"], true);
    let cart = std::fs::read_to_string(web.home.root().join("src/cart.ts")).unwrap();
    web.write("src/cart.ts", &cart.replace("): string {", "): number {"));
    let types = web.must("typecheck", json!({}));
    let expected = [("src/cart.ts".to_owned(), 7, "TS2322".to_owned())];
    assert_eq!((&types["runner"], places(&types)), (&json!("tsc"), expected.to_vec()), "{types}");
    let format = web.must("format", json!({ "path": "src", "check": true }));
    let files = json!(["src/cart.ts", "src/old.js", "src/shop.ts"]);
    assert_eq!((&format["runner"], &format["files"]), (&json!("prettier"), &files), "{format}");
    web.must("format", json!({ "path": "src" }));
    let format = web.must("format", json!({ "path": "src", "check": true }));
    assert_eq!(format["success"], true, "{format}");

    web.write("biome.json", "{}");
    let lint = web.must("lint", json!({ "path": "src/old.js" }));
    let rule = "lint/suspicious/noDebugger".to_owned();
    assert!(places(&lint).contains(&("src/old.js".to_owned(), 3, rule)), "{lint}");
    let format = web.must("format", json!({ "path": "src", "check": true }));
    assert_eq!(
        (&format["runner"], &format["success"]),
        (&json!("biome format"), &json!(false)),
        "{format}"
    );
    web.must("format", json!({ "path": "src" }));
    assert_eq!(web.must("format", json!({ "path": "src", "check": true }))["success"], true);
    web.write("src/cart.ts", "export const x: = 3\n");
    let broken = web.must("format", json!({ "path": "src/cart.ts" }));
    assert_eq!(places(&broken), [("src/cart.ts".to_owned(), 1, "parse".to_owned())], "{broken}");
}
