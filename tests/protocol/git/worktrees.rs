//! Linked work trees: created, listed, merged and removed with real repositories.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use client::Answer;
use serde_json::{Value, json};
use tests::Server;

use super::{git, repository, run, start, texts};

const FIXTURE: &str = "\
//- /app.py
def first():
    return 1


def second():
    return 2
//- /lib/package.json
{}
//- /.gitignore
.env
node_modules/
.venv
*.log
";

fn create(server: &Server, branch: &str) -> (String, PathBuf) {
    let made = server.must("worktree_create", json!({ "branch": branch }));
    (made["name"].as_str().unwrap().to_owned(), made["path"].as_str().unwrap().into())
}

fn commit_all(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", message]);
}

fn porcelain(folder: &Path) -> String {
    git(folder, &["status", "--porcelain"])
}

#[test]
fn a_worktree_is_created_as_git_creates_it() {
    let server = start(FIXTURE);
    let root = server.root();
    let made = server.must("worktree_create", json!({ "branch": "feat/x", "from": "main" }));
    let path = PathBuf::from(made["path"].as_str().unwrap());
    assert!(!path.starts_with(&root), "{}", path.display());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!((&made["name"], &made["files"]), (&json!("feat-x"), &json!(3)));
    assert_eq!(git(&path, &["branch", "--show-current"]), "feat/x");
    assert_eq!(porcelain(&path), "");
    assert_eq!(porcelain(&root), "");
    assert_eq!(git(&root, &["fsck", "--strict"]), "");
    assert_eq!(git(&root, &["worktree", "prune", "--dry-run", "-v"]), "");
    let listed = git(&root, &["worktree", "list", "--porcelain"]);
    assert!(listed.contains("branch refs/heads/feat/x") && !listed.contains("locked"), "{listed}");
    let listed = server.must("worktree_list", json!({}));
    assert_eq!(texts(&listed["worktrees"], "branch"), ["feat/x"]);
    assert_eq!(listed["worktrees"][0]["unusable"], Value::Null);
    // A branch that exists is checked out only if that was asked for.
    git(&root, &["branch", "old"]);
    server.must_fail("worktree_create", json!({ "branch": "old" }), "E_EXISTS");
    server.must("worktree_create", json!({ "branch": "old", "existing": true }));
    server.must_fail("worktree_create", json!({ "branch": "old", "existing": true }), "E_CONFLICT");
    server.must_fail(
        "worktree_create",
        json!({ "branch": "main", "existing": true }),
        "E_CONFLICT",
    );
    assert_eq!(porcelain(&root), "");
}

/// Line endings, modes, links and folders are as `git worktree add` has them, byte for byte.
#[test]
fn files_are_written_as_git_writes_them() {
    let mut fixture = "//- /.gitattributes\n*.bat text eol=crlf\nid.txt ident\n\
                       //- /run.bat\nx\ny\n//- /id.txt\n$Id$\n//- /sub/run.bat\nz\n"
        .to_owned();
    for n in 0..600 {
        fixture.push_str(&format!("//- /many/d{}/f{n}.txt\n{n}\n", n % 7));
    }
    for with_attributes in [true, false] {
        let server = Server::builder(&fixture)
            .prepare(|root| {
                if !with_attributes {
                    fs::remove_file(root.join(".gitattributes")).unwrap();
                }
                symlink("run.bat", root.join("link")).unwrap();
                symlink("/nowhere", root.join("many/dangling")).unwrap();
                fs::set_permissions(root.join("id.txt"), fs::Permissions::from_mode(0o755))
                    .unwrap();
                repository(root);
            })
            .start();
        let (root, (_, path)) = (server.root(), create(&server, "ours"));
        let theirs = server.outside().join("theirs");
        git(&root, &["worktree", "add", "-q", "-b", "theirs", theirs.to_str().unwrap()]);
        assert_eq!(porcelain(&path), "");
        let compared = std::process::Command::new("diff")
            .args(["-r", "--no-dereference", "--exclude=.git"])
            .args([&path, &theirs])
            .output()
            .unwrap();
        assert!(compared.status.success(), "{}", String::from_utf8_lossy(&compared.stdout));
        let crlf = fs::read(path.join("sub/run.bat")).unwrap() == b"z\r\n";
        assert_eq!(crlf, with_attributes);
        let mode = |at: &Path| fs::metadata(at.join("id.txt")).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&theirs));
        assert_eq!(git(&path, &["ls-files", "-s"]), git(&theirs, &["ls-files", "-s"]));
    }
}

#[test]
fn bad_names_leave_nothing_behind() {
    let server = start(FIXTURE);
    let root = server.root();
    for branch in
        ["../x", "-f", "--detach", "", "HEAD", "a..b", "x.lock", "a b", "a\0b", "refs/", "a\n"]
    {
        server.must_fail("worktree_create", json!({ "branch": branch }), "E_INVALID_PARAMS");
    }
    server.must_fail("worktree_create", json!({ "branch": "x", "from": "-f" }), "E_NO_MATCH");
    server.must_fail("worktree_create", json!({ "branch": "x", "from": "nowhere" }), "E_NO_MATCH");
    assert_eq!(server.must("worktree_list", json!({}))["worktrees"], json!([]));
    assert!(!root.join(".git/worktrees").exists());
    for tool in ["worktree_status", "worktree_merge", "worktree_remove"] {
        server.must_fail(tool, json!({ "worktree": "../../etc" }), "E_NO_MATCH");
    }
    // A directory that cannot be filled: nothing stays of the attempt.
    git(&root, &["branch", "a"]);
    server.must_fail("worktree_create", json!({ "branch": "a/b" }), "E_IO");
    assert_eq!(server.must("worktree_list", json!({}))["worktrees"], json!([]));
    assert_eq!(git(&root, &["branch", "--list"]), "  a\n* main");
}

#[test]
fn ignored_files_that_a_project_needs_come_along() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            fs::write(root.join(".env"), "KEY=1\n").unwrap();
            fs::create_dir_all(root.join("lib/node_modules/left")).unwrap();
            fs::create_dir(root.join(".venv")).unwrap();
            fs::write(root.join("lib/.env"), vec![b'x'; 2 << 20]).unwrap();
            // Not ignored by git: it would be committed by mistake.
            fs::write(root.join(".envrc"), "x\n").unwrap();
            fs::write(root.join("own.log"), "x\n").unwrap();
            fs::create_dir(root.join(".tandem")).unwrap();
            let settings = "[worktrees]\ncopy = [\"own.log\"]\nskip = [\".venv\"]\n";
            fs::write(root.join(".tandem/config.toml"), settings).unwrap();
        })
        .start();
    let made = server.must("worktree_create", json!({ "branch": "x" }));
    let path = PathBuf::from(made["path"].as_str().unwrap());
    assert_eq!(made["copied"], json!([".env", "own.log"]));
    assert_eq!(made["linked"], json!(["lib/node_modules"]));
    assert_eq!(texts(&made["left_out"], "path"), [".envrc", "lib/.env"]);
    assert_eq!(fs::read_to_string(path.join(".env")).unwrap(), "KEY=1\n");
    assert_eq!(fs::metadata(path.join(".env")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        fs::read_link(path.join("lib/node_modules")).unwrap(),
        server.root().join("lib/node_modules")
    );
    // A link is no folder, so `node_modules/` alone would not have git ignore it.
    assert_eq!(porcelain(&path), "");
    server.must("worktree_remove", json!({ "worktree": "x" }));
    assert!(server.root().join("lib/node_modules/left").exists() && !path.exists());
}

#[test]
fn changes_are_reported_and_merged() {
    let server = start(FIXTURE);
    let root = server.root();
    let (name, path) = create(&server, "task");
    fs::write(path.join("new.txt"), "new\n").unwrap();
    fs::write(
        path.join("app.py"),
        "def first():\n    return 10\n\n\ndef second():\n    return 2\n",
    )
    .unwrap();
    let status = server.must("worktree_status", json!({ "worktree": name }));
    assert_eq!(texts(&status["unstaged"], "path"), ["app.py"]);
    assert_eq!(status["untracked"], json!(["new.txt"]));
    let dry = server.must("worktree_merge", json!({ "worktree": name, "dry_run": true }));
    assert_eq!(
        (&dry["result"], &dry["uncommitted"]),
        (&json!("up_to_date"), &json!(["app.py", "new.txt"]))
    );
    let refused = server.must_fail("worktree_merge", json!({ "worktree": name }), "E_CONFLICT");
    assert_eq!(refused.data["details"]["files"], json!(["app.py", "new.txt"]));
    let done = server.must("worktree_merge", json!({ "worktree": name, "commit": "the task" }));
    assert_eq!(done["result"], "fast_forward");
    assert_eq!(texts(&done["files"], "path"), ["app.py", "new.txt"]);
    assert_eq!(done["commit"], done["committed"]);
    assert_eq!(server.disk_text("new.txt"), "new\n");
    assert_eq!(porcelain(&root), "");
    assert_eq!(git(&root, &["log", "-1", "--format=%s"]), "the task");
    // Both sides have commits now.
    fs::write(path.join("theirs.txt"), "t\n").unwrap();
    commit_all(&path, "theirs");
    server.write("ours.txt", "o\n");
    commit_all(&root, "ours");
    let listed = server.must("worktree_list", json!({}));
    assert_eq!(
        (&listed["worktrees"][0]["ahead"], &listed["worktrees"][0]["behind"]),
        (&json!(1), &json!(1))
    );
    let done = server.must("worktree_merge", json!({ "worktree": name, "message": "both" }));
    assert_eq!(
        (&done["result"], texts(&done["files"], "path")),
        (&json!("merge"), vec!["theirs.txt".to_owned()])
    );
    assert_eq!(git(&root, &["log", "-1", "--format=%s %p"]).split(' ').count(), 3);
    assert_eq!(porcelain(&root), "");
    assert_eq!(git(&root, &["fsck", "--strict"]), "");
    let done = server.must("worktree_merge", json!({ "worktree": name }));
    assert_eq!(done["result"], "up_to_date");
    let gone = server.must("worktree_remove", json!({ "worktree": name, "delete_branch": true }));
    assert_eq!(gone["branch_deleted"], true);
    assert!(!path.exists() && !root.join(".git/worktrees").exists());
    assert_eq!(git(&root, &["branch", "--list"]), "* main");
}

#[test]
fn conflicts_are_listed_by_symbol_and_nothing_changes() {
    let server = start(FIXTURE);
    let root = server.root();
    let (name, path) = create(&server, "task");
    let app = |first: u8, second: u8| {
        format!("def first():\n    return {first}\n\n\ndef second():\n    return {second}\n")
    };
    fs::write(path.join("app.py"), app(10, 20)).unwrap();
    commit_all(&path, "theirs");
    server.write("app.py", app(11, 2));
    commit_all(&root, "ours");
    let head = git(&root, &["rev-parse", "HEAD"]);
    let objects = || git(&root, &["count-objects"]);
    let before = objects();
    let dry = server.must("worktree_merge", json!({ "worktree": name, "dry_run": true }));
    assert_eq!(dry["result"], "conflicts");
    assert_eq!(dry["conflicts"][0]["path"], "app.py");
    assert_eq!(
        dry["conflicts"][0]["symbols"],
        json!([{ "name": "first", "kind": "function", "ours": "changed", "theirs": "changed" }])
    );
    assert_eq!(before, objects(), "a preview writes nothing");
    let refused = server.must_fail("worktree_merge", json!({ "worktree": name }), "E_CONFLICT");
    assert_eq!(refused.data["details"]["conflicts"][0]["symbols"][0]["name"], "first");
    assert_eq!(git(&root, &["rev-parse", "HEAD"]), head);
    assert_eq!(porcelain(&root), "");
    assert_eq!(server.disk_text("app.py"), app(11, 2));
}

#[test]
fn a_clean_merge_of_one_function_asks_for_another_look() {
    let server = start(
        "//- /a.py\ndef f():\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n    return a\n",
    );
    let (name, path) = create(&server, "task");
    let text = server.disk_text("a.py");
    fs::write(path.join("a.py"), text.replace("a = 1", "a = 10")).unwrap();
    commit_all(&path, "theirs");
    server.write("a.py", text.replace("return a", "return e"));
    commit_all(&server.root(), "ours");
    let objects = || git(&server.root(), &["count-objects"]);
    let before = objects();
    let dry = server.must("worktree_merge", json!({ "worktree": name, "dry_run": true }));
    assert_eq!(before, objects(), "a preview writes nothing");
    assert_eq!(
        (&dry["result"], &dry["review"][0]["symbols"][0]["name"]),
        (&json!("merge"), &json!("f"))
    );
    server.must("worktree_merge", json!({ "worktree": name }));
    assert_eq!(
        server.disk_text("a.py"),
        text.replace("a = 1", "a = 10").replace("return a", "return e")
    );
}

#[test]
fn changes_in_the_workspace_are_in_the_way_only_where_they_are() {
    let server = start(FIXTURE);
    let root = server.root();
    let (name, path) = create(&server, "task");
    fs::write(path.join("app.py"), "changed\n").unwrap();
    fs::write(path.join("fresh.txt"), "theirs\n").unwrap();
    commit_all(&path, "theirs");
    let merge = json!({ "worktree": name });
    let head = git(&root, &["rev-parse", "HEAD"]);
    // Unsaved text.
    server.open_file("app.py");
    server.replace_text("app.py", "return 1", "return 9");
    server.must_fail("worktree_merge", merge.clone(), "E_CONFLICT");
    server.close_file("app.py");
    // An untracked file, and a staged one.
    server.write("fresh.txt", "mine\n");
    server.must_fail("worktree_merge", merge.clone(), "E_CONFLICT");
    fs::remove_file(server.path("fresh.txt")).unwrap();
    server.write("app.py", "staged\n");
    git(&root, &["add", "app.py"]);
    server.must_fail("worktree_merge", merge.clone(), "E_CONFLICT");
    git(&root, &["reset", "-q", "--hard"]);
    // Somebody else's lock.
    fs::write(root.join(".git/refs/heads/main.lock"), "").unwrap();
    server.must_fail("worktree_merge", merge.clone(), "E_CONFLICT");
    assert_eq!(git(&root, &["rev-parse", "HEAD"]), head);
    assert_eq!(porcelain(&root), "");
    fs::remove_file(root.join(".git/refs/heads/main.lock")).unwrap();
    // Others stay as they are.
    server.write("lib/package.json", "{ }\n");
    server.write("other.txt", "mine\n");
    git(&root, &["add", "lib/package.json"]);
    server.must("worktree_merge", merge);
    assert_eq!(porcelain(&root), "M  lib/package.json\n?? other.txt");
    assert_eq!(server.disk_text("app.py"), "changed\n");
}

#[test]
fn a_merge_in_progress_is_in_the_way() {
    let server = start(FIXTURE);
    let root = server.root();
    let (name, path) = create(&server, "task");
    fs::write(path.join("x.txt"), "x\n").unwrap();
    commit_all(&path, "theirs");
    git(&root, &["checkout", "-qb", "side"]);
    server.write("app.py", "side\n");
    commit_all(&root, "side");
    git(&root, &["checkout", "-q", "main"]);
    server.write("app.py", "main\n");
    commit_all(&root, "main");
    run(&root, &["merge", "side"]);
    let before = porcelain(&root);
    server.must_fail("worktree_merge", json!({ "worktree": name }), "E_CONFLICT");
    assert_eq!(porcelain(&root), before);
}

#[test]
fn unsaved_work_is_removed_only_with_a_persons_approval() {
    let server = Server::builder(FIXTURE)
        .capability("window/showMessage", json!({}))
        .prepare(repository)
        .start();
    let root = server.root();
    let (name, path) = create(&server, "task");
    fs::write(path.join("work.txt"), "days of it\n").unwrap();
    let refused = server.must_fail("worktree_remove", json!({ "worktree": name }), "E_CONFLICT");
    assert_eq!(refused.data["details"], json!({ "files": ["work.txt"], "commits": 0 }));
    let answer = |title: &'static str| {
        server.answer_requests(move |request, _| match &*request.method {
            "window/showMessageRequest" => Answer::Result(json!({ "title": title })),
            _ => Answer::Default,
        });
    };
    answer("Deny");
    server.must_fail("worktree_remove", json!({ "worktree": name, "force": true }), "E_DENIED");
    assert!(path.join("work.txt").exists());
    // Commits count if their branch goes too.
    commit_all(&path, "work");
    let both = json!({ "worktree": name, "delete_branch": true });
    let refused = server.must_fail("worktree_remove", both, "E_CONFLICT");
    assert_eq!(refused.data["details"], json!({ "files": [], "commits": 1 }));
    // A lock holds even with force.
    git(&root, &["worktree", "lock", "--reason", "mine", path.to_str().unwrap()]);
    let force = json!({ "worktree": name, "force": true, "delete_branch": true });
    answer("Allow once");
    server.must_fail("worktree_remove", force.clone(), "E_CONFLICT");
    git(&root, &["worktree", "unlock", path.to_str().unwrap()]);
    let gone = server.must("worktree_remove", force);
    assert_eq!(gone["branch_deleted"], true);
    assert!(!path.exists());
    // By hand, without git: the entry is removed.
    let (name, path) = create(&server, "other");
    fs::remove_dir_all(&path).unwrap();
    assert!(server.must("worktree_list", json!({}))["worktrees"][0]["unusable"].is_string());
    server.must_fail("worktree_status", json!({ "worktree": name }), "E_NO_MATCH");
    server.must("worktree_remove", json!({ "worktree": name }));
    assert_eq!(server.must("worktree_list", json!({}))["worktrees"], json!([]));
}

#[test]
fn folders_that_are_not_the_worktrees_are_not_opened() {
    let server = start(FIXTURE);
    let root = server.root();
    // A link in its place.
    let (name, path) = create(&server, "linked");
    let elsewhere = server.outside().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    for tool in ["worktree_status", "worktree_merge", "worktree_remove"] {
        server.must_fail(tool, json!({ "worktree": name, }), "E_CONFLICT");
    }
    assert!(elsewhere.join("app.py").exists());
    // A git folder that names any folder, as it could come in an archive.
    let victim = server.outside().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("secret.txt"), "secret\n").unwrap();
    let entry = root.join(".git/worktrees/evil");
    fs::create_dir_all(&entry).unwrap();
    fs::write(victim.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
    fs::write(entry.join("gitdir"), format!("{}\n", victim.join(".git").display())).unwrap();
    fs::write(entry.join("commondir"), "../..\n").unwrap();
    fs::write(entry.join("HEAD"), "ref: refs/heads/evil\n").unwrap();
    for tool in ["worktree_status", "worktree_merge", "worktree_remove"] {
        server.must_fail(tool, json!({ "worktree": "evil" }), "E_PATH_FORBIDDEN");
    }
    assert!(victim.join("secret.txt").exists());
    // One whose entry names another's folder.
    let (_, path) = create(&server, "good");
    fs::write(entry.join("gitdir"), format!("{}\n", path.join(".git").display())).unwrap();
    server.must_fail("worktree_remove", json!({ "worktree": "evil" }), "E_CONFLICT");
    assert!(path.join("app.py").exists());
    server.must("worktree_status", json!({ "worktree": "good" }));
}

#[test]
fn twenty_are_created_at_once() {
    let mut fixture = FIXTURE.to_owned();
    for n in 0..500 {
        fixture.push_str(&format!("//- /src/d{}/f{n}.py\nx = {n}\n", n % 20));
    }
    let server = start(&fixture);
    let root = server.root();
    // Half of them in one server, half in processes of their own, and git beside them.
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            for n in 0..10 {
                git(&root, &["branch", &format!("beside-{n}")]);
            }
        });
        let own: Vec<_> = (0..10)
            .map(|n| server.start_tool("worktree_create", json!({ "branch": format!("task-{n}") })))
            .collect();
        for n in 10..20 {
            let mut command = server.command();
            let params = json!({ "branch": format!("task-{n}") }).to_string();
            command.args(["call", "worktree_create", &params, "--workspace"]).arg(&root);
            scope.spawn(move || {
                let out = command.output().unwrap();
                assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
            });
        }
        for pending in own {
            pending.wait(tests::RESPONSE_TIMEOUT).unwrap();
        }
        beside.join().unwrap();
    });
    let listed = server.must("worktree_list", json!({}));
    let paths = texts(&listed["worktrees"], "path");
    assert_eq!(paths.len(), 20);
    for path in paths {
        assert_eq!(porcelain(Path::new(&path)), "", "{path}");
    }
    assert_eq!(git(&root, &["fsck", "--strict"]), "");
}

/// A worktree has a server of its own, with the rights of the workspace that it was created for.
#[test]
fn an_agent_works_in_its_worktree() {
    let server = start(FIXTURE);
    let (name, path) = create(&server, "task");
    let call = |tool: &str, params: Value| {
        let mut command = server.command();
        command.args(["call", tool, &params.to_string(), "--workspace"]).arg(&path);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
        serde_json::from_slice::<Value>(&out.stdout).unwrap()
    };
    call("apply_edit", json!({ "path": "app.py", "old_text": "return 1", "new_text": "return 7" }));
    let found = call("find_symbol", json!({ "name_path": "first" }));
    assert!(found.to_string().contains("app.py"), "{found}");
    call("git_commit", json!({ "message": "in the worktree", "files": ["app.py"] }));
    let done = server.must("worktree_merge", json!({ "worktree": name }));
    assert_eq!(done["result"], "fast_forward");
    assert!(server.disk_text("app.py").contains("return 7"));
}

/// This project's own history, which has renames, links and merges.
#[test]
fn worktrees_of_a_real_history() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let source = project.to_str().unwrap();
    // Somebody who has unpacked an archive has no history, and a shallow clone a short one.
    let count = run(project, &["rev-list", "--count", "--first-parent", "HEAD"]).stdout;
    let count: usize = String::from_utf8_lossy(&count).trim().parse().unwrap_or_default();
    let Some(back) = count.checked_sub(1).map(|most| most.min(50)) else { return };
    let server = Server::builder("//- /unused\n")
        .prepare(|root| {
            fs::remove_file(root.join("unused")).unwrap();
            git(root, &["init", "-q"]);
            git(root, &["config", "user.name", "Ann Author"]);
            git(root, &["config", "user.email", "ann@example.com"]);
            git(root, &["fetch", "-q", "--depth", "100", source, "HEAD"]);
            git(root, &["reset", "-q", "--hard", "FETCH_HEAD"]);
        })
        .start();
    let root = server.root();
    let made =
        server.must("worktree_create", json!({ "branch": "old", "from": format!("HEAD~{back}") }));
    let path = PathBuf::from(made["path"].as_str().unwrap());
    assert_eq!(porcelain(&path), "");
    assert_eq!(git(&path, &["ls-files"]).lines().count() as u64, made["files"].as_u64().unwrap());
    fs::write(path.join("docs/another.md"), "# Another\n").unwrap();
    let dry = server.must("worktree_merge", json!({ "worktree": "old", "dry_run": true }));
    assert_eq!(dry["result"], "up_to_date");
    let done = server.must(
        "worktree_merge",
        json!({ "worktree": "old", "commit": "docs: another", "no_ff": true }),
    );
    assert_eq!(
        (&done["result"], texts(&done["files"], "path")),
        (&json!("merge"), vec!["docs/another.md".to_owned()])
    );
    assert_eq!(porcelain(&root), "");
    // Merged back, the branches have the same tree.
    git(&path, &["merge", "-q", "--ff-only", &git(&root, &["rev-parse", "HEAD"])]);
    assert_eq!(
        git(&path, &["rev-parse", "HEAD^{tree}"]),
        git(&root, &["rev-parse", "HEAD^{tree}"])
    );
    assert_eq!(porcelain(&path), "");
}
