//! The command line, but for `lsp`.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tests::{Fixture, Home, RESPONSE_TIMEOUT, ToolError};

/// A folder with a fixture's files.
fn home(fixture: &str) -> Home {
    let home = Home::new();
    for file in Fixture::parse(fixture).files {
        let path = home.root().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    home
}

fn run(home: &Home, arguments: &[&str], input: &str) -> Output {
    let mut command = home.command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input may be gone before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn call(home: &Home, tool: &str, arguments: &str, input: &str) -> Output {
    let root = home.root();
    run(home, &["call", tool, arguments, "--workspace", root.to_str().unwrap()], input)
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).unwrap_or_else(|error| {
        panic!("{error}: {:?}; stderr: {}", stdout(output), String::from_utf8_lossy(&output.stderr))
    })
}

const FIXTURE: &str = "//- /a.txt\nhere\n";

/// What has no end is refused before it is read.
#[test]
fn highlight_reads_files_only() {
    let home = Home::new();
    for path in ["/dev/zero", "/dev/tty", "/dev"] {
        let started = std::time::Instant::now();
        let output = home.command().args(["highlight", path]).output().unwrap();
        assert!(!output.status.success(), "{path}");
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{path}: {:?}", started.elapsed());
    }
}

#[test]
fn call_prints_the_result() {
    let home = home(FIXTURE);
    let output = call(&home, "read_file", r#"{"path":"a.txt"}"#, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json_of(&output)["content"], "here\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn call_works_in_the_current_folder() {
    let home = home(FIXTURE);
    let mut command = home.command();
    let output = command
        .current_dir(home.root())
        .args(["call", "read_file", r#"{"path":"a.txt"}"#])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json_of(&output)["content"], "here\n");
}

#[test]
fn call_reads_its_arguments_from_stdin() {
    let home = home(FIXTURE);
    let output = call(&home, "read_file", "-", "{\"path\": \"a.txt\"}\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json_of(&output)["content"], "here\n");
}

#[test]
fn call_edits() {
    let home = home(FIXTURE);
    let output =
        call(&home, "apply_edit", r#"{"path":"a.txt","old_text":"here","new_text":"there"}"#, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json_of(&output)["files"][0]["patches"][0]["outcome"], "applied");
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "there\n");
}

#[test]
fn a_tools_error_is_json_on_stdout_and_exit_1() {
    let home = home(FIXTURE);
    for (tool, arguments, code) in [
        ("read_file", r#"{"path":"b.txt"}"#, "E_FILE_NOT_FOUND"),
        ("read_file", r#"{"path":"../x"}"#, "E_PATH_FORBIDDEN"),
        ("read_file", r#"{"paht":"a.txt"}"#, "E_INVALID_PARAMS"),
        ("read_file", "{}", "E_INVALID_PARAMS"),
        ("no_such_tool", "{}", "E_TOOL_NOT_FOUND"),
        ("apply_edit", r#"{"path":"a.txt","old_text":"x","new_text":"y"}"#, "E_NO_MATCH"),
    ] {
        let output = call(&home, tool, arguments, "");
        assert_eq!(output.status.code(), Some(1), "{tool} {arguments}: {output:?}");
        let mut error = json_of(&output);
        if error["error"].is_object() {
            error = error["error"].take();
        }
        assert_eq!(ToolError::from_data(&error).code, code, "{tool} {arguments}");
    }
}

#[test]
fn usage_is_exit_2_and_nothing_on_stdout() {
    let home = home(FIXTURE);
    for arguments in ["", "{", "nonsense", "[]", "5", "null", "\"a.txt\"", r#"{"path":"a.txt"} x"#]
    {
        for (given, input) in [(arguments, ""), ("-", arguments)] {
            let output = call(&home, "read_file", given, input);
            assert_eq!(output.status.code(), Some(2), "{given:?} {input:?}: {output:?}");
            assert_eq!(stdout(&output), "", "{given:?} {input:?}");
            assert!(!output.stderr.is_empty());
        }
    }
    for arguments in [
        &["call"][..],
        &["no-such-command"],
        &["call", "--no-such-flag"],
        &["lsp", "--port", "x"],
        &["lsp", "--stdio", "--port", "1"],
    ] {
        let output = run(&home, arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn a_nonexistent_workspace_is_reported() {
    let home = home(FIXTURE);
    for workspace in ["no/such/dir", "workspace/a.txt"] {
        let output =
            run(&home, &["call", "read_file", r#"{"path":"a.txt"}"#, "--workspace", workspace], "");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        let said = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(workspace) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn tools_are_listed() {
    let home = home(FIXTURE);
    let output = run(&home, &["tools"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for tool in ["read_file", "apply_edit"] {
        assert!(stdout(&output).contains(tool), "{}", stdout(&output));
    }

    let output = run(&home, &["tools", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let listed = json_of(&output);
    let listed = listed["tools"].as_array().or(listed.as_array()).unwrap();
    for name in ["read_file", "apply_edit"] {
        let tool = listed.iter().find(|tool| tool["name"] == name).unwrap();
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 20), "{tool}");
        let schema =
            ["input_schema", "inputSchema", "parameters", "schema"].map(|field| &tool[field]);
        let schema = schema.into_iter().find(|schema| schema.is_object());
        let schema = schema.unwrap_or_else(|| panic!("no schema: {tool}"));
        assert_eq!(schema["type"], "object", "{schema}");
        assert!(schema["properties"]["path"].is_object(), "{schema}");
    }
}

#[test]
fn help_is_readable_text() {
    let home = home(FIXTURE);
    let output = run(&home, &["--help"], "");
    assert_eq!(output.status.code(), Some(0));
    for command in ["lsp", "call", "tools", "tour", "doctor"] {
        assert!(stdout(&output).contains(command), "{}", stdout(&output));
        let help = run(&home, &[command, "--help"], "");
        assert_eq!(help.status.code(), Some(0), "{command}");
        assert!(stdout(&help).contains("Usage"), "{}", stdout(&help));
    }
    assert!(!stdout(&output).contains('\u{1b}'), "colour without a terminal");
}

#[test]
fn the_version_is_printed() {
    let output = run(&home(FIXTURE), &["--version"], "");
    assert_eq!(output.status.code(), Some(0));
    let said = stdout(&output);
    assert!(said.starts_with("tandem ") && said.contains('.'), "{said}");
}

#[test]
fn completions_are_printed() {
    let home = home(FIXTURE);
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&home, &["completions", shell], "");
        assert_eq!(output.status.code(), Some(0), "{shell}: {output:?}");
        assert!(stdout(&output).contains("tandem"), "{shell}");
    }
}

#[test]
fn the_tour_is_plain_without_a_terminal_and_writes_nothing() {
    let fixture = "\
//- /a.py
def greet():
    return 1


greet()
//- /b.rs
fn main() {}
";
    let home = home(fixture);
    let root = home.root();
    let output = run(&home, &["tour", root.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = stdout(&output);
    assert!(!said.contains('\u{1b}'), "colour without a terminal: {said}");
    for word in ["Python", "Rust", "greet"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    for file in Fixture::parse(fixture).files {
        assert_eq!(std::fs::read_to_string(root.join(&file.path)).unwrap(), file.text);
    }
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 2, "the tour left something behind");
}

#[test]
fn the_tour_of_a_small_project_shows_its_richest_file() {
    let home = home(
        "\
//- /shop/__init__.py
//- /setup.py
print(1)
//- /shop/cart.py
class Cart:
    def total(self):
        return 0
",
    );
    let output = run(&home, &["tour", home.root().to_str().unwrap()], "");
    let said = stdout(&output);
    for text in ["Outline of shop/cart.py", "total_renamed"] {
        assert!(said.contains(text), "{text} in {said}");
    }
}

#[test]
fn the_tour_reports_what_it_needs() {
    let home = home("");
    let root = home.root();
    for folder in [root.to_str().unwrap(), "no/such/folder"] {
        let output = run(&home, &["tour", folder], "");
        let said = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(said.len() > 20 && !said.contains("panicked"), "{folder}: {said}");
        assert_ne!(output.status.code(), None, "{output:?}");
    }
}

#[test]
fn a_closed_pipe_does_not_panic() {
    let home = home(FIXTURE);
    let mut command = home.command();
    let mut child = command
        .args(["tools", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn call_takes_big_input() {
    let home = home("");
    let text = "x".repeat(1_000_000);
    std::fs::write(home.root().join("big.txt"), &text).unwrap();
    let arguments = json!({ "path": "big.txt", "old_text": text, "new_text": "small" }).to_string();
    let output = call(&home, "apply_edit", "-", &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(home.root().join("big.txt")).unwrap(), "small");
}

#[test]
fn guarded_files_need_approval_and_yes_gives_it() {
    let home = home("//- /.vscode/tasks.json\nold\n");
    let root = home.root();
    let path = root.join(".vscode/tasks.json");
    let arguments = r#"{"path":".vscode/tasks.json","old_text":"old","new_text":"new"}"#;
    let output = call(&home, "apply_edit", arguments, "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout(&output).contains("E_DENIED"), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old\n");

    let workspace = root.to_str().unwrap();
    let output =
        run(&home, &["call", "apply_edit", arguments, "--yes", "--workspace", workspace], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new\n");
}

#[test]
fn unwritable_stdout_does_not_panic() {
    let home = home("//- /a.txt\nhere\n");
    for arguments in [&["tools", "--json"][..], &["completions", "bash"], &["doctor"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = home.command().args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn the_languages_page_matches_the_program() {
    let home = home("//- /a.txt\n");
    let page = run(&home, &["languages", "--markdown"], "");
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/languages.md");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(stdout(&page) == kept, "tandem languages --markdown > docs/languages.md");
}

/// The program is built with all features here, so it lists the tools of all families.
#[test]
fn generated_files_match_the_program() {
    let home = home("//- /a.txt\n");
    for (option, path) in [
        ("--markdown", "docs/tools.md"),
        ("--dialects", "docs/dialects.md"),
        ("--lua", "editors/neovim/lua/tandem/generated/tools.lua"),
        ("--typescript", "editors/vscode/src/generated/tools.ts"),
    ] {
        let made = run(&home, &["tools", option], "");
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
        let kept = std::fs::read_to_string(kept).unwrap();
        assert!(stdout(&made) == kept, "{path} is out of date: cargo xtask codegen");
    }
}

#[test]
fn a_file_is_shown_with_its_syntax() {
    let home = home("//- /a.py\ndef f(): return '<b>'\n");
    let file = home.root().join("a.py");
    let file = file.to_str().unwrap();
    let page = run(&home, &["highlight", "--html", file], "");
    let html = stdout(&page);
    assert!(html.contains("<span class=\"keyword\">def</span>"), "{html}");
    assert!(html.contains("&lt;b&gt;") && !html.contains("'<b>'"), "{html}");
    // Without a terminal there are no colours, and the text is as it was.
    assert_eq!(stdout(&run(&home, &["highlight", file], "")), "def f(): return '<b>'\n");
    let none = run(&home, &["highlight", "--language", "klingon", file], "");
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn a_user_query_is_used_and_a_broken_one_is_reported() {
    let home = home("//- /a.py\ndef f(): pass\n");
    let file = home.root().join("a.py");
    let file = file.to_str().unwrap();
    let queries = home.outside().join("config/tandem/queries/python");
    std::fs::create_dir_all(&queries).unwrap();
    std::fs::write(queries.join("highlights.scm"), "(identifier) @markup.heading\n").unwrap();
    let page = run(&home, &["highlight", "--html", file], "");
    assert!(stdout(&page).contains("<span class=\"markup-heading\">f</span>"));
    assert!(!stdout(&page).contains("class=\"keyword\">"));
    std::fs::write(queries.join("highlights.scm"), "\n(no_such_node) @keyword\n").unwrap();
    let page = run(&home, &["highlight", "--html", file], "");
    assert!(stdout(&page).contains("<span class=\"keyword\">def</span>"));
    let said = String::from_utf8_lossy(&page.stderr);
    assert!(said.contains("highlights.scm:2: ") && said.contains("built-in"), "{said}");
}
