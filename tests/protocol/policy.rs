//! Policy settings: deny, ask and allow rules, and who may change them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, ToolError, user_config};

/// A server whose client answers approval requests with `title`, or does not support them.
struct AskedServer {
    home: Home,
    client: Client,
    questions: Arc<Mutex<Vec<Value>>>,
}

/// Runs during an approval request.
type DuringApproval = Box<dyn Fn() + Send + Sync>;

impl AskedServer {
    fn start(prepare: impl FnOnce(&Home), title: Option<&'static str>) -> Self {
        Self::start_with_callback(prepare, title, |_| Box::new(|| {}))
    }

    fn start_with_callback(
        prepare: impl FnOnce(&Home),
        title: Option<&'static str>,
        meanwhile: impl FnOnce(&Path) -> DuringApproval,
    ) -> Self {
        let home = Home::new();
        std::fs::create_dir_all(home.root().join("src")).unwrap();
        std::fs::write(home.root().join("src/a.txt"), "one\n").unwrap();
        prepare(&home);
        Self::start_in(home, title, meanwhile)
    }

    fn start_in(
        home: Home,
        title: Option<&'static str>,
        meanwhile: impl FnOnce(&Path) -> DuringApproval,
    ) -> Self {
        let questions: Arc<Mutex<Vec<Value>>> = Arc::default();
        let client = Client::spawn(home.command().arg("lsp")).unwrap();
        let (seen, meanwhile) = (questions.clone(), meanwhile(&home.root()));
        client.on_request(move |request, _| {
            if request.method != "window/showMessageRequest" {
                return Answer::Default;
            }
            seen.lock().unwrap().push(request.params.clone());
            meanwhile();
            Answer::Result(title.map_or(Value::Null, |title| json!({ "title": title })))
        });
        let window = if title.is_some() { json!({ "showMessage": {} }) } else { json!({}) };
        let capabilities = json!({ "window": window, "workspace": { "applyEdit": true } });
        client.initialize(&home.root(), capabilities).unwrap();
        Self { home, client, questions }
    }

    fn tool(&self, name: &str, params: Value) -> Result<Value, ToolError> {
        let name = format!("tandem.{name}");
        let answer = self.client.execute_command(&name, json!([params]));
        answer.map_err(|error| ToolError::from_client(&error))
    }

    fn denied(&self, name: &str, params: Value) -> String {
        let error = self.tool(name, params.clone()).expect_err(&params.to_string());
        assert_eq!(error.code, "E_DENIED", "{name} {params}: {}", error.data);
        error.data["message"].as_str().unwrap().to_owned()
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Result<Value, ToolError> {
        self.tool("apply_edit", json!({ "path": path, "old_text": old, "new_text": new }))
    }

    fn approval_request_count(&self) -> usize {
        self.questions.lock().unwrap().len()
    }

    fn last_question(&self) -> Value {
        self.questions.lock().unwrap().last().unwrap().clone()
    }
}

fn workspace_config(home: &Home, text: &str) {
    std::fs::create_dir_all(home.root().join(".tandem")).unwrap();
    std::fs::write(home.root().join(".tandem/config.toml"), text).unwrap();
}

fn write(home: &Home, path: &str, text: &str) {
    let path = home.root().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_denied_file_is_neither_read_nor_changed_under_any_name() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.deny]\nread = [\".env\"]\nwrite = [\"locked/**\"]\n");
            write(home, ".env", "secret\n");
            write(home, "locked/x.txt", "one\n");
            write(home, "real/.env", "secret\n");
            symlink(".env", home.root().join("link")).unwrap();
            symlink("real", home.root().join("folder")).unwrap();
        },
        Some("Allow once"),
    );
    for path in [".env", "./.env", "src/../.env", "link", "folder/.env", "real//.env"] {
        let message = server.denied("read_file", json!({ "path": path }));
        assert!(
            message.contains("policy.deny.read") && message.contains("config.toml"),
            "{message}"
        );
        assert!(!message.contains("secret"));
        let params = json!({ "path": path, "old_text": "secret", "new_text": "x" });
        server.denied("apply_edit", params);
    }
    let params = json!({ "path": "locked/x.txt", "old_text": "one", "new_text": "x" });
    server.denied("apply_edit", params);
    server.tool("read_file", json!({ "path": "locked/x.txt" })).unwrap();
    assert_eq!(server.approval_request_count(), 0, "what is denied is not asked for");
    server.edit("src/a.txt", "one", "two").unwrap();
}

#[test]
fn rules_apply_to_the_path_of_a_link_too() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.deny]\nread = [\"*.key\"]\n");
            write(home, "plain.txt", "secret\n");
            symlink("plain.txt", home.root().join("a.key")).unwrap();
        },
        None,
    );
    server.denied("read_file", json!({ "path": "a.key" }));
}

#[test]
fn workspace_settings_can_only_restrict() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.ask]\nwrite = [\"src/**\"]\n");
            workspace_config(
                home,
                "[policy.allow]\nwrite = [\"**\"]\nread = [\"**\"]\n[policy.deny]\n\
                 write = [\"docs/**\"]\n",
            );
            write(home, "docs/a.txt", "one\n");
        },
        None,
    );
    let message = server
        .denied("apply_edit", json!({ "path": "src/a.txt", "old_text": "one", "new_text": "two" }));
    assert!(message.contains("nobody could be asked"), "{message}");
    let message = server.denied(
        "apply_edit",
        json!({ "path": "docs/a.txt", "old_text": "one", "new_text": "two" }),
    );
    assert!(message.contains(".tandem/config.toml"), "{message}");
}

#[test]
fn settings_are_read_again_when_they_change() {
    let server = AskedServer::start(|_| {}, None);
    server.edit("src/a.txt", "one", "two").unwrap();
    user_config(&server.home, "[policy.deny]\nwrite = [\"src/**\"]\n");
    server.edit("src/a.txt", "two", "three").unwrap_err();
    user_config(&server.home, "");
    server.edit("src/a.txt", "two", "three").unwrap();
    workspace_config(&server.home, "[policy.deny]\nread = [\"src\"]\n");
    server.denied("read_file", json!({ "path": "src/a.txt" }));
}

#[test]
fn with_broken_settings_everything_but_reading_needs_approval() {
    type Break = fn(&Home);
    let broken: [(&str, Break); 7] = [
        ("did you mean `deny`", |home| user_config(home, "[policy.deni]\n")),
        ("line 1", |home| user_config(home, "[policy")),
        ("link", |home| {
            user_config(home, "");
            let file = home.outside().join("config/tandem/config.toml");
            std::fs::rename(&file, home.outside().join("elsewhere")).unwrap();
            symlink(home.outside().join("elsewhere"), file).unwrap();
        }),
        ("writable by others", |home| {
            user_config(home, "");
            let file = home.outside().join("config/tandem/config.toml");
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).unwrap();
        }),
        ("more than", |home| user_config(home, &"# padding\n".repeat(100_000))),
        (".tandem/config.toml", |home| workspace_config(home, "nonsense")),
        ("outside the workspace", |home| {
            std::fs::create_dir(home.root().join(".tandem")).unwrap();
            std::fs::write(home.outside().join("outside.toml"), "").unwrap();
            let link = home.root().join(".tandem/config.toml");
            symlink(home.outside().join("outside.toml"), link).unwrap();
        }),
    ];
    for (wanted, prepare) in broken {
        let server = AskedServer::start(prepare, None);
        server.tool("read_file", json!({ "path": "src/a.txt" })).unwrap();
        let params = json!({ "path": "src/a.txt", "old_text": "one", "new_text": "two" });
        let message = server.denied("apply_edit", params);
        assert!(message.contains(wanted), "{wanted}: {message}");
    }
}

#[test]
fn session_approval_covers_the_same_tool_and_files() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.ask]\nwrite = [\"src\"]\n");
            write(home, "src/b.txt", "one\n");
        },
        Some("Allow for this session"),
    );
    server.edit("src/a.txt", "one", "two").unwrap();
    server.edit("src/a.txt", "two", "three").unwrap();
    assert_eq!(server.approval_request_count(), 1);
    server.edit("src/b.txt", "one", "two").unwrap();
    assert_eq!(server.approval_request_count(), 2);
    server
        .tool(
            "edit_file",
            json!({ "path": "src/a.txt", "old_content": "three", "new_content": "x" }),
        )
        .ok();
    assert_eq!(server.approval_request_count(), 3, "another tool is another question");
}

#[test]
fn permanent_approval_covers_exactly_this_call() {
    let prepare = |home: &Home| user_config(home, "[policy.ask]\nwrite = [\"src\"]\n");
    let server = AskedServer::start(prepare, Some("Always allow exactly this"));
    server.edit("src/a.txt", "one", "two").unwrap();
    assert_eq!(server.approval_request_count(), 1);
    server.edit("src/a.txt", "two", "three").unwrap();
    assert_eq!(server.approval_request_count(), 2, "another argument");
    write(&server.home, "src/a.txt", "one\n");
    server.edit("src/a.txt", "one", "two").unwrap();
    assert_eq!(server.approval_request_count(), 2, "the very same call on the very same file");
    write(&server.home, "src/a.txt", "one\nmore\n");
    server.edit("src/a.txt", "one", "two").unwrap();
    assert_eq!(server.approval_request_count(), 3, "another content of the file");

    // It outlives the server, outside the workspace, for its user alone.
    let AskedServer { home, client, .. } = server;
    drop(client);
    write(&home, "src/a.txt", "one\n");
    let again = AskedServer::start_in(home, Some("Deny"), |_| Box::new(|| {}));
    again.edit("src/a.txt", "one", "two").unwrap();
    assert_eq!(again.approval_request_count(), 0);
    again.edit("src/a.txt", "two", "four").unwrap_err();
    let state = again.home.outside().join("state/tandem");
    let grants: Vec<_> = std::fs::read_dir(state)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("grants"))
        .filter(|path| path.exists())
        .collect();
    assert_eq!(grants.len(), 1);
    assert_eq!(std::fs::metadata(&grants[0]).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_document_changed_during_approval_is_refused() {
    let server = AskedServer::start_with_callback(
        |home| user_config(home, "[policy.ask]\nwrite = [\"src\"]\n"),
        Some("Allow once"),
        |root| {
            let file = root.join("src/a.txt");
            Box::new(move || std::fs::write(&file, "one, and more\n").unwrap())
        },
    );
    let error = server.edit("src/a.txt", "one", "two").unwrap_err();
    assert_eq!(error.code, "E_CONFLICT", "{}", error.data);
    let text = std::fs::read_to_string(server.home.root().join("src/a.txt")).unwrap();
    assert_eq!(text, "one, and more\n");
}

#[test]
fn a_link_swapped_during_approval_is_refused() {
    let server = AskedServer::start_with_callback(
        |home| {
            user_config(home, "[policy.ask]\nwrite = [\"link\"]\n");
            write(home, "b.txt", "one\n");
            symlink("src/a.txt", home.root().join("link")).unwrap();
        },
        Some("Allow once"),
        |root| {
            let root = root.to_owned();
            Box::new(move || {
                std::fs::remove_file(root.join("link")).unwrap();
                symlink("b.txt", root.join("link")).unwrap();
            })
        },
    );
    let error = server.edit("link", "one", "two").unwrap_err();
    assert_eq!(error.code, "E_CONFLICT", "{}", error.data);
    for file in ["b.txt", "src/a.txt"] {
        assert_eq!(std::fs::read_to_string(server.home.root().join(file)).unwrap(), "one\n");
    }
}

#[test]
fn an_approval_request_escapes_invisible_characters_and_marks_truncation() {
    let server =
        AskedServer::start(|home| write(home, ".vscode/x.json", "1\n"), Some("Allow once"));
    server.edit(".vscode/x.json", "1", "a\u{202e}b\u{200b}c").unwrap();
    let question = server.last_question();
    let text = question["message"].as_str().unwrap();
    assert!(text.contains("a\\u{202e}b\\u{200b}c") && text.contains("apply_edit"), "{text}");
    assert_eq!(question["actions"].as_array().unwrap().len(), 4);

    let long: String = (0..4_000).map(|n| format!("line {n}\n")).collect();
    let params =
        json!({ "path": ".vscode/x.json", "old_text": "a\u{202e}b\u{200b}c", "new_text": long });
    server.tool("apply_edit", params).unwrap();
    let question = server.last_question();
    let text = question["message"].as_str().unwrap();
    assert!(text.contains("left out"), "{text:.500}");
    let titles: Vec<_> =
        question["actions"].as_array().unwrap().iter().map(|a| a["title"].clone()).collect();
    assert_eq!(titles, ["Allow once", "Deny"], "only what is shown whole is allowed for longer");

    let wide = "x ".repeat(6_000);
    server.edit(".vscode/x.json", "line 0\n", &wide).unwrap();
    let question = server.last_question();
    assert!(question["message"].as_str().unwrap().contains("characters are not shown"));
    assert_eq!(question["actions"].as_array().unwrap().len(), 2);
}

#[test]
fn moving_a_folder_does_not_bypass_rules_about_files_in_it() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.deny]\nwrite = [\"*.lock\"]\nread = [\"*.pem\"]\n");
            write(home, "deep/er/x.lock", "one\n");
            write(home, "keys/a/b.pem", "one\n");
            write(home, "repo/.git/config", "one\n");
            write(home, "free/a.txt", "one\n");
        },
        None,
    );
    let message = server.denied("move_file", json!({ "source": "deep", "destination": "other" }));
    assert!(message.contains("x.lock"), "{message}");
    server.denied("copy_file", json!({ "source": "keys", "destination": "other" }));
    server.denied("move_file", json!({ "source": "repo", "destination": "other" }));
    server.denied("copy_file", json!({ "source": "repo", "destination": "other" }));
    server.denied("move_file", json!({ "source": "src/a.txt", "destination": "x.lock" }));
    server.denied("move_file", json!({ "source": "src/a.txt", "destination": ".VSCode/x" }));
    server.tool("move_file", json!({ "source": "free", "destination": "other" })).unwrap();
    for kept in ["deep/er/x.lock", "keys/a/b.pem", "repo/.git/config", "src/a.txt"] {
        assert!(server.home.root().join(kept).exists(), "{kept}");
    }
}

#[test]
fn searches_skip_unreadable_files() {
    let server = AskedServer::start(
        |home| {
            user_config(home, "[policy.deny]\nread = [\"private\"]\n");
            write(home, "private/a.txt", "needle\n");
            write(home, "src/b.txt", "needle\n");
        },
        None,
    );
    let found = server.tool("grep_search", json!({ "pattern": "needle" })).unwrap();
    let text = found.to_string();
    assert!(text.contains("src/b.txt") && !text.contains("private"), "{text}");
}

#[test]
fn commands_run_by_rule_or_by_approval() {
    let server = AskedServer::start(
        |home| {
            user_config(
                home,
                "[policy.allow]\nrun = [\"echo *\"]\n[policy.deny]\nrun = [\"touch\"]\n",
            );
        },
        Some("Deny"),
    );
    let run = |line: &str| server.tool("run_command", json!({ "command": line }));
    let code = |line: &str| run(line).map_or_else(|error| error.code, |_| "ran".to_owned());
    // Where there is no sandbox to be had, what is allowed fails for that reason alone.
    assert_ne!(code("echo hello"), "E_DENIED");
    assert_eq!(server.approval_request_count(), 0);
    assert_eq!(code("echo hello; ls"), "E_DENIED");
    assert_eq!(server.approval_request_count(), 1);
    for line in ["touch x", "echo $(touch x)", "sh -c 'touch x'", "/bin/touch x", "X=touch; $X x"] {
        assert_eq!(code(line), "E_DENIED", "{line}");
    }
    assert_eq!(server.approval_request_count(), 1, "what is denied is not asked for");
    assert_eq!(code("echo x > .git/hooks/pre-commit"), "E_DENIED");
    assert_eq!(server.approval_request_count(), 2);
    assert!(!server.home.root().join("x").exists());
}

#[test]
fn file_rules_apply_to_command_arguments() {
    let server = AskedServer::start(
        |home| {
            user_config(
                home,
                "[policy.allow]\nrun = [\"head *\", \"grep *\", \"diff *\", \"cp *\", \"rg *\", \
                 \"awk *\", \"export *\", \"ls *\", \"cd *\", \"tar *\", \"echo *\", \"tee *\", \
                 \"grep -rn one .\"]\n\
                 [policy.deny]\nread = [\".env\", \"secrets/**\"]\nwrite = [\"*.lock\"]\n\
                 [policy.ask]\nread = [\"diary\"]\n",
            );
            write(home, ".env", "secret\n");
            write(home, "diary", "dear\n");
            write(home, "x.lock", "1\n");
            write(home, "secrets/deep/key", "secret\n");
            symlink(".env", home.root().join("link")).unwrap();
            symlink(".vscode", home.root().join("editor")).unwrap();
            write(home, ".vscode/settings.json", "{}\n");
        },
        Some("Deny"),
    );
    let asked = |line: &str| {
        let before = server.approval_request_count();
        let answer = server.tool("run_command", json!({ "command": line }));
        let code = answer.map_or_else(|error| error.code, |_| "ran".to_owned());
        (code, server.approval_request_count() - before)
    };
    let root = server.home.root();
    for line in [
        "head -1 .env",
        "diff .env src/a.txt",
        "head ./src/../.env",
        "head link",
        "head '.e'nv",
        "head .ENV",
        "cat .env",
        "sh -c 'cat .env'",
        "head secrets/deep/key",
        "tee x.lock",
        &format!("head {}/.env", root.display()),
    ] {
        assert_eq!(asked(line), ("E_DENIED".to_owned(), 0), "{line}");
    }
    for line in [
        "grep '' .en?",
        "head ./.e*",
        "head $PWD/.env",
        "grep -f.env src/a.txt",
        "grep --file=.env src/a.txt",
        "grep --file=link src/a.txt",
        "grep x secret?/deep/key",
        "cd secrets && head deep/key",
        "cd src && head ../link",
        "head diary",
        "grep -r one .",
        "rg one",
        "cp -r . other",
        "cp -r ./* other",
        "tar c src",
        "cp src/a.txt editor/x",
        "cp src/a.txt x.lock",
        "awk 1 src/a.txt",
        "export A=1; ls src",
    ] {
        assert_eq!(asked(line), ("E_DENIED".to_owned(), 1), "{line}");
    }
    for line in [
        "head -1 src/a.txt",
        "grep one src/a.txt",
        "grep 'o.*e' src/*.txt",
        "ls src",
        "ls -la",
        "echo .env",
        "head x.lock",
        "cp src/a.txt b.txt",
        "grep -rn one .",
        "cd src && ls",
    ] {
        let (code, questions) = asked(line);
        assert!(code != "E_DENIED" && questions == 0, "{line}: {code}");
    }
}

#[test]
fn yes_in_a_shell_does_not_override_deny_rules() {
    let home = Home::new();
    user_config(&home, "[policy.deny]\nwrite = [\"*.lock\"]\n");
    write(&home, "a.lock", "one\n");
    let params = json!({ "path": "a.lock", "old_text": "one", "new_text": "two" });
    let mut command = home.command();
    command.args(["call", "apply_edit", &params.to_string(), "--yes", "--workspace"]);
    let output = command.arg(home.root()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("E_DENIED"));
    assert_eq!(std::fs::read_to_string(home.root().join("a.lock")).unwrap(), "one\n");
}

#[test]
fn a_denial_prints_the_rules_that_allow_the_call() {
    let script = |home: &Home| std::fs::write(home.root().join("x.py"), "print(1)\n").unwrap();
    for (tool, params) in [
        ("run_command", json!({ "command": "echo 'a b' && ls -l" })),
        ("run_command", json!({ "command": "true", "sandbox": false })),
        ("run_command", json!({ "command": "true", "network": true })),
        ("write_file", json!({ "path": ".vscode/settings.json", "content": "{}\n" })),
        ("debug_launch", json!({ "program": "x.py" })),
    ] {
        let home = Home::new();
        script(&home);
        let start = || AskedServer::start_in(home.shared(), None, |_| Box::new(|| {}));
        let denied = start().tool(tool, params.clone()).unwrap_err();
        assert_eq!(denied.code, "E_DENIED", "{denied:?}");
        let hint = denied.data["hint"].as_str().unwrap_or_default().to_owned();
        let rules = hint.split_once("[policy.allow]").unwrap_or_else(|| panic!("{hint}")).1;
        user_config(&home, &format!("[policy.allow]{rules}"));
        let done = start().tool(tool, params);
        let code = done.map(|_| String::new()).unwrap_or_else(|error| error.code);
        // Whether a debugger is installed does not matter here.
        assert!(
            code.is_empty() || (tool == "debug_launch" && code != "E_DENIED"),
            "{hint}: {code}"
        );
    }
    for command in ["echo $X", "echo x > $(pwd)/y", "f() { ls; }; f"] {
        let params = json!({ "command": command });
        let denied = AskedServer::start(script, None).tool("run_command", params).unwrap_err();
        let hint = denied.data["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.starts_with("no rule can allow it"), "{command}: {hint}");
    }
}
