//! Tandem's own settings and state are out of a tool's reach, under every path in the workspace.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::Home;

/// Rules that would allow any command without approval.
const ALLOW_ALL_RULES: &str = "[policy.allow]\nrun = [\"*\"]\n";
/// Allows `sh make.sh`, so that only its effects are checked.
const RUN: &str = "[policy.allow]\nrun = [\"sh make.sh\"]\n";

/// One way in which the settings folder shows in the workspace: where, and how to make it so.
struct Exposure {
    name: &'static str,
    /// The settings file, from the workspace.
    file: &'static str,
    make: fn(&Home),
    /// Whether the file is there before; else a tool would make it.
    exists: bool,
}

fn write_file(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

const EXPOSURES: &[Exposure] = &[
    Exposure {
        name: "the settings folder is a link into the workspace",
        file: "dotfiles/tandem/config.toml",
        make: |home| {
            write_file(&home.root().join("dotfiles/tandem/config.toml"), RUN);
            std::fs::create_dir(home.outside().join("config")).unwrap();
            symlink(home.root().join("dotfiles/tandem"), home.outside().join("config/tandem"))
                .unwrap();
        },
        exists: true,
    },
    Exposure {
        name: "the folder above is a link into the workspace",
        file: "dotfiles/tandem/config.toml",
        make: |home| {
            write_file(&home.root().join("dotfiles/tandem/config.toml"), RUN);
            symlink("workspace/dotfiles", home.outside().join("config")).unwrap();
        },
        exists: true,
    },
    Exposure {
        name: "a hard link",
        file: "sub/other-name.toml",
        make: |home| {
            let settings = home.outside().join("config/tandem/config.toml");
            write_file(&settings, RUN);
            std::fs::create_dir(home.root().join("sub")).unwrap();
            std::fs::hard_link(settings, home.root().join("sub/other-name.toml")).unwrap();
        },
        exists: true,
    },
    Exposure {
        name: "the folder lies in the workspace and is not there yet",
        file: "dotfiles/tandem/config.toml",
        make: |home| symlink("workspace/dotfiles", home.outside().join("config")).unwrap(),
        exists: false,
    },
];

fn call_with(command: &mut Command, home: &Home, tool: &str, params: &Value) -> Value {
    command.args(["call", tool, &params.to_string(), "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn call(home: &Home, tool: &str, params: &Value) -> Value {
    call_with(&mut home.command(), home, tool, params)
}

fn home_of(way: &Exposure) -> Home {
    let home = Home::new();
    (way.make)(&home);
    home
}

fn settings(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.outside().join("config/tandem/config.toml")).ok()
}

#[test]
fn no_tool_changes_the_settings_without_approval() {
    for way in EXPOSURES {
        let file = way.file;
        let folder = Path::new(file).parent().unwrap().to_str().unwrap();
        let top = file.split('/').next().unwrap();
        let patch = json!({ "path": file, "patches": [{ "old_text": "run", "new_text": "ran" }] });
        let mut calls = vec![
            ("write_file", json!({ "path": file, "content": ALLOW_ALL_RULES })),
            (
                "move_file",
                json!({ "source": "loose.toml", "destination": file, "overwrite": true }),
            ),
            (
                "copy_file",
                json!({ "source": "loose.toml", "destination": file, "overwrite": true }),
            ),
        ];
        if way.exists {
            calls.extend([
                ("apply_edit", json!({ "edits": [patch] })),
                ("edit_file", json!({ "path": file, "old_text": "run", "new_text": "ran" })),
                ("delete_file", json!({ "path": file })),
                ("move_file", json!({ "source": file, "destination": "away.toml" })),
            ]);
        }
        if way.exists && way.name != "a hard link" {
            calls.extend([
                ("move_file", json!({ "source": top, "destination": "away" })),
                ("move_file", json!({ "source": folder, "destination": "away" })),
                ("delete_file", json!({ "path": top, "recursive": true })),
                ("write_file", json!({ "path": format!("{folder}/adapters.toml"), "content": "" })),
            ]);
        }
        for (tool, params) in calls {
            let home = home_of(way);
            std::fs::write(home.root().join("loose.toml"), ALLOW_ALL_RULES).unwrap();
            let before = settings(&home);
            let result = call(&home, tool, &params);
            assert_eq!(result["code"], "E_DENIED", "{}: {tool} {params}: {result}", way.name);
            assert_eq!(settings(&home), before, "{}: {tool} {params}", way.name);
        }
        // Other files beside it are not protected.
        let home = home_of(way);
        let beside = format!("{top}/beside.toml");
        let result = call(&home, "write_file", &json!({ "path": beside, "content": "" }));
        assert!(result["code"].is_null(), "{}: {result}", way.name);
    }
}

#[test]
fn no_command_changes_them_either() {
    let scripts = [
        "echo 'allow = 1' >> FILE",
        "rm -f FILE; echo x > FILE",
        "mv FOLDER away; mkdir -p FOLDER; echo x > FILE",
        "mv TOP away; mkdir -p FOLDER; echo x > FILE",
        "mkdir -p FOLDER && echo x > FILE",
        "ln FILE name && echo x > name",
        "python3 -c 'open(\"FILE\", \"a\").write(\"x\")'",
    ];
    for way in EXPOSURES.iter().filter(|way| way.exists) {
        let folder = Path::new(way.file).parent().unwrap().to_str().unwrap();
        let top = way.file.split('/').next().unwrap();
        for script in scripts {
            if way.name == "a hard link" && (script.contains("mv ")) {
                continue;
            }
            let home = home_of(way);
            let script = script.replace("FILE", way.file).replace("FOLDER", folder);
            std::fs::write(home.root().join("make.sh"), script.replace("TOP", top)).unwrap();
            let result = call(&home, "run_command", &json!({ "command": "sh make.sh" }));
            assert!(result["exit_code"].is_number(), "{}: {script}: {result}", way.name);
            assert_eq!(settings(&home).as_deref(), Some(RUN), "{}: {script}", way.name);
        }
    }
}

/// A server in a mount namespace where the workspace shows the settings folder a second time.
#[test]
fn a_bind_mount_is_another_name() {
    let scripts = "echo x >> cfg/tandem/config.toml; mv cfg/tandem cfg/away; mv cfg away2";
    for inner in ["cfg/tandem/config.toml", "cfg/tandem/new.toml"] {
        let home = Home::new();
        write_file(&home.outside().join("config/tandem/config.toml"), RUN);
        std::fs::create_dir(home.root().join("cfg")).unwrap();
        std::fs::write(home.root().join("make.sh"), scripts).unwrap();
        let in_namespace = |tool: &str, params: &Value| {
            let plain = home.command();
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
            command.arg("mount --bind \"$XDG_CONFIG_HOME\" \"$0\" && exec \"$@\"");
            command.arg(home.root().join("cfg")).arg(plain.get_program());
            command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
            call_with(&mut command, &home, tool, params)
        };
        let result = in_namespace(
            "write_file",
            &json!({ "path": inner, "content": ALLOW_ALL_RULES, "overwrite": true }),
        );
        assert_eq!(result["code"], "E_DENIED", "{result}");
        let result = in_namespace("run_command", &json!({ "command": "sh make.sh" }));
        assert!(result["exit_code"].is_number(), "{result}");
        assert_eq!(settings(&home).as_deref(), Some(RUN));
    }
}

/// The workspace is the home folder itself, and nothing of ours is there yet.
#[test]
fn a_workspace_that_is_the_home_folder() {
    let home = Home::new();
    let at_home = || {
        let mut command = home.command();
        command.env("HOME", home.root());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
            command.env_remove(name);
        }
        command
    };
    for path in [
        ".config/tandem/config.toml",
        ".config/tandem/adapters.toml",
        ".local/state/tandem/x/approved",
        ".cache/tandem/x",
    ] {
        let params = json!({ "path": path, "content": ALLOW_ALL_RULES });
        let result = call_with(&mut at_home(), &home, "write_file", &params);
        assert_eq!(result["code"], "E_DENIED", "{path}: {result}");
        assert!(!home.root().join(path).exists(), "{path}");
    }
    let params = json!({ "path": ".config/other/a.toml", "content": "" });
    let result = call_with(&mut at_home(), &home, "write_file", &params);
    assert!(result["code"].is_null(), "{result}");
    write_file(&home.root().join(".config/tandem/config.toml"), RUN);
    let script = "echo x >> .config/tandem/config.toml; mv .config away; mkdir -p .config/tandem
        echo x > .config/tandem/config.toml; echo x > .local/state/tandem/x; mv .local away2; true";
    std::fs::write(home.root().join("make.sh"), script).unwrap();
    let params = json!({ "command": "sh make.sh" });
    let result = call_with(&mut at_home(), &home, "run_command", &params);
    assert_eq!(result["exit_code"], 0, "{result}");
    let now = std::fs::read_to_string(home.root().join(".config/tandem/config.toml")).unwrap();
    assert_eq!(now, RUN);
    assert!(home.root().join(".local/state/tandem").is_dir());
    assert!(!home.root().join(".local/state/tandem/x").exists());
}

/// A link that no mount can cover: nothing runs that could replace it.
#[test]
fn a_symlink_inside_the_workspace_on_the_path_blocks_commands() {
    let home = Home::new();
    write_file(&home.root().join("real/tandem/config.toml"), RUN);
    symlink("real", home.root().join("link")).unwrap();
    symlink("workspace/link", home.outside().join("config")).unwrap();
    std::fs::write(home.root().join("make.sh"), "rm link").unwrap();
    let result = call(&home, "run_command", &json!({ "command": "sh make.sh" }));
    assert_eq!(result["code"], "E_UNAVAILABLE", "{result}");
    let result = call(&home, "delete_file", &json!({ "path": "link" }));
    assert_eq!(result["code"], "E_DENIED", "{result}");
    assert!(home.root().join("link").is_symlink());
}

/// Even with the person's approval, what a tool writes there counts from the next start only.
#[test]
fn a_settings_change_by_a_tool_has_no_effect_in_the_running_server() {
    let home = home_of(&EXPOSURES[0]);
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    client.on_request(|request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        let text = request.params["message"].as_str().unwrap_or_default();
        let title = if text.contains("config.toml") { "Allow once" } else { "Deny" };
        Answer::Result(json!({ "title": title }))
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    let call = |tool: &str, params: Value| {
        let arguments = json!({ "command": format!("tandem.{tool}"), "arguments": [params] });
        client.request("workspace/executeCommand", arguments)
    };
    let params = json!({ "path": "dotfiles/tandem/config.toml", "content": ALLOW_ALL_RULES, "overwrite": true });
    call("write_file", params).unwrap();
    assert_eq!(settings(&home).as_deref(), Some(ALLOW_ALL_RULES));
    let refused = call("run_command", json!({ "command": "touch made" })).unwrap_err();
    assert_eq!(refused.response().unwrap().data["code"], "E_DENIED");
    assert!(!home.root().join("made").exists());
}
