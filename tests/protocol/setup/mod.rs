//! `tandem setup`: the configuration of AI clients.

mod samples;

use std::ffi::CString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT};

use samples::SAMPLES;

/// `tandem setup` without any client on `PATH`.
fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.command();
    command.env("PATH", home.outside().join("bin")).arg("setup").args(arguments);
    for variable in [
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "OPENCODE_CONFIG_DIR",
        "GOOSE_PATH_ROOT",
    ] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

fn setup(home: &Home, arguments: &[&str]) -> Output {
    command(home, arguments).output().unwrap()
}

#[track_caller]
fn setup_ok(home: &Home, arguments: &[&str]) -> String {
    let output = setup(home, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it, expects a refusal, and returns the message.
#[track_caller]
fn setup_refused(home: &Home, arguments: &[&str]) -> String {
    let started = Instant::now();
    let output = setup(home, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
    assert!(started.elapsed() < RESPONSE_TIMEOUT, "{:?}", started.elapsed());
    message
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program() -> String {
    tests::binary().canonicalize().unwrap().to_str().unwrap().to_owned()
}

/// Every path below a folder, without the state folder.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("state") {
            continue;
        }
        if path.is_dir() {
            found.extend(paths(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[test]
fn a_missing_configuration_is_created_and_deleted() {
    for sample in SAMPLES {
        let home = Home::new();
        let before = paths(&home.outside());
        setup_ok(&home, &[sample.client, "--yes"]);
        let file = home.outside().join(sample.file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(&program()) && text.ends_with('\n'), "{text}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        setup_ok(&home, &[sample.client, "--undo", "--yes"]);
        assert_eq!(paths(&home.outside()), before, "{}", sample.client);
    }
}

#[test]
fn only_the_entry_is_added_and_removed() {
    for sample in SAMPLES {
        let home = Home::new();
        let file = home.outside().join(sample.file);
        write(&file, sample.before);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();

        let printed = setup_ok(&home, &[sample.client, "--yes"]);
        let text = fs::read_to_string(&file).unwrap();
        if !sample.after.is_empty() {
            assert_eq!(text.replace(&program(), "PROGRAM"), sample.after, "{}", sample.client);
        }
        assert!(printed.contains(sample.file) && printed.contains(&program()), "{printed}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

        let printed = setup_ok(&home, &[sample.client, "--yes"]);
        assert!(printed.contains("is set up in"), "{printed}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{}", sample.client);

        setup_ok(&home, &[sample.client, "--undo", "--yes"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), sample.before, "{}", sample.client);
        let printed = setup_ok(&home, &[sample.client, "--undo", "--yes"]);
        assert!(printed.contains("is not set up"), "{printed}");
    }
}

/// Clients rewrite their configuration; then only the entry is removed.
#[test]
fn an_undo_keeps_later_changes() {
    for sample in SAMPLES {
        let home = Home::new();
        let file = home.outside().join(sample.file);
        write(&file, sample.before);
        setup_ok(&home, &[sample.client, "--yes"]);
        let later = |text: &str| match Path::new(sample.file).extension().unwrap().to_str() {
            Some("json") => text.replacen('{', "{ \"later\": [1, {}],", 1),
            Some("toml") => format!("{text}\n# later\n[later]\nx = 1\n"),
            _ => format!("{text}# later\nlater:\n  x: 1\n"),
        };
        fs::write(&file, later(&fs::read_to_string(&file).unwrap())).unwrap();
        setup_ok(&home, &[sample.client, "--undo", "--yes"]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains(&program()), "{text}");
        let squeezed = |text: &str| -> String {
            text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
        };
        let expected = squeezed(&later(sample.before));
        assert_eq!(squeezed(&text), expected, "{}", sample.client);
    }
}

#[test]
fn a_configuration_that_cannot_be_parsed_is_refused_with_its_line() {
    for sample in SAMPLES {
        let home = Home::new();
        let file = home.outside().join(sample.file);
        write(&file, sample.unparsable);
        for undo in [&[][..], &["--undo"]] {
            let arguments = [&[sample.client, "--yes"], undo].concat();
            let message = setup_refused(&home, &arguments);
            let place = format!("{}:{}:", sample.file, sample.unparsable_line);
            assert!(message.contains(&place), "{}: {message}", sample.client);
            assert_eq!(fs::read_to_string(&file).unwrap(), sample.unparsable);
        }
    }
}

/// One client's refusal does not keep the others from being set up.
#[test]
fn installed_clients_are_found() {
    let home = Home::new();
    let outside = home.outside();
    fs::create_dir(outside.join(".gemini")).unwrap();
    fs::create_dir(outside.join(".cursor")).unwrap();
    write(&outside.join(".codex/config.toml"), "a = \n");
    write(&outside.join("bin/claude"), "");
    let message = setup_refused(&home, &["--yes"]);
    assert!(message.contains("Codex") && message.contains("config.toml:1:"), "{message}");
    for (file, exists) in [
        (".claude.json", true),
        (".gemini/settings.json", true),
        (".cursor/mcp.json", true),
        ("config/zed/settings.json", false),
    ] {
        assert_eq!(outside.join(file).exists(), exists, "{file}");
    }

    let listed = setup_ok(&home, &["--list"]);
    let line = |client: &str| listed.lines().find(|line| line.starts_with(client)).unwrap();
    for (client, words) in [
        ("claude-code", ["installed", " set up"]),
        ("codex", ["installed", "config.toml:1:"]),
        ("zed", ["not found", "not set up"]),
    ] {
        assert!(words.iter().all(|word| line(client).contains(word)), "{}", line(client));
    }

    // Without names, an undo finds what was set up.
    setup_ok(&home, &["--undo", "--yes", "claude-code", "gemini-cli", "cursor"]);
    assert!(!outside.join(".claude.json").exists() && outside.join(".cursor").is_dir());
}

#[test]
fn without_a_client_their_names_are_printed() {
    let message = setup_refused(&Home::new(), &["--yes"]);
    assert!(message.contains("claude-code") && message.contains("goose"), "{message}");
    let output = setup(&Home::new(), &["clade-code"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("claude-code"), "{output:?}");
}

#[test]
fn nothing_is_written_unless_a_person_agrees() {
    let home = Home::new();
    let message = setup_refused(&home, &["codex"]);
    assert!(message.contains("--yes"), "{message}");
    let printed = setup_ok(&home, &["codex", "--dry-run"]);
    assert!(printed.contains("+[mcp_servers.tandem]"), "{printed}");
    assert!(!home.outside().join(".codex").exists());
}

#[test]
fn changes_do_not_depend_on_a_reader_of_the_output() {
    let home = Home::new();
    let mut command = command(&home, &["claude-code-lsp", "codex", "--yes"]);
    let mut setup = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(setup.stdout.take());
    setup.wait().unwrap();
    for file in [".claude/skills/tandem/.claude-plugin/plugin.json", ".codex/config.toml"] {
        assert!(home.outside().join(file).is_file(), "{file}");
    }
}

#[test]
fn variables_move_configurations() {
    let home = Home::new();
    for (client, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("goose", "GOOSE_PATH_ROOT", "config/config.yaml"),
    ] {
        let folder = home.outside().join(client);
        let output = command(&home, &[client, "--yes"]).env(variable, &folder).output().unwrap();
        assert!(output.status.success() && folder.join(file).is_file(), "{output:?}");
    }
}

/// Clients of the shell get the bare name, so that an update may move the program; those of the
/// desktop, whose `PATH` may differ, get the path under which the shell finds it.
#[test]
fn a_program_on_path_is_named_as_it_is_found() {
    let home = Home::new();
    let link = home.outside().join("bin/tandem");
    fs::create_dir(home.outside().join("bin")).unwrap();
    symlink(program(), &link).unwrap();
    setup_ok(&home, &["gemini-cli", "cursor", "--yes"]);
    let entry = |file: &str| -> Value {
        let text = fs::read_to_string(home.outside().join(file)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["mcpServers"]["tandem"].take()
    };
    assert_eq!(entry(".gemini/settings.json")["command"], "tandem");
    assert_eq!(entry(".cursor/mcp.json")["command"], link.to_str().unwrap());
    let printed = setup_ok(&home, &["gemini-cli", "cursor", "--yes"]);
    assert!(printed.contains("Nothing to change"), "{printed}");
}

#[test]
fn an_entry_for_another_binary_is_updated_and_keeps_what_was_added() {
    let home = Home::new();
    let file = home.outside().join(".cursor/mcp.json");
    let old = json!({"mcpServers": {"tandem": {
        "command": "/gone/tandem", "args": ["mcp", "--headless"], "env": {"A": "b"}
    }}});
    write(&file, &old.to_string());
    setup_ok(&home, &["cursor", "--yes"]);
    let text = fs::read_to_string(&file).unwrap();
    let new: Value = serde_json::from_str(&text).unwrap();
    let entry = &new["mcpServers"]["tandem"];
    assert_eq!(entry["command"], program());
    assert_eq!(entry["args"], json!(["mcp", "--workspace", "${workspaceFolder}"]));
    assert_eq!(entry["env"], json!({"A": "b"}));
    setup_ok(&home, &["cursor", "--undo", "--yes"]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({"mcpServers": {}}));
}

#[test]
fn an_entry_of_another_program_is_not_touched() {
    let home = Home::new();
    let file = home.outside().join(".cursor/mcp.json");
    let text = r#"{"mcpServers": {"tandem": {"command": "npx", "args": ["tandem-bikes", "mcp"]}}}"#;
    write(&file, text);
    let message = setup_refused(&home, &["cursor", "--yes"]);
    assert!(message.contains("npx tandem-bikes mcp"), "{message}");
    setup_ok(&home, &["cursor", "--undo", "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_layout_that_is_not_understood_is_left_to_the_person() {
    let home = Home::new();
    let file = home.outside().join(".codex/config.toml");
    let text = "mcp_servers = { a = { command = \"x\" } }\n";
    write(&file, text);
    let message = setup_refused(&home, &["codex", "--yes"]);
    assert!(message.contains("by hand") && message.contains("[mcp_servers.tandem]"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn links_are_followed_and_kept() {
    let home = Home::new();
    let outside = home.outside();
    let target = outside.join("dotfiles/zed.json");
    write(&target, "{}\n");
    fs::create_dir_all(outside.join("config/zed")).unwrap();
    let link = outside.join("config/zed/settings.json");
    symlink("../../dotfiles/zed.json", &link).unwrap();
    setup_ok(&home, &["zed", "--yes"]);
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("tandem"));
    setup_ok(&home, &["zed", "--undo", "--yes"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "{}\n");

    fs::remove_file(&target).unwrap();
    let message = setup_refused(&home, &["zed", "--yes"]);
    assert!(message.contains("link to a missing file") && !target.exists(), "{message}");
}

#[test]
fn what_is_no_ordinary_configuration_is_refused() {
    let home = Home::new();
    let file = home.outside().join(".cursor/mcp.json");
    fs::create_dir_all(&file).unwrap();
    assert!(setup_refused(&home, &["cursor", "--yes"]).contains("is a folder"));
    fs::remove_dir(&file).unwrap();

    let path = CString::new(file.to_str().unwrap()).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path.as_c_str(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(setup_refused(&home, &["cursor", "--yes"]).contains("is a FIFO"));
    fs::remove_file(&file).unwrap();

    fs::write(&file, vec![b' '; (16 << 20) + 1]).unwrap();
    assert!(setup_refused(&home, &["cursor", "--yes"]).contains("16 MiB"));
    fs::write(&file, "[".repeat(1 << 20)).unwrap();
    setup_refused(&home, &["cursor", "--yes"]);
    fs::write(&file, b"{\n\"\xff\": 1}").unwrap();
    assert!(setup_refused(&home, &["cursor", "--yes"]).contains("UTF-8 in line 2"));

    let goose = home.outside().join("config/goose/config.yaml");
    write(&goose, &"- ".repeat(1 << 18));
    setup_refused(&home, &["goose", "--yes"]);
    write(&goose, "a: &a [x]\nb: *a\nextensions: &e\n  c: {}\n");
    setup_ok(&home, &["goose", "--yes"]);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let home = Home::new();
    write(&home.outside().join(".codex/config.toml"), "a = 1 # \u{9b}31m\n");
    let printed = setup_ok(&home, &["codex", "--dry-run"]);
    assert!(!printed.contains('\u{9b}') && printed.contains("31m"), "{printed:?}");
}

#[test]
fn projects_have_files_of_their_own() {
    let home = Home::new();
    let root = home.root();
    for (client, file, key) in [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("opencode", "opencode.json", "mcp"),
    ] {
        let arguments = [client, "--project", "--workspace", root.to_str().unwrap(), "--yes"];
        setup_ok(&home, &arguments);
        let text = fs::read_to_string(root.join(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(value[key]["tandem"]["command"].to_string().contains("tandem"), "{text}");
        setup_ok(&home, &[&arguments[..], &["--undo"]].concat());
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "{client}");
    }
    let arguments = ["goose", "--project", "--workspace", root.to_str().unwrap(), "--yes"];
    assert!(setup_ok(&home, &arguments).contains("no configuration in a project"));
    let output = setup(&home, &["--project", "--workspace", "no/such/folder"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// A project may be anybody's: its links do not make the command change files elsewhere.
#[test]
fn a_project_does_not_lead_out_of_its_folder() {
    let home = Home::new();
    let root = home.root();
    let outside = home.outside().join("elsewhere");
    write(&outside.join("mcp.json"), "{}");
    symlink(outside.join("mcp.json"), root.join(".mcp.json")).unwrap();
    symlink(&outside, root.join(".vscode")).unwrap();
    symlink(outside.join("new"), root.join(".cursor")).unwrap();
    for client in ["claude-code", "vscode", "cursor"] {
        let root = root.to_str().unwrap();
        setup_refused(&home, &[client, "--project", "--workspace", root, "--yes"]);
    }
    assert_eq!(fs::read_to_string(outside.join("mcp.json")).unwrap(), "{}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);

    fs::remove_file(root.join(".mcp.json")).unwrap();
    fs::write(root.join(".mcp.json"), vec![b' '; (1 << 20) + 1]).unwrap();
    let root = root.to_str().unwrap();
    let arguments = ["claude-code", "--project", "--workspace", root, "--yes"];
    assert!(setup_refused(&home, &arguments).contains("1 MiB"));
}

/// Claude Code loads it as a plugin, whose manifest needs a name; only if it is asked for.
#[test]
fn a_language_server_for_claude_code_is_a_plugin() {
    let home = Home::new();
    fs::create_dir(home.outside().join(".claude")).unwrap();
    write(&home.outside().join("bin/claude"), "");
    setup_ok(&home, &["--yes"]);
    let file = home.outside().join(".claude/skills/tandem/.claude-plugin/plugin.json");
    assert!(!file.exists());
    setup_ok(&home, &["claude-code-lsp", "--yes"]);
    let manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(manifest["name"], "tandem");
    let server = &manifest["lspServers"]["tandem"];
    assert_eq!(server["args"], json!(["lsp"]));
    for (extension, id) in [(".py", "python"), (".rs", "rust"), (".ts", "typescript")] {
        assert_eq!(server["extensionToLanguage"][extension], id);
    }
    setup_ok(&home, &["--undo", "--yes"]);
    assert!(!home.outside().join(".claude/skills").exists());
    assert!(!home.outside().join(".claude.json").exists());
}

/// What was written starts a server that speaks MCP.
#[test]
fn the_entry_starts_the_server() {
    let home = Home::new();
    setup_ok(&home, &["claude-code", "--yes"]);
    let text = fs::read_to_string(home.outside().join(".claude.json")).unwrap();
    let entry = serde_json::from_str::<Value>(&text).unwrap()["mcpServers"]["tandem"].take();
    assert_eq!(entry["command"], program());
    let arguments = entry["args"].as_array().unwrap().iter().map(|item| item.as_str().unwrap());
    let mut server = home.command();
    server.current_dir(home.root()).args(arguments);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}
    }});
    let mut stdin = server.stdin.take().unwrap();
    writeln!(stdin, "{request}").unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let response: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(response["result"]["serverInfo"]["name"], "tandem", "{line}");
    drop(stdin);
    server.wait().unwrap();
}
