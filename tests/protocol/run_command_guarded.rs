//! Guarded files that a command creates stay only with approval.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT};

/// Allows every command, so that only created files need approval.
const RUN: &str = "[policy.allow]\nrun = [\"sh make.sh\"]\n";

/// A workspace whose rules allow `sh make.sh`, which does `script`.
fn home(script: &str, rules: &str) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    std::fs::write(home.outside().join("config/tandem/config.toml"), format!("{RUN}{rules}"))
        .unwrap();
    std::fs::write(home.root().join("make.sh"), script).unwrap();
    home
}

/// Calls a tool from a shell; without `yes`, nothing can be approved.
fn call(home: &Home, tool: &str, params: &Value, yes: bool) -> Value {
    let mut command = home.command();
    command.arg("call").args(yes.then_some("--yes"));
    command.args([tool, &params.to_string(), "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn make(home: &Home, yes: bool) -> Value {
    call(home, "run_command", &json!({ "command": "sh make.sh" }), yes)
}

/// The reported guarded paths, and whether each was kept.
fn created_guarded(result: &Value) -> Vec<(String, bool)> {
    let created = result["created_guarded"].as_array();
    let created = created.unwrap_or_else(|| panic!("nothing was told of: {result}"));
    let mut told: Vec<_> = created
        .iter()
        .map(|one| (one["path"].as_str().unwrap().to_owned(), one["kept"].as_bool().unwrap()))
        .collect();
    told.sort();
    told
}

/// A server whose client answers every approval request with `title`, or never, and the requests.
fn start_with_answer(home: &Home, title: Option<&'static str>) -> (Client, Arc<Mutex<Vec<Value>>>) {
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params.clone());
        title.map_or(Answer::Handled, |title| Answer::Result(json!({ "title": title })))
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    (client, questions)
}

fn command() -> Value {
    json!({ "command": "tandem.run_command", "arguments": [{ "command": "sh make.sh" }] })
}

const CREATE_ALL_SCRIPT: &str = "\
mkdir -p .vscode sub/.IDEA deep/er/.git/hooks .tandem
echo '{}' > .vscode/tasks.json
echo x > sub/.IDEA/workspace.xml
echo x > deep/er/.git/hooks/post-checkout
echo x > .tandem/config.toml
echo x > Some.Code-Workspace
ln -s /etc .git
mkfifo sub/.git
";

const GUARDED_PATHS: [&str; 7] =
    [".git", ".tandem", ".vscode", "Some.Code-Workspace", "deep/er/.git", "sub/.IDEA", "sub/.git"];

#[test]
fn without_approval_it_is_moved_to_the_trash_and_restorable() {
    let home = home(CREATE_ALL_SCRIPT, "");
    let result = make(&home, false);
    assert_eq!(result["exit_code"], 0, "{result}");
    assert_eq!(created_guarded(&result), GUARDED_PATHS.map(|path| (path.to_owned(), false)));
    let actions: Vec<_> =
        result["created_guarded"].as_array().unwrap().iter().map(|one| &one["action"]).collect();
    assert!(actions.iter().all(|action| action.is_string() && *action == actions[0]));
    for place in GUARDED_PATHS {
        assert!(home.root().join(place).symlink_metadata().is_err(), "{place} is there");
    }
    assert!(home.root().join("deep/er").is_dir(), "what is around stays");
    let undone = call(&home, "undo_action", &json!({ "action": actions[0] }), true);
    assert_eq!(undone["changed"], true, "{undone}");
    assert_eq!(std::fs::read(home.root().join(".vscode/tasks.json")).unwrap(), b"{}\n");
    assert!(home.root().join(".git").is_symlink());
    let result = make(&home, false);
    assert!(result["created_guarded"].is_null(), "it was there before: {result}");
}

#[test]
fn files_created_with_approval_are_kept() {
    let home = home(CREATE_ALL_SCRIPT, "");
    let result = make(&home, true);
    assert_eq!(created_guarded(&result), GUARDED_PATHS.map(|path| (path.to_owned(), true)));
    assert!(home.root().join(".vscode/tasks.json").is_file());
}

#[test]
fn rules_protect_exactly_what_they_name() {
    let script = "mkdir .vscode; echo 1 > .vscode/settings.json; echo 2 > .vscode/tasks.json";
    for (rules, wanted) in [
        ("write = [\"**\"]\n", vec![(".vscode", false)]),
        ("write = [\".vscode\"]\n", vec![(".vscode", true)]),
        (
            "write = [\".vscode/settings.json\"]\n",
            vec![(".vscode/settings.json", true), (".vscode/tasks.json", false)],
        ),
        (
            "write = [\".vscode\"]\n[policy.deny]\nwrite = [\"tasks.json\"]\n",
            vec![(".vscode/settings.json", true), (".vscode/tasks.json", false)],
        ),
    ] {
        let home = home(script, rules);
        let wanted: Vec<_> =
            wanted.into_iter().map(|(path, kept)| (path.to_owned(), kept)).collect();
        let result = make(&home, false);
        assert_eq!(created_guarded(&result), wanted, "{rules}");
        let is_there = |name: &str| home.root().join(".vscode").join(name).exists();
        assert_eq!(is_there("tasks.json"), wanted[0] == (".vscode".to_owned(), true), "{rules}");
    }
}

#[test]
fn a_denied_path_stays_denied_despite_approval() {
    let home = home("mkdir .idea; echo x > .idea/x", "[policy.deny]\nwrite = [\".idea\"]\n");
    assert_eq!(created_guarded(&make(&home, true)), [(".idea".to_owned(), false)]);
    assert!(!home.root().join(".idea").exists());
}

#[test]
fn an_approval_request_shows_everything() {
    for (title, kept) in [("Allow once", true), ("Deny", false)] {
        let home = home(
            "mkdir -p 'a\u{202e}b/.vscode'; echo '{\"run\": 1}' > 'a\u{202e}b/.vscode/tasks.json'",
            "",
        );
        let (client, questions) = start_with_answer(&home, Some(title));
        let result = client.request("workspace/executeCommand", command()).unwrap();
        assert_eq!(created_guarded(&result), [("a\u{202e}b/.vscode".to_owned(), kept)]);
        let questions = questions.lock().unwrap();
        assert_eq!(questions.len(), 1, "{questions:?}");
        let text = questions[0]["message"].as_str().unwrap();
        for part in ["| sh make.sh\n", "a\\u{202e}b/.vscode/tasks.json\n", "| {\"run\": 1}\n"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(home.root().join("a\u{202e}b/.vscode/tasks.json").exists(), kept);
    }
}

#[test]
fn temporary_files_are_removed_when_the_command_is_killed() {
    let home = home("mkdir .vscode; echo x > .vscode/tasks.json; sleep 100", "");
    let params = json!({ "command": "sh make.sh", "timeout_ms": 500 });
    let error = call(&home, "run_command", &params, false);
    assert_eq!(error["code"], "E_TIMEOUT", "{error}");
    assert_eq!(created_guarded(&error["details"]), [(".vscode".to_owned(), false)]);
    assert!(!home.root().join(".vscode").exists());

    let home = self::home("mkdir .vscode; kill -9 $$", "");
    assert_eq!(created_guarded(&make(&home, false)), [(".vscode".to_owned(), false)]);

    let home = self::home("mkdir .vscode; sleep 100", "");
    let (client, questions) = start_with_answer(&home, Some("Allow once"));
    let call = client.start_request("workspace/executeCommand", command()).unwrap();
    wait_until("the folder", || home.root().join(".vscode").exists());
    client.cancel(call.id).unwrap();
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    wait_until("its end", || !home.root().join(".vscode").exists());
    assert!(questions.lock().unwrap().is_empty(), "a cancelled caller is not asked");
}

#[test]
fn a_workspace_that_was_locked_is_opened_again() {
    let home = home("mkdir -p a/.vscode .vscode; echo x > .vscode/x; chmod 555 a .vscode .", "");
    let result = make(&home, false);
    let mode = std::fs::metadata(home.root()).unwrap().permissions().mode();
    assert_eq!(mode & 0o700, 0o700, "{mode:o}");
    assert_eq!(
        created_guarded(&result),
        [".vscode", "a/.vscode"].map(|path| (path.to_owned(), false))
    );
}

#[test]
fn deep_and_linked_guarded_paths_are_read_only_too() {
    let home = home("echo x > a/b/c/d/e/f/.git/config; echo x > cfg/tasks.json; true", "");
    std::fs::create_dir_all(home.root().join("a/b/c/d/e/f/.git")).unwrap();
    std::fs::create_dir_all(home.root().join("cfg")).unwrap();
    std::os::unix::fs::symlink("cfg", home.root().join(".vscode")).unwrap();
    let result = make(&home, false);
    assert!(result["created_guarded"].is_null(), "{result}");
    assert!(!home.root().join("a/b/c/d/e/f/.git/config").exists());
    assert!(!home.root().join("cfg/tasks.json").exists());
}

#[test]
fn a_replaced_link_and_a_moved_folder_are_reported() {
    let home = home("rm .vscode; mkdir .vscode; echo x > .vscode/x; mv sub sub2", "");
    std::fs::create_dir_all(home.root().join("cfg")).unwrap();
    std::fs::create_dir_all(home.root().join("sub/.git")).unwrap();
    std::os::unix::fs::symlink("cfg", home.root().join(".vscode")).unwrap();
    let result = make(&home, false);
    assert_eq!(
        created_guarded(&result),
        [(".vscode".to_owned(), false), ("sub2/.git".to_owned(), true)],
        "{result}"
    );
    assert!(home.root().join("sub2/.git").is_dir());
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !done() {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{what} did not come about");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// What a guarded link leads to counts also where it was not there before.
#[test]
fn a_dangling_link_does_not_bypass_a_guarded_path() {
    let home = home("mkdir -p later; echo '{}' > later/tasks.json", "");
    std::os::unix::fs::symlink("later", home.root().join(".vscode")).unwrap();
    std::fs::create_dir(home.root().join("sub")).unwrap();
    std::os::unix::fs::symlink("../later/in", home.root().join("sub/.idea")).unwrap();
    let result = make(&home, false);
    assert_eq!(created_guarded(&result), [("later".to_owned(), false)]);
    assert!(!home.root().join("later").exists());
}

#[test]
fn writing_through_a_guarded_link_needs_approval() {
    let home = Home::new();
    std::fs::create_dir_all(home.root().join("a/b/sub")).unwrap();
    std::fs::create_dir(home.root().join("cfg")).unwrap();
    std::os::unix::fs::symlink("../../../cfg", home.root().join("a/b/sub/.vscode")).unwrap();
    std::os::unix::fs::symlink("../later", home.root().join("a/.idea")).unwrap();
    for (path, is_asked) in
        [("cfg/tasks.json", true), ("later/x.xml", true), ("cfg2/tasks.json", false)]
    {
        let result = call(&home, "write_file", &json!({ "path": path, "content": "{}" }), false);
        assert_eq!(result["code"] == "E_DENIED", is_asked, "{path}: {result}");
        assert_eq!(home.root().join(path).exists(), !is_asked);
    }
    let result = call(&home, "create_directory", &json!({ "path": "later" }), false);
    assert_eq!(result["code"], "E_DENIED", "{result}");
}

/// Names that are not UTF-8, and deep: paths are bytes.
#[test]
fn unusual_names_and_many_decoys_do_not_hide_guarded_paths() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::path::Path::new(std::ffi::OsStr::from_bytes(b"a/b/c/d/e\xff/f/.vscode"));
    let home = home(
        "for f in a/b/c/d/e*/f; do echo x > $f/.vscode/tasks.json; rm -rf $f/.vscode; done
         echo x > z/z/z/z/z/.vscode/tasks.json; true",
        "",
    );
    std::fs::create_dir_all(home.root().join(odd)).unwrap();
    for n in 0..1_500 {
        std::fs::create_dir_all(home.root().join(format!("decoys/{n}/.vscode"))).unwrap();
    }
    std::fs::create_dir_all(home.root().join("z/z/z/z/z/.vscode")).unwrap();
    let result = make(&home, false);
    assert_eq!(result["exit_code"], 0, "{result}");
    assert!(home.root().join(odd).is_dir());
    assert!(!home.root().join(odd).join("tasks.json").exists());
    assert!(!home.root().join("z/z/z/z/z/.vscode/tasks.json").exists());
    assert!(result["guarded_unchecked"].is_null(), "{result}");
}

/// One command makes a guarded place, another one moves it about while the first is settled.
#[test]
fn concurrent_commands_do_not_hide_guarded_files_from_each_other() {
    let rules = "run = [\"sh make.sh\", \"sh move.sh\"]\n";
    for _ in 0..3 {
        let home = Home::new();
        let config = home.outside().join("config/tandem");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), format!("[policy.allow]\n{rules}")).unwrap();
        // Many folders make the scan slow.
        for n in 0..400 {
            std::fs::create_dir_all(home.root().join(format!("many/{n}/x"))).unwrap();
        }
        std::fs::create_dir_all(home.root().join("many/a")).unwrap();
        std::fs::create_dir_all(home.root().join("far")).unwrap();
        std::fs::write(
            home.root().join("make.sh"),
            "mkdir many/a/.vscode; echo '{}' > many/a/.vscode/tasks.json; touch ready
             while [ ! -e here ]; do :; done",
        )
        .unwrap();
        // It starts when the place is there: it would take it for one that was there before.
        std::fs::write(
            home.root().join("move.sh"),
            "python3 -c 'import os
os.close(os.open(\"here\", os.O_CREAT))
a, z = \"many/a\", \"far/z\"
for n in range(60000):
    try:
        os.rename(a, z)
        os.rename(z, a)
    except FileNotFoundError:
        a, z = z, a
'; true",
        )
        .unwrap();
        let (client, _) = start_with_answer(&home, Some("Deny"));
        let run = |line: &str| {
            let arguments = [json!({ "command": line })];
            let params = json!({ "command": "tandem.run_command", "arguments": arguments });
            client.start_request("workspace/executeCommand", params).unwrap()
        };
        let maker = run("sh make.sh");
        wait_until("the place", || home.root().join("ready").exists());
        let mover = run("sh move.sh");
        maker.wait(RESPONSE_TIMEOUT).unwrap();
        mover.wait(RESPONSE_TIMEOUT).unwrap();
        for place in ["many/a/.vscode", "far/z/.vscode"] {
            assert!(!home.root().join(place).exists(), "{place} stayed");
        }
    }
}
