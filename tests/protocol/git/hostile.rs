//! Repositories that try to run programs or to escape, or are broken: nothing runs, nothing outside
//! is revealed, nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::{Home, Server};

use super::{git, repository, run, start};

const FIXTURE: &str = "//- /a.txt\none\ntwo\n//- /b.md\nb\n//- /docs/c.txt\nc\n";
const SECRET: &str = "the-secret-2f77";

/// Every program that a repository can name, each leaving a mark.
fn arm(root: &Path, mark: &Path) {
    let program = root.parent().unwrap().join("evil.sh");
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", mark.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    let config = format!(
        "[core]\nfsmonitor = {program}\nhooksPath = {root}/.git/hooks\npager = {program}\n\
         editor = {program}\nsshCommand = {program}\naskPass = {program}\ngitProxy = {program}\n\
         [diff]\nexternal = {program}\n[diff \"x\"]\ntextconv = {program}\ncommand = {program}\n\
         [filter \"x\"]\nclean = {program}\nsmudge = {program}\nprocess = {program}\n\
         required = true\n[filter \"y\"]\nclean = {program}\nsmudge = {program}\n\
         [merge \"x\"]\ndriver = {program}\n[commit]\ngpgSign = true\n[gpg]\nprogram = {program}\n\
         [credential]\nhelper = !{program}\n[alias]\nstatus = !{program}\n\
         [log]\nshowSignature = true\n[protocol \"ext\"]\nallow = always\n\
         [remote \"origin\"]\nurl = ext::{program}\nfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [submodule \"s\"]\nupdate = !{program}\n",
        root = root.display()
    );
    let mut old = fs::read_to_string(root.join(".git/config")).unwrap();
    old.push_str(&config);
    fs::write(root.join(".git/config"), old).unwrap();
    fs::write(root.join(".gitattributes"), "*.md filter=x diff=x merge=x\n").unwrap();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    fs::write(root.join(".git/info/attributes"), "c.txt filter=y diff=x\n").unwrap();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "post-rewrite",
        "pre-auto-gc",
        "fsmonitor-watchman",
        "post-merge",
        "pre-push",
        "update",
        "pre-merge-commit",
    ] {
        let path = root.join(".git/hooks").join(hook);
        fs::write(&path, format!("#!/bin/sh\necho {hook} >> {}\n", mark.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let mut mark = PathBuf::new();
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            git(root, &["branch", "topic"]);
            mark = root.parent().unwrap().join("mark");
            arm(root, &mark);
            for file in ["a.txt", "b.md", "docs/c.txt"] {
                fs::write(root.join(file), "changed\n").unwrap();
            }
        })
        .start();
    // The trap is one: git's own program springs it.
    let _ = run(&server.root(), &["status"]);
    assert!(mark.exists(), "the trap does not work");
    fs::remove_file(&mark).unwrap();
    let calls = [
        ("git_status", json!({})),
        ("git_status", json!({ "all_untracked": true })),
        ("git_diff", json!({ "lines": true })),
        ("git_diff", json!({ "staged": true })),
        ("git_diff", json!({ "commit": "HEAD" })),
        ("git_log", json!({ "path": "b.md" })),
        ("git_log", json!({ "all": true })),
        ("git_show", json!({})),
        ("git_show", json!({ "path": "b.md" })),
        ("git_blame", json!({ "path": "b.md" })),
        ("git_blame", json!({ "path": "docs/c.txt" })),
        ("git_branch", json!({ "action": "list", "remote": true })),
        ("git_merge_base", json!({ "commits": ["HEAD", "topic"] })),
        ("git_tags", json!({})),
        ("git_remote", json!({})),
        ("git_conflicts", json!({})),
        ("git_checkpoint", json!({ "action": "create" })),
        ("git_checkpoint", json!({ "action": "diff" })),
        ("git_stage", json!({ "files": ["a.txt"] })),
        ("git_unstage", json!({ "files": ["a.txt"] })),
        ("git_stage", json!({ "files": ["a.txt"] })),
        ("git_commit", json!({ "message": "x" })),
        ("git_commit", json!({ "message": "y", "amend": true })),
        ("git_branch", json!({ "action": "create", "name": "new" })),
        ("git_branch", json!({ "action": "switch", "name": "topic" })),
        ("git_branch", json!({ "action": "delete", "name": "new", "force": true })),
        ("git_checkpoint", json!({ "action": "restore" })),
        ("git_checkpoint", json!({ "action": "prune", "older_than_days": 0 })),
    ];
    for (tool, params) in calls {
        server.must(tool, params.clone());
        assert!(!mark.exists(), "{tool} {params}: {}", fs::read_to_string(&mark).unwrap());
    }
    // A file with a filter program is not stored without running the filter.
    for (tool, params) in [
        ("git_stage", json!({ "files": ["b.md"] })),
        ("git_commit", json!({ "message": "x", "files": ["docs/c.txt"] })),
        ("git_discard", json!({ "files": ["b.md"] })),
        ("git_stash", json!({ "action": "push" })),
    ] {
        server.must_fail(tool, params, "E_UNSUPPORTED");
        assert!(!mark.exists(), "{tool}");
    }
    assert_eq!(server.must("git_status", json!({}))["programs_not_run"], true);
}

/// A workspace beside another repository that holds a secret, prepared so that it leads there.
fn start_beside_secret(prepare: impl FnOnce(&Path, &Path)) -> Server {
    Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            let secret = root.parent().unwrap().join("secret");
            fs::create_dir(&secret).unwrap();
            fs::write(secret.join("s.txt"), SECRET).unwrap();
            repository(&secret);
            git(&secret, &["commit", "-q", "--allow-empty", "-m", SECRET]);
            prepare(root, &secret);
        })
        .start()
}

#[test]
fn no_repository_escapes_the_workspace() {
    type Prepare = fn(&Path, &Path);
    let cases: [(&str, Prepare); 14] = [
        ("a gitdir file", |root, secret| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git"), format!("gitdir: {}/.git\n", secret.display())).unwrap();
        }),
        ("a relative gitdir file", |root, _| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git"), "gitdir: ../secret/.git\n").unwrap();
        }),
        ("a link", |root, secret| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            symlink(secret.join(".git"), root.join(".git")).unwrap();
        }),
        ("a common folder", |root, secret| {
            let common = format!("{}/.git\n", secret.display());
            fs::write(root.join(".git/commondir"), common).unwrap();
        }),
        ("a work tree", |root, secret| {
            git(root, &["config", "core.worktree", secret.to_str().unwrap()]);
        }),
        ("alternates", |root, secret| {
            let path = root.join(".git/objects/info");
            fs::create_dir_all(&path).unwrap();
            let text = format!("{}/.git/objects\n", secret.display());
            fs::write(path.join("alternates"), text).unwrap();
        }),
        ("linked objects", |root, secret| {
            fs::rename(root.join(".git/objects"), root.join(".git/old")).unwrap();
            symlink(secret.join(".git/objects"), root.join(".git/objects")).unwrap();
        }),
        ("linked references", |root, secret| {
            fs::remove_dir_all(root.join(".git/refs")).unwrap();
            symlink(secret.join(".git/refs"), root.join(".git/refs")).unwrap();
        }),
        ("a linked HEAD", |root, secret| {
            fs::remove_file(root.join(".git/HEAD")).unwrap();
            symlink(secret.join("s.txt"), root.join(".git/HEAD")).unwrap();
        }),
        ("linked settings", |root, secret| {
            fs::remove_file(root.join(".git/config")).unwrap();
            symlink(secret.join(".git/config"), root.join(".git/config")).unwrap();
        }),
        ("a linked index", |root, secret| {
            fs::remove_file(root.join(".git/index")).unwrap();
            symlink(secret.join(".git/index"), root.join(".git/index")).unwrap();
        }),
        ("included settings", |root, secret| {
            git(root, &["config", "include.path", secret.join("s.txt").to_str().unwrap()]);
        }),
        ("a list of what to ignore", |root, secret| {
            git(root, &["config", "core.excludesFile", secret.join("s.txt").to_str().unwrap()]);
        }),
        ("attributes", |root, _| {
            git(root, &["config", "core.attributesFile", "~/secret/s.txt"]);
        }),
    ];
    for (what, prepare) in cases {
        let server = start_beside_secret(prepare);
        for (tool, params) in [
            ("git_status", json!({})),
            ("git_log", json!({ "all": true })),
            ("git_show", json!({ "commit": "HEAD:s.txt" })),
            ("git_diff", json!({ "commit": "HEAD" })),
            ("git_blame", json!({ "path": "a.txt" })),
            ("git_stage", json!({ "files": ["a.txt"] })),
            ("git_checkpoint", json!({ "action": "create" })),
        ] {
            let error = server.tool(tool, params).expect_err(what);
            assert_eq!(error.code, "E_PATH_FORBIDDEN", "{what}: {tool}: {}", error.message);
            assert!(!error.data.to_string().contains(SECRET), "{what}: {}", error.data);
        }
        let log = git(&server.outside().join("secret"), &["log", "--format=%s"]);
        assert_eq!(log, format!("{SECRET}\nfirst"), "{what}");
    }
}

#[test]
fn links_in_the_work_tree_are_not_followed_outside() {
    let server = start_beside_secret(|root, secret| {
        symlink(secret.join("s.txt"), root.join("link")).unwrap();
        fs::remove_dir_all(root.join("docs")).unwrap();
        fs::copy(secret.join("s.txt"), secret.join("c.txt")).unwrap();
        symlink(secret, root.join("docs")).unwrap();
        symlink(secret.join("s.txt"), root.join(".gitignore")).unwrap();
        symlink(secret.join("s.txt"), root.join(".gitattributes")).unwrap();
        symlink(secret.join("s.txt"), root.join(".git-blame-ignore-revs")).unwrap();
    });
    for (tool, params) in [
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_diff", json!({ "commit": "HEAD" })),
        ("git_blame", json!({ "path": "a.txt" })),
        ("git_stage", json!({ "files": ["link"] })),
        ("git_diff", json!({ "staged": true })),
        ("git_checkpoint", json!({ "action": "create" })),
        ("git_checkpoint", json!({ "action": "diff" })),
    ] {
        let told = server.must(tool, params.clone()).to_string();
        assert!(!told.contains(SECRET), "{tool} {params}: {told}");
    }
    for tool in ["git_blame", "git_show"] {
        let told = server.tool(tool, json!({ "path": "docs/c.txt" }));
        assert!(told.is_err(), "{tool}: {told:?}");
    }
    let grep = run(&server.root(), &["grep", "--cached", SECRET]);
    assert!(grep.stdout.is_empty());
}

#[test]
fn a_bare_repository_is_not_listed() {
    let evil = |folder: &Path, mark: &Path| {
        git(folder, &["init", "-q", "--bare", "."]);
        let program = folder.join("evil.sh");
        fs::write(&program, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let text = format!(
            "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {}\nfsmonitor = {}\n",
            folder.display(),
            program.display()
        );
        fs::write(folder.join("config"), text).unwrap();
    };
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            evil(&root.join("docs"), &root.parent().unwrap().join("mark"));
        })
        .start();
    let status = server.must("git_status", json!({ "path": "docs" }));
    assert_eq!(status["repository"], ".", "the one around it");
    server.must_fail("git_status", json!({ "repository": "docs" }), "E_UNSUPPORTED");
    assert!(!server.outside().join("mark").exists());
    let server = Server::builder("").prepare(|root| {
        git(root, &["init", "-q", "--bare", "."]);
    });
    server.start().must_fail("git_status", json!({}), "E_UNSUPPORTED");
}

#[test]
fn names_that_look_like_options_are_treated_as_names() {
    let server = start(FIXTURE);
    let root = server.root();
    let head = git(&root, &["rev-parse", "HEAD"]);
    let packed = format!("{head} refs/heads/--output=x\n{head} refs/heads/-rf\n");
    fs::write(root.join(".git/packed-refs"), packed).unwrap();
    server.write("--help", "x\n");
    let list = server.must("git_branch", json!({ "action": "list" }));
    assert_eq!(list["branches"].as_array().unwrap().len(), 3);
    server.must("git_stage", json!({ "files": ["--help"] }));
    for name in
        ["--output=x", "-p", "--exec=touch x", "HEAD --output=x", "", "a\0b", ":/.*", "HEAD^{/x}"]
    {
        for (tool, field) in [("git_diff", "commit"), ("git_show", "commit"), ("git_log", "commit")]
        {
            let code = server.tool(tool, json!({ field: name })).expect_err(name).code;
            assert_eq!(code, "E_NO_MATCH", "{tool} {name:?}");
        }
    }
    let params = json!({ "action": "switch", "name": "--output=x" });
    let _ = server.tool("git_branch", params);
    assert!(!root.join("x").exists());
}

#[test]
fn corruption_is_reported_and_survived() {
    let server = start(FIXTURE);
    let root = server.root();
    let head = git(&root, &["rev-parse", "HEAD"]);
    let object = root.join(".git/objects").join(&head[..2]).join(&head[2..]);
    let whole = fs::read(&object).unwrap();
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    for broken in [&whole[..10], &whole[..whole.len() - 3], b"", b"not an object at all"] {
        fs::write(&object, broken).unwrap();
        // Cut short, libgit2 would never come back from it.
        for (tool, params) in [("git_log", json!({})), ("git_show", json!({}))] {
            let error = server.tool(tool, params).unwrap_err();
            assert!(
                ["E_IO", "E_NO_MATCH"].contains(&error.code.as_str()),
                "{tool}: {}",
                error.data
            );
        }
    }
    fs::write(&object, &whole).unwrap();
    let index = fs::read(root.join(".git/index")).unwrap();
    for broken in [&index[..20], b"DIRC\xff\xff\xff\xff\xff\xff\xff\xff", b"garbage"] {
        fs::write(root.join(".git/index"), broken).unwrap();
        let error = server.tool("git_status", json!({})).unwrap_err();
        assert_eq!(error.code, "E_IO", "{}", error.data);
        server.tool("git_stage", json!({ "files": ["a.txt"] })).unwrap_err();
        assert_eq!(fs::read(root.join(".git/index")).unwrap(), broken);
    }
    fs::write(root.join(".git/index"), &index).unwrap();
    server.write("a.txt", "x\n");
    fs::write(root.join(".git/index.lock"), "").unwrap();
    for (tool, params) in [
        ("git_stage", json!({ "files": ["a.txt"] })),
        ("git_unstage", json!({ "files": ["a.txt"] })),
    ] {
        let error = server.tool(tool, params).unwrap_err();
        assert!(
            ["E_CONFLICT", "E_NO_MATCH"].contains(&error.code.as_str()),
            "{tool} {}",
            error.data
        );
    }
    assert_eq!(fs::read(root.join(".git/index")).unwrap(), index);
    server.must("git_status", json!({}));
    fs::remove_file(root.join(".git/index.lock")).unwrap();
    for head in
        ["", "ref: ", "ref: refs/heads/../../../x", "ref: HEAD", "zzzz", "ref: refs/heads/\u{0}"]
    {
        fs::write(root.join(".git/HEAD"), head).unwrap();
        let _ = server.tool("git_status", json!({}));
        let _ = server.tool("git_commit", json!({ "message": "x", "allow_empty": true }));
    }
    assert!(!root.join("x").exists() && !root.join(".git/x").exists());
    fs::remove_dir_all(root.join(".git")).unwrap();
    server.must_fail("git_status", json!({}), "E_PATH_NOT_FOUND");
    server.must("read_file", json!({ "path": "a.txt" }));
}

#[test]
fn unreadable_patch_formats_are_named() {
    let form = |args: &[&str]| {
        let server = Server::builder(FIXTURE).prepare(|root| {
            git(root, args);
        });
        server.start()
    };
    let sha256 = form(&["init", "-q", "--object-format=sha256"]);
    let error = sha256.must_fail("git_status", json!({}), "E_UNSUPPORTED");
    assert!(error.message.contains("SHA-256"), "{}", error.message);
    let reftable = form(&["init", "-q", "--ref-format=reftable"]);
    reftable.must_fail("git_status", json!({}), "E_UNSUPPORTED");
    let unborn = form(&["init", "-q", "-b", "fresh"]);
    let status = unborn.must("git_status", json!({}));
    assert_eq!((&status["branch"], &status["commit"]), (&json!("fresh"), &Value::Null));
    assert_eq!(unborn.must("git_log", json!({}))["commits"], json!([]));
    unborn.must_fail("git_show", json!({}), "E_NO_MATCH");
    unborn.must("git_checkpoint", json!({ "action": "create" }));
    let detached = start(FIXTURE);
    git(&detached.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(detached.must("git_status", json!({}))["branch"], Value::Null);
    detached.write("a.txt", "x\n");
    let made = detached.must("git_commit", json!({ "message": "x", "files": ["a.txt"] }));
    assert_eq!(made["branch"], Value::Null);
}

#[test]
fn shallow_sparse_and_partial_repositories_are_read() {
    let make = |root: &Path, args: &[&str]| {
        let origin = root.parent().unwrap().join("origin");
        fs::create_dir(&origin).unwrap();
        for (file, text) in [("a.txt", "a\n"), ("sub/b.txt", "b\n"), ("other/c.txt", "c\n")] {
            fs::create_dir_all(origin.join(file).parent().unwrap()).unwrap();
            fs::write(origin.join(file), text).unwrap();
        }
        repository(&origin);
        git(&origin, &["config", "uploadpack.allowFilter", "true"]);
        fs::write(origin.join("a.txt"), "a2\n").unwrap();
        git(&origin, &["commit", "-qam", "second"]);
        fs::remove_dir(root).unwrap();
        let url = format!("file://{}", origin.display());
        let mut all = vec!["clone", "-q"];
        all.extend(args);
        all.extend([url.as_str(), root.to_str().unwrap()]);
        git(root.parent().unwrap(), &all);
    };
    let server = Server::builder("").prepare(|root| make(root, &["--depth=1"])).start();
    assert_eq!(server.must("git_log", json!({}))["commits"].as_array().unwrap().len(), 1);
    assert_eq!(server.must("git_blame", json!({ "path": "a.txt" }))["lines"][0]["text"], "a2");
    assert_eq!(server.must("git_status", json!({}))["upstream"], "origin/main");

    let server = Server::builder("")
        .prepare(|root| {
            make(root, &[]);
            git(root, &["sparse-checkout", "set", "--no-sparse-index", "sub"]);
        })
        .start();
    let status = server.must("git_status", json!({}));
    assert_eq!((&status["staged"], &status["unstaged"]), (&json!([]), &json!([])));
    server.write("sub/b.txt", "changed\n");
    server.must("git_stage", json!({ "files": ["."] }));
    assert_eq!(git(&server.root(), &["status", "--porcelain"]), "M  sub/b.txt");
    git(&server.root(), &["sparse-checkout", "reapply", "--sparse-index"]);
    if fs::read(server.path(".git/index")).unwrap().windows(4).any(|four| four == b"sdir") {
        server.must_fail("git_status", json!({}), "E_UNSUPPORTED");
    }

    let server = Server::builder("").prepare(|root| make(root, &["--filter=blob:none"])).start();
    assert_eq!(server.must("git_log", json!({}))["commits"].as_array().unwrap().len(), 2);
    let error =
        server.tool("git_show", json!({ "commit": "HEAD~1", "path": "a.txt" })).unwrap_err();
    assert_eq!(error.code, "E_IO");
    assert!(error.message.contains("partial"), "{}", error.message);
}

#[test]
fn a_linked_work_tree_is_read_and_written_with_trust_only() {
    let prepare = |root: &Path| {
        let main = root.parent().unwrap().join("main");
        fs::create_dir(&main).unwrap();
        fs::write(main.join("a.txt"), "a\n").unwrap();
        repository(&main);
        fs::remove_dir(root).unwrap();
        git(&main, &["worktree", "add", "-q", "-b", "topic", root.to_str().unwrap()]);
        fs::write(root.join("a.txt"), "changed\n").unwrap();
    };
    let server = Server::builder("").prepare(prepare).start();
    let status = server.must("git_status", json!({}));
    assert_eq!(status["branch"], "topic");
    assert_eq!(status["unstaged"][0]["path"], "a.txt");
    server.must("git_log", json!({}));
    for (tool, params) in [
        ("git_stage", json!({ "files": ["a.txt"] })),
        ("git_commit", json!({ "message": "x", "files": ["a.txt"] })),
        ("git_branch", json!({ "action": "create", "name": "x" })),
        ("git_checkpoint", json!({ "action": "create" })),
    ] {
        server.must_fail(tool, params, "E_DENIED");
    }
    let settings = server.outside().join("config/tandem");
    fs::create_dir_all(&settings).unwrap();
    let trust = format!("[git]\ntrusted = [{:?}]\n", server.root());
    fs::write(settings.join("config.toml"), trust).unwrap();
    let made = server.must("git_commit", json!({ "message": "x", "files": ["a.txt"] }));
    assert_eq!(made["branch"], "topic");
    assert_eq!(git(&server.root(), &["status", "--porcelain"]), "");
    // A branch that is checked out elsewhere stays there.
    server.must_fail("git_branch", json!({ "action": "switch", "name": "main" }), "E_CONFLICT");
}

#[test]
fn a_submodule_is_reported_and_is_its_own_repository() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            let origin = root.parent().unwrap().join("origin");
            fs::create_dir(&origin).unwrap();
            fs::write(origin.join("s.txt"), "s\n").unwrap();
            repository(&origin);
            repository(root);
            git(root, &["submodule", "--quiet", "add", origin.to_str().unwrap(), "sub"]);
            git(root, &["commit", "-qm", "sub"]);
            fs::write(root.join("sub/s.txt"), "changed\n").unwrap();
        })
        .start();
    let status = server.must("git_status", json!({}));
    assert_eq!(status["submodules"], json!([{ "path": "sub", "present": true }]));
    assert_eq!(status["unstaged"], json!([{ "path": "sub", "status": "modified" }]));
    let inner = server.must("git_status", json!({ "path": "sub/s.txt" }));
    assert_eq!(
        (&inner["repository"], &inner["unstaged"][0]["path"]),
        (&json!("sub"), &json!("sub/s.txt"))
    );
}

#[test]
fn the_environment_is_ignored() {
    let home = Home::new();
    let root = home.root();
    fs::write(root.join("a.txt"), "a\n").unwrap();
    repository(&root);
    let other = home.outside().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("s.txt"), SECRET).unwrap();
    repository(&other);
    let system = home.outside().join("system");
    fs::write(&system, "[core]\nexcludesFile = /nowhere\n[user]\nname = Evil\n").unwrap();
    let mut command = home.command();
    command
        .args(["call", "git_log", "{}", "--workspace"])
        .arg(&root)
        .env("GIT_DIR", other.join(".git"))
        .env("GIT_WORK_TREE", &other)
        .env("GIT_INDEX_FILE", other.join(".git/index"))
        .env("GIT_OBJECT_DIRECTORY", other.join(".git/objects"))
        .env("GIT_CONFIG_GLOBAL", &system)
        .env("GIT_CONFIG_SYSTEM", &system)
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", "touch /tmp/never")
        .env("GIT_EXTERNAL_DIFF", "false")
        .env("GIT_NAMESPACE", "x");
    let output = command.output().unwrap();
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["commits"][0]["commit"], git(&root, &["rev-parse", "HEAD"]));
}
