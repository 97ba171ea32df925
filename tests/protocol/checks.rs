//! `build`, `test`, `lint`, `typecheck`, `format` and the kept runs, with real projects and programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Home, component, skip};

/// A workspace with a copy of a project of `fixtures/checks`.
pub(crate) fn project(name: &str) -> Home {
    let home = Home::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/checks").join(name);
    copy(&source, &home.root());
    home
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                std::fs::create_dir_all(&to).unwrap();
                copy(&entry.path(), &to);
            }
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A command of the program with the machine's toolchains, which the tests' home lacks, and these
/// folders before its `PATH`.
pub(crate) fn command(home: &Home, first: &[&Path]) -> Command {
    let mut command = home.command();
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let default = std::env::home_dir().map(|home| home.join(folder).into_os_string());
        command.envs(std::env::var_os(name).or(default).map(|value| (name, value)));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().map(|folder| folder.to_path_buf());
    command.env("PATH", std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap());
    command
}

fn arguments(home: &Home, tool: &str, params: &Value) -> Vec<String> {
    let root = home.root().to_string_lossy().into_owned();
    ["call", "--yes", tool, &params.to_string(), "--workspace", &root].map(str::to_owned).to_vec()
}

fn outcome(output: &Output) -> Result<Value, Value> {
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    if output.status.success() { Ok(value) } else { Err(value) }
}

pub(crate) fn call(home: &Home, tool: &str, params: Value) -> Result<Value, Value> {
    call_with(home, &[], tool, params)
}

pub(crate) fn call_with(
    home: &Home,
    first: &[&Path],
    tool: &str,
    params: Value,
) -> Result<Value, Value> {
    outcome(&command(home, first).args(arguments(home, tool, &params)).output().unwrap())
}

pub(crate) fn must(home: &Home, tool: &str, params: Value) -> Value {
    call(home, tool, params.clone()).unwrap_or_else(|error| panic!("{tool} {params}: {error}"))
}

pub(crate) fn counts(result: &Value) -> (u64, u64, u64) {
    let count = |field: &str| result[field].as_u64().unwrap_or_else(|| panic!("{field}: {result}"));
    (count("passed"), count("failed"), count("skipped"))
}

pub(crate) fn failure<'r>(result: &'r Value, name: &str) -> &'r Value {
    let failures = result["failures"].as_array().unwrap();
    let found = failures.iter().find(|failure| failure["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {result}"))
}

/// A folder with the programs of an environment of Python. Their own first lines name the folder in
/// which the environment was made, which is not where it is.
fn wrappers(home: &Home, program: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (folder, bin) = (home.outside().join("bin"), program.parent().unwrap().display());
    std::fs::create_dir(&folder).unwrap();
    for name in ["pytest", "mypy", "black", "cmake", "ctest", "ruff"] {
        let python = if name == "ruff" { String::new() } else { format!("{bin}/python ") };
        let script = folder.join(name);
        std::fs::write(&script, format!("#!/bin/sh\nexec {python}{bin}/{name} \"$@\"\n")).unwrap();
        std::fs::set_permissions(script, PermissionsExt::from_mode(0o755)).unwrap();
    }
    folder
}

/// Whether a process with this text in its command line runs.
pub(crate) fn is_running(text: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.starts_with("sleep") && line.contains(text)
    })
}

#[test]
fn the_nearest_cargo_package_is_tested() {
    let home = project("cargo");
    let result = must(&home, "test", json!({ "path": "pass/src/lib.rs" }));
    assert_eq!((counts(&result), &result["success"]), ((1, 0, 0), &json!(true)));
    assert_eq!((&result["project"], &result["runner"]), (&json!("pass"), &json!("cargo test")));

    let result = must(&home, "test", json!({ "path": "fail" }));
    assert_eq!(counts(&result), (1, 3, 0));
    let two = failure(&result, "tests::doubles_two");
    assert_eq!((&two["file"], &two["line"]), (&json!("fail/src/lib.rs"), &json!(22)));
    assert!(two["message"].as_str().unwrap().ends_with("left: 3\n right: 4"), "{two}");
    assert_eq!(two["output"], "two is next");
    let line = "cd fail && cargo test --lib -- --exact tests::doubles_two";
    assert_eq!(two["rerun"], line);
    // The command does what it says.
    let rerun = must(
        &home,
        "run_command",
        json!({ "command": two["rerun"], "env": { "CARGO_TERM_COLOR": "never" } }),
    );
    let printed = rerun["stdout"].as_str().unwrap();
    assert!(printed.contains("0 passed; 1 failed") && printed.contains("doubles_two"), "{rerun}");

    let again = must(&home, "test", json!({ "path": "fail", "failed_only": true }));
    // An example in documentation cannot be run alone, so all run.
    assert_eq!(counts(&again), (1, 3, 0));
    let text = std::fs::read_to_string(home.root().join("fail/src/lib.rs")).unwrap();
    std::fs::write(home.root().join("fail/src/lib.rs"), text.replace("+ 1", "* 2")).unwrap();
    let again = must(&home, "test", json!({ "path": "fail", "failed_only": true }));
    assert_eq!(counts(&again), (3, 1, 0), "{again}");
    let again = must(&home, "test", json!({ "path": "fail", "failed_only": true }));
    assert_eq!(counts(&again), (0, 1, 0), "{again}");
    let symbol = json!({ "path": "fail/src/lib.rs", "symbol": "tests/doubles_one" });
    assert_eq!(counts(&must(&home, "test", symbol)), (1, 0, 0));
}

#[test]
fn a_test_program_that_crashes_is_a_failure() {
    let home = project("cargo");
    let result = must(&home, "test", json!({ "path": "crash" }));
    let crash = &result["failures"][0];
    assert!(crash["message"].as_str().unwrap().contains("SIGABRT"), "{result}");
    assert!(crash["output"].as_str().unwrap().contains("before the end"), "{result}");
    assert_eq!((&result["success"], &result["failed"]), (&json!(false), &json!(1)));
}

#[test]
fn a_flaky_test_is_repeated_until_it_fails() {
    let home = project("cargo");
    let result = must(&home, "test", json!({ "path": "flake", "repeat": 10 }));
    assert_eq!((&result["runs"], &result["failed"]), (&json!(3), &json!(1)));
    let error = call(&home, "test", json!({ "path": "flake", "repeat": 0 })).unwrap_err();
    assert_eq!(error["code"], "E_INVALID_PARAMS");
}

#[test]
fn a_hanging_test_is_killed_with_what_it_started() {
    let home = project("cargo");
    must(&home, "build", json!({ "path": "hang" }));
    let started = Instant::now();
    let error = call(&home, "test", json!({ "path": "hang", "timeout_ms": 15_000 })).unwrap_err();
    assert_eq!(error["code"], "E_TIMEOUT", "{error}");
    assert!(started.elapsed() < Duration::from_secs(40));
    assert!(!is_running("98765."), "what the test started is still there");
    let run = must(&home, "build_status", json!({ "id": error["details"]["run"] }));
    assert_eq!(run["status"], "timed_out");
}

#[test]
fn a_cancelled_run_leaves_nothing() {
    let home = Home::new();
    // A test that leaves a program behind which has left its session.
    let makefile = "test:\n\tsetsid sleep 98766.5 & sleep 98766.5\n";
    std::fs::write(home.root().join("Makefile"), makefile).unwrap();
    let mut caller = command(&home, &[])
        .args(arguments(&home, "test", &json!({})))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !is_running("98766.5") {
        assert!(started.elapsed() < Duration::from_secs(30), "it did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&caller);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    caller.wait().unwrap();
    let ended = Instant::now();
    while is_running("98766.5") {
        assert!(ended.elapsed() < Duration::from_secs(10), "it outlived its call");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_daemon_does_not_outlive_its_test() {
    let home = Home::new();
    let makefile =
        "test:\n\tsetsid sleep 98767.5 >/dev/null 2>&1 & sleep 0.2; echo 'ok 1 - starts'\n";
    std::fs::write(home.root().join("Makefile"), makefile).unwrap();
    let result = must(&home, "test", json!({}));
    assert_eq!(counts(&result), (1, 0, 0));
    assert!(!is_running("98767.5"), "the daemon is still there");
}

#[test]
fn a_flood_of_output_is_bounded() {
    let home = Home::new();
    // 300 MB, among it a result.
    let makefile = "test:\n\t@yes 'not a result of anything' | head -c 150000000; \
                    echo; echo 'not ok 1 - drowns'; yes x | tr -d '\\n' | head -c 150000000; false\n";
    std::fs::write(home.root().join("Makefile"), makefile).unwrap();
    let result = must(&home, "test", json!({}));
    assert_eq!(counts(&result), (0, 1, 0));
    assert!(result.to_string().len() < 20_000);
    let logs = must(&home, "build_logs", json!({ "tail": 3 }));
    assert!(logs.to_string().len() < 60_000);
}

#[test]
fn a_missing_program_says_how_to_get_it() {
    let home = Home::new();
    std::fs::write(home.root().join("mix.exs"), "").unwrap();
    let error = call(&home, "test", json!({})).unwrap_err();
    assert_eq!(error["code"], "E_UNAVAILABLE", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("apt-get install elixir"), "{error}");
    let error = call(&Home::new(), "test", json!({})).unwrap_err();
    assert_eq!(error["code"], "E_UNSUPPORTED", "{error}");
}

#[test]
fn of_several_projects_one_is_named() {
    let home = Home::new();
    for folder in ["backend", "frontend"] {
        std::fs::create_dir(home.root().join(folder)).unwrap();
    }
    std::fs::write(home.root().join("backend/setup.cfg"), "").unwrap();
    std::fs::write(home.root().join("frontend/package.json"), "{}").unwrap();
    let error = call(&home, "test", json!({})).unwrap_err();
    assert_eq!(error["code"], "E_AMBIGUOUS");
    assert!(error["hint"].as_str().unwrap().contains("backend, frontend"), "{error}");
    let result = must(&home, "test", json!({ "runner": "python" }));
    assert_eq!(result["project"], "backend");
}

#[test]
fn a_person_adds_a_kind() {
    let home = Home::new();
    let kinds = home.outside().join("config/tandem/checks");
    std::fs::create_dir_all(&kinds).unwrap();
    let kind = "files = ['own.txt']\n[[lint]]\nname = 'own lint'\ncommand = ['cat', 'own.txt']\n\
                patterns = ['^(?P<file>[^:]+):(?P<line>\\d+): (?P<message>.+)$']\ninstall = 'none'\n";
    std::fs::write(kinds.join("own.toml"), kind).unwrap();
    std::fs::write(home.root().join("own.txt"), "own.txt:1: too short\nnoise\n").unwrap();
    let result = must(&home, "lint", json!({}));
    assert_eq!(result["diagnostics"][0]["message"], "too short");
    std::fs::write(kinds.join("own.toml"), "files = 3").unwrap();
    let error = call(&home, "lint", json!({})).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("own.toml"), "{error}");
}

#[test]
fn a_build_has_diagnostics_with_places() {
    let home = project("make");
    let result = must(&home, "build", json!({}));
    assert_eq!((&result["success"], &result["warnings"]), (&json!(true), &json!(1)));
    let warning = &result["diagnostics"][0];
    assert_eq!((&warning["file"], &warning["line"]), (&json!("program.c"), &json!(4)));
    assert_eq!(warning["code"], "-Wunused-variable");
    assert_eq!(counts(&must(&home, "test", json!({}))), (1, 1, 0));
    let path = home.root().join("program.c");
    std::fs::write(&path, "int main(void) { return nothing; }\n").unwrap();
    let result = must(&home, "build", json!({}));
    assert_eq!((&result["success"], &result["errors"]), (&json!(false), &json!(1)));
    assert_eq!(result["diagnostics"][0]["column"], 25);
}

#[test]
fn rust_is_linted_type_checked_and_formatted() {
    let home = project("cargo");
    let file = home.root().join("pass/src/lib.rs");
    std::fs::write(&file, "pub fn one( ) -> i32 {\n    let x = 1;\n    return x;\n}\n").unwrap();
    let result = must(&home, "lint", json!({ "path": "pass/src/lib.rs" }));
    let codes: Vec<_> =
        result["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("clippy::needless_return")), "{result}");
    let fixed = must(&home, "lint", json!({ "path": "pass", "fix": true }));
    assert_eq!(fixed["success"], true, "{fixed}");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("return"));
    let check = must(&home, "format", json!({ "path": "pass", "check": true }));
    assert_eq!((&check["success"], &check["files"]), (&json!(false), &json!(["pass/src/lib.rs"])));
    assert!(must(&home, "format", json!({ "path": "pass" }))["success"] == true);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("pub fn one() -> i32"));
    std::fs::write(&file, "pub fn one() -> i32 {\n    \"x\"\n}\n").unwrap();
    let result = must(&home, "typecheck", json!({ "path": "pass/src/lib.rs" }));
    let error = &result["diagnostics"][0];
    assert_eq!((&error["code"], &error["line"]), (&json!("E0308"), &json!(2)), "{result}");
}

#[test]
fn node_tests_are_read() {
    let home = project("node");
    let result = must(&home, "test", json!({}));
    assert_eq!(counts(&result), (1, 3, 1), "{result}");
    let fails = failure(&result, "subtracts");
    assert_eq!((&fails["file"], &fails["line"]), (&json!("test/add.test.js"), &json!(5)));
    assert_eq!((&fails["expected"], &fails["found"]), (&json!("3"), &json!("1")));
    failure(&result, "objects > compares");
    let one = must(
        &home,
        "test",
        json!({ "path": "test/add.test.js", "filter": "adds", "coverage": true }),
    );
    assert_eq!((&one["passed"], &one["failed"]), (&json!(1), &json!(0)));
    let file = &one["coverage"]["files"][0];
    assert_eq!(file["file"], "test/add.test.js", "{one}");
    assert!(one["coverage"]["lines"].as_u64() >= Some(9), "{one}");
    let result = must(&home, "build", json!({}));
    assert_eq!(result["diagnostics"][0]["code"], "TS2322", "{result}");
}

#[test]
fn unittest_is_read() {
    let home = project("unittest");
    let result = must(&home, "test", json!({ "runner": "unittest" }));
    assert_eq!(counts(&result), (1, 1, 1));
    let fails = failure(&result, "test_plain.TestPlain.test_fails");
    assert_eq!((&fails["file"], &fails["line"]), (&json!("test_plain.py"), &json!(9)));
    let again = must(&home, "test", json!({ "runner": "unittest", "failed_only": true }));
    assert_eq!(counts(&again), (0, 1, 0));
}

#[test]
fn python_is_tested_linted_and_type_checked() {
    let Some(pytest) = component("check-tools") else {
        return skip("python_is_tested_linted_and_type_checked", "check-tools");
    };
    let home = project("python");
    let programs = wrappers(&home, &pytest);
    let must = |tool: &str, params: Value| call_with(&home, &[&programs], tool, params).unwrap();
    let result = must("test", json!({}));
    assert_eq!(counts(&result), (1, 4, 1), "{result}");
    let fails = failure(&result, "tests/test_shop.py::TestTotal::test_total[prices1-4]");
    assert_eq!((&fails["file"], &fails["line"]), (&json!("tests/test_shop.py"), &json!(12)));
    assert_eq!(fails["output"], "prices [1, 2]");
    assert!(
        failure(&result, "tests/test_shop.py::test_database").to_string().contains("no database")
    );
    // The flaky test passes now.
    let again = must("test", json!({ "failed_only": true }));
    assert_eq!(counts(&again), (1, 3, 0));
    let one =
        must("test", json!({ "path": "tests/test_shop.py", "symbol": "TestTotal/test_total" }));
    assert_eq!(counts(&one), (1, 1, 0));
    let coverage = must("test", json!({ "coverage": true }))["coverage"].clone();
    assert!(coverage["covered"].as_u64() >= Some(10), "{coverage}");
    let lint = must("lint", json!({}));
    let unused = &lint["diagnostics"][0];
    assert_eq!((&unused["file"], &unused["code"]), (&json!("shop.py"), &json!("F401")));
    assert_eq!(unused["fixable"], true);
    let types = must("typecheck", json!({ "path": "shop.py" }));
    assert_eq!((&types["errors"], &types["diagnostics"][0]["line"]), (&json!(1), &json!(9)));
    std::fs::write(home.root().join("shop.py"), "x=1\n").unwrap();
    let format = must("format", json!({ "check": true, "path": "shop.py" }));
    assert_eq!(format["files"], json!(["shop.py"]), "{format}");
}

#[test]
fn a_run_with_coverage_leaves_out_tests_later() {
    let Some(pytest) = component("check-tools") else {
        return skip("a_run_with_coverage_leaves_out_tests_later", "check-tools");
    };
    let home = project("python");
    let programs = wrappers(&home, &pytest);
    let shop = "def price(x):\n    return x + 1\n\ndef label(x):\n    return str(x)\n\n\
                def run(name, x):\n    return {'price': price, 'label': label}[name](x)\n";
    let tests = "import shop\n\ndef test_price():\n    assert shop.run('price', 1) == 2\n\n\
                 def test_label():\n    assert shop.run('label', 1) == '1'\n";
    std::fs::write(home.root().join("shop.py"), shop).unwrap();
    std::fs::write(home.root().join("tests/test_shop.py"), tests).unwrap();
    std::fs::write(home.root().join(".gitignore"), "__pycache__\n.pytest_cache\n").unwrap();
    git(&home, &["init", "--quiet"]);
    git(&home, &["add", "--all"]);
    git(&home, &["commit", "--quiet", "-m", "first"]);
    let must = |params: Value| call_with(&home, &[&programs], "test", params).unwrap();
    let change = || {
        std::fs::write(home.root().join("shop.py"), shop.replace("str(x)", "repr(x)")).unwrap();
        must(json!({ "affected": true, "dry_run": true }))["affected"].clone()
    };
    assert_eq!(change()["selected"], 2);
    std::fs::write(home.root().join("shop.py"), shop).unwrap();
    let run = must(json!({ "coverage": true }));
    assert_eq!(counts(&run), (2, 0, 0), "{run}");
    let affected = change();
    assert_eq!(affected["tests"], json!(["tests/test_shop.py::test_label"]), "{affected}");
    assert_eq!(affected["left_out_by_coverage"], 1, "{affected}");
    assert_eq!(must(json!({ "affected": true }))["passed"], 1);
}

#[test]
fn cmake_is_built_and_tested() {
    let Some(tools) = component("check-tools") else {
        return skip("cmake_is_built_and_tested", "check-tools");
    };
    let home = project("cmake");
    let programs = wrappers(&home, &tools);
    let programs = [programs.as_path()];
    let result = call_with(&home, &programs, "test", json!({})).unwrap();
    assert_eq!(counts(&result), (1, 3, 0), "{result}");
    let fails = failure(&result, "fails");
    assert_eq!((&fails["file"], &fails["line"]), (&json!("fails.c"), &json!(6)), "{result}");
    let build = call_with(&home, &programs, "build", json!({})).unwrap();
    assert_eq!(build["success"], true, "{build}");
    let again = call_with(&home, &programs, "test", json!({ "failed_only": true })).unwrap();
    assert_eq!(counts(&again), (0, 3, 0));
}

#[test]
fn go_is_tested_with_coverage() {
    let Some(dlv) = component("delve") else { return skip("go_is_tested_with_coverage", "delve") };
    let go = dlv.parent().unwrap().parent().unwrap().join("lib/go-1.24/bin");
    let home = project("go");
    git(&home, &["init", "--quiet"]);
    git(&home, &["add", "--all"]);
    git(&home, &["commit", "--quiet", "-m", "first"]);
    let source = home.root().join("shop.go");
    let text = std::fs::read_to_string(&source).unwrap().replace("sum - 10", "sum - 9");
    std::fs::write(&source, text).unwrap();
    let call = |params: Value| call_with(&home, &[&go], "test", params).unwrap();
    let plan = call(json!({ "affected": true, "dry_run": true }));
    assert_eq!(plan["affected"]["tests"], json!(["TestTotal"]), "{plan}");
    std::fs::write(home.root().join("odd.go"), "package shop\n\nfunc Odd( n int ) {}\n").unwrap();
    let check = call_with(&home, &[&go], "format", json!({ "check": true })).unwrap();
    assert_eq!(
        (&check["success"], &check["files"]),
        (&json!(false), &json!(["odd.go"])),
        "{check}"
    );
    std::fs::remove_file(home.root().join("odd.go")).unwrap();
    let result = call(json!({ "coverage": true }));
    assert_eq!((&result["success"], &result["passed"]), (&json!(false), &json!(2)), "{result}");
    let fails = failure(&result, "TestLabel/two");
    assert_eq!((&fails["file"], &fails["line"]), (&json!("shop_test.go"), &json!(17)));
    assert!(fails["message"].as_str().unwrap().contains("expected two, found many"), "{fails}");
    assert!(result["failures"].to_string().contains("nil pointer dereference"), "{result}");
    // Only files that have changed are listed.
    let files = result["coverage"]["files"].as_array().unwrap();
    assert_eq!((files.len(), &files[0]["file"]), (1, &json!("shop.go")), "{result}");
    assert_eq!(files[0]["uncovered"], json!(["10-11", "17-18"]), "{result}");
}

#[test]
fn coverage_says_what_it_needs() {
    let home = project("cargo");
    let has_it = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).exists())
    };
    if !has_it("cargo-llvm-cov") {
        let error = call(&home, "test", json!({ "path": "pass", "coverage": true })).unwrap_err();
        assert_eq!(error["code"], "E_UNAVAILABLE", "{error}");
        assert!(
            error["hint"].as_str().unwrap().contains("cargo install cargo-llvm-cov"),
            "{error}"
        );
    }
    let error = call(&project("make"), "test", json!({ "coverage": true })).unwrap_err();
    assert_eq!(error["code"], "E_UNSUPPORTED", "{error}");
}

#[test]
fn runs_are_kept() {
    let home = project("make");
    for _ in 0..2 {
        must(&home, "build", json!({}));
    }
    must(&home, "test", json!({}));
    let builds = must(&home, "build_list", json!({ "check": "build" }))["builds"].clone();
    let ids: Vec<_> = builds.as_array().unwrap().iter().map(|build| &build["id"]).collect();
    assert_eq!(ids, ["2", "1"]);
    let last = must(&home, "build_status", json!({}));
    assert_eq!((&last["id"], &last["status"]), (&json!("3"), &json!("failed")));
    assert_eq!(last["failures"][0]["name"], "subtracts");
    let logs = must(&home, "build_logs", json!({ "id": "1", "filter": "make" }));
    assert_eq!(logs["lines"][0], "$ make -k");
    let error = call(&home, "build_logs", json!({ "id": "99" })).unwrap_err();
    assert_eq!(error["code"], "E_NO_MATCH");
}

#[test]
fn nothing_runs_without_approval() {
    let home = project("make");
    let root = home.root();
    let arguments = ["call", "build", "{}", "--workspace", root.to_str().unwrap()];
    let output = command(&home, &[]).args(arguments).output().unwrap();
    assert_eq!(outcome(&output).unwrap_err()["code"], "E_DENIED");
    assert!(!root.join("program").exists());
}

fn git(home: &Home, words: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"])
        .arg(home.root())
        .args(words)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn affected_tests_are_those_that_can_see_the_change() {
    let home = project("cargo");
    let library = "pub mod a;\npub fn two() -> i32 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    \
                   fn is_two() {\n        assert_eq!(super::two(), 2);\n    }\n}\n";
    let module = "pub fn one() -> i32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {\n        \
                  assert_eq!(super::one(), 1);\n    }\n}\n";
    std::fs::write(home.root().join("pass/src/lib.rs"), library).unwrap();
    std::fs::write(home.root().join("pass/src/a.rs"), module).unwrap();
    let call = json!({ "path": "pass", "affected": true });
    let error = call_with(&home, &[], "test", call.clone()).unwrap_err();
    assert_eq!(error["code"], "E_UNSUPPORTED", "{error}");
    git(&home, &["init", "--quiet"]);
    std::fs::write(home.root().join(".gitignore"), "target\nCargo.lock\n").unwrap();
    git(&home, &["add", "--all"]);
    git(&home, &["commit", "--quiet", "-m", "first"]);
    let none = must(&home, "test", call.clone());
    assert_eq!((&none["affected"]["selected"], &none["affected"]["of"]), (&json!(0), &json!(2)));
    assert!(none["run"].is_null() && none["success"] == true, "{none}");

    std::fs::write(home.root().join("pass/src/a.rs"), module.replace("    1\n}", "    3\n}"))
        .unwrap();
    let plan = must(&home, "test", json!({ "path": "pass", "affected": true, "dry_run": true }));
    assert_eq!(plan["affected"]["tests"], json!(["tests::is_one"]), "{plan}");
    let changed = &plan["affected"]["changed"][0];
    assert!(changed.as_str().unwrap().starts_with("pass/src/a.rs one"), "{plan}");
    let result = must(&home, "test", call.clone());
    assert_eq!((counts(&result), &result["affected"]["selected"]), ((0, 1, 0), &json!(1)));

    git(&home, &["commit", "--quiet", "--all", "-m", "second"]);
    let since = must(
        &home,
        "test",
        json!({ "path": "pass", "affected": true, "since": "HEAD~1", "dry_run": true }),
    );
    assert_eq!(since["affected"]["selected"], 1, "{since}");
    std::fs::write(home.root().join("pass/Cargo.toml"), "[package]\nname = \"pass\"\n").unwrap();
    let all = must(&home, "test", json!({ "path": "pass", "affected": true, "dry_run": true }));
    assert_eq!(all["affected"]["all_because"], "pass/Cargo.toml changed", "{all}");
}

#[test]
fn the_test_at_a_line_runs_alone() {
    let home = project("cargo");
    let result = must(&home, "test", json!({ "path": "fail/src/lib.rs", "line": 22 }));
    assert_eq!(counts(&result), (0, 1, 0));
    failure(&result, "tests::doubles_two");
    let error = call(&home, "test", json!({ "path": "fail/src/lib.rs", "line": 900 })).unwrap_err();
    assert_eq!(error["code"], "E_INVALID_PARAMS", "{error}");
}

#[test]
fn what_a_run_fetches_is_kept_for_later_ones() {
    let home = Home::new();
    let kinds = home.outside().join("config/tandem/checks");
    std::fs::create_dir_all(&kinds).unwrap();
    let kind = "files = ['own.txt']\n[packages]\nenv = { PACKAGES = '{}' }\noffline = { OFFLINE = 'yes' }\n\
                [[lint]]\nname = 'own lint'\ncommand = ['sh', 'own.txt']\n\
                patterns = ['^(?P<file>[^:]+):(?P<line>\\d+): (?P<message>.+)$']\ninstall = 'none'\n";
    std::fs::write(kinds.join("own.toml"), kind).unwrap();
    let script = "if [ -z \"$OFFLINE\" ]; then echo got > \"$PACKAGES/package\"; fi\n\
                  echo \"own.txt:1: $(cat \"$PACKAGES/package\" 2>&1)\"\ntouch \"$HOME/outside\" && echo own.txt:2: escaped\n";
    std::fs::write(home.root().join("own.txt"), script).unwrap();
    let message = |params: Value| must(&home, "lint", params)["diagnostics"].clone();
    assert!(message(json!({}))[0]["message"].as_str().unwrap().contains("No such file"));
    assert_eq!(message(json!({ "network": true }))[0]["message"], "got");
    let later = message(json!({}));
    assert_eq!(later[0]["message"], "got");
    assert_eq!(later.as_array().unwrap().len(), 1, "{later}");
}
