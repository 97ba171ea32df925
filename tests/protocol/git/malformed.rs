//! Repository contents that git would not create: special files, broken packs, names that are not
//! portable, folders of other users.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::Server;

use super::{git, repository, run, start};

const FIXTURE: &str = "//- /a.txt\none\ntwo\n//- /docs/c.txt\nc\n";

/// Calls that look at everything and change what git keeps.
const CALLS: &[(&str, &str)] = &[
    ("git_status", "{}"),
    ("git_diff", "{}"),
    ("git_diff", r#"{"commit":"HEAD"}"#),
    ("git_log", r#"{"all":true}"#),
    ("git_show", "{}"),
    ("git_blame", r#"{"path":"a.txt"}"#),
    ("git_branch", r#"{"action":"list"}"#),
    ("git_tags", "{}"),
    ("git_stage", r#"{"files":["a.txt"]}"#),
    ("git_commit", r#"{"message":"x"}"#),
    ("git_stash", r#"{"action":"list"}"#),
    ("git_checkpoint", r#"{"action":"create"}"#),
];

/// Makes every call; each must come back soon. The codes of those that failed.
fn call_all(server: &Server, what: &str) -> Vec<String> {
    let mut codes = Vec::new();
    for (tool, params) in CALLS {
        let call = server.start_tool(tool, serde_json::from_str(params).unwrap());
        if let Err(error) = call.wait(Duration::from_secs(30)) {
            let answer = error.response().unwrap_or_else(|| panic!("{what}: {tool}: {error}"));
            let code = answer.data["code"].as_str().unwrap_or_default().to_owned();
            assert_ne!(code, "E_INTERNAL", "{what}: {tool}: {}", answer.data);
            codes.push(code);
        }
    }
    server.must("read_file", json!({ "path": "a.txt" }));
    codes
}

fn fifo(path: &Path) {
    let _ = fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success(), "mkfifo {}", path.display());
}

#[test]
fn special_files_do_not_block() {
    for name in [
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/packed-refs",
        ".git/refs/heads/main",
        ".git/refs/heads/other",
        ".git/refs/tags/t",
        ".git/logs/HEAD",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/shallow",
        ".git/commondir",
        ".git/MERGE_HEAD",
        ".git/objects/info/alternates",
        ".git/objects/pack/pack-x.idx",
        ".git/objects/info/commit-graph",
        ".git/index.lock",
        ".gitignore",
        ".gitattributes",
        "docs/.gitignore",
        "docs/.gitattributes",
        ".gitmodules",
        ".git-blame-ignore-revs",
        "new",
        "new/.gitignore",
        "new/deep/.gitattributes",
    ] {
        let server = Server::builder(FIXTURE)
            .prepare(|root| {
                repository(root);
                let path = root.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fifo(&path);
            })
            .start();
        call_all(&server, name);
    }
    let server = Server::builder(FIXTURE).prepare(|root| fifo(&root.join(".git"))).start();
    server.must_fail("git_status", json!({}), "E_PATH_NOT_FOUND");
}

#[test]
fn fake_repositories_are_not_repositories() {
    type Prepare = fn(&Path);
    let cases: [(&str, Prepare); 6] = [
        ("a folder for HEAD", |root| {
            fs::remove_file(root.join(".git/HEAD")).unwrap();
            fs::create_dir(root.join(".git/HEAD")).unwrap();
        }),
        ("a file that names itself", |root| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git"), "gitdir: .git\n").unwrap();
        }),
        ("files that name each other", |root| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git"), "gitdir: docs/.git\n").unwrap();
            fs::write(root.join("docs/.git"), "gitdir: ../.git\n").unwrap();
        }),
        ("a link to itself", |root| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            symlink(".git", root.join(".git")).unwrap();
        }),
        ("an endless file", |root| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::write(root.join(".git"), "gitdir: x".repeat(1 << 20)).unwrap();
        }),
        ("nothing in it", |root| {
            fs::remove_dir_all(root.join(".git")).unwrap();
            fs::create_dir(root.join(".git")).unwrap();
        }),
    ];
    for (what, prepare) in cases {
        let prepare = |root: &Path| {
            repository(root);
            prepare(root);
        };
        let server = Server::builder(FIXTURE).prepare(prepare).start();
        assert_eq!(call_all(&server, what).len(), CALLS.len(), "{what}");
    }
    let server = start(FIXTURE);
    fs::write(server.path(".git/HEAD"), "ref: refs/heads/".repeat(1 << 20)).unwrap();
    call_all(&server, "an endless HEAD");
}

/// Broken packs and what speeds them up: each is an error, or answered without.
#[test]
fn broken_packs_are_reported_and_survived() {
    let prepare = |root: &Path| {
        repository(root);
        for n in 0..20 {
            fs::write(root.join("a.txt"), format!("{n}\n").repeat(50)).unwrap();
            git(root, &["commit", "-qam", &n.to_string()]);
        }
        git(root, &["repack", "-adq", "--write-bitmap-index"]);
        git(root, &["commit-graph", "write", "--reachable"]);
        git(root, &["multi-pack-index", "write"]);
    };
    let server = Server::builder(FIXTURE).prepare(prepare).start();
    assert_eq!(call_all(&server, "whole"), ["E_CONFLICT"], "nothing to commit");
    let objects = server.path(".git/objects");
    let mut files: Vec<PathBuf> = vec![objects.join("info/commit-graph")];
    files.extend(fs::read_dir(objects.join("pack")).unwrap().map(|entry| entry.unwrap().path()));
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let whole = fs::read(&file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let middle = |mut bytes: Vec<u8>, byte: u8| {
            let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
            bytes[from..to].fill(byte);
            bytes
        };
        let mut head = whole.clone();
        head[..12.min(whole.len())].fill(0xff);
        let half = whole[..whole.len() / 2].to_vec();
        let broken = [half, head, middle(whole.clone(), 0xff), middle(whole.clone(), 0), vec![]];
        for (number, bytes) in broken.into_iter().enumerate() {
            // As git does: a mapped file must not shrink under its readers.
            let new = file.with_extension("new");
            fs::write(&new, bytes).unwrap();
            fs::rename(&new, &file).unwrap();
            call_all(&server, &format!("{} {number}", file.display()));
        }
        let new = file.with_extension("new");
        fs::write(&new, &whole).unwrap();
        fs::rename(&new, &file).unwrap();
    }
}

/// Writes an object without validating it.
fn object(root: &Path, kind: &str, bytes: &[u8]) -> String {
    let mut child = Command::new("git")
        .current_dir(root)
        .args(["hash-object", "-w", "--literally", "-t", kind, "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// A tree with one entry.
fn tree(root: &Path, mode: &str, name: &[u8], id: &str) -> String {
    let mut bytes = format!("{mode} ").into_bytes();
    bytes.extend_from_slice(name);
    bytes.push(0);
    let byte = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
    bytes.extend((0..id.len()).step_by(2).map(byte));
    object(root, "tree", &bytes)
}

fn commit(root: &Path, tree: &str, parent: &str) -> String {
    let text = format!(
        "tree {tree}\nparent {parent}\nauthor A <a@b> 1700000000 +0000\n\
         committer A <a@b> 1700000000 +0000\n\nx\n"
    );
    object(root, "commit", text.as_bytes())
}

/// Trees that would write into a git folder, or out of the work tree, on some system or other.
#[test]
fn no_hostile_tree_writes_to_forbidden_paths() {
    let names: &[&[u8]] = &[
        b".git",
        b".GIT",
        b".Git",
        b"git~1",
        b".git ",
        b".git.",
        b".git\\hooks",
        b".git::$INDEX_ALLOCATION",
        "\u{200c}.git".as_bytes(),
        ".g\u{200c}it".as_bytes(),
        b"..",
        b".",
        b"a/b",
        b"../x",
        b"/x",
    ];
    for name in names {
        let what = String::from_utf8_lossy(name).into_owned();
        let server = start(FIXTURE);
        let root = server.root();
        let hook = object(&root, "blob", b"#!/bin/sh\ntouch pwned\n");
        let head = git(&root, &["rev-parse", "HEAD"]);
        let evil = tree(&root, "40000", name, &tree(&root, "100755", b"post-checkout", &hook));
        let evil = commit(&root, &evil, &head);
        fs::write(root.join(".git/refs/heads/evil"), format!("{evil}\n")).unwrap();
        let before = listing(&root);
        for (tool, params) in [
            ("git_show", json!({ "commit": "evil" })),
            ("git_diff", json!({ "commit": "evil" })),
            ("git_log", json!({ "all": true })),
            ("git_status", json!({})),
            ("git_branch", json!({ "action": "switch", "name": "evil" })),
        ] {
            if let Err(error) = server.tool(tool, params) {
                assert_ne!(error.code, "E_INTERNAL", "{what}: {tool}: {}", error.data);
            }
        }
        let wrote: Vec<_> = listing(&root).into_iter().filter(|p| !before.contains(p)).collect();
        // Names that mean nothing here may be written, as they stand.
        let own = Path::new(".git");
        assert!(
            wrote.iter().all(|path| !path.starts_with(own.join("hooks"))),
            "{what}: wrote {wrote:?}"
        );
        assert!(
            !server.outside().join("x").exists()
                && !server.outside().join("post-checkout").exists()
        );
        git(&root, &["symbolic-ref", "HEAD", "refs/heads/main"]);
        // The same as something put aside, and as a checkpoint.
        fs::write(root.join(".git/refs/stash"), format!("{evil}\n")).unwrap();
        fs::create_dir_all(root.join(".git/refs/tandem/checkpoints")).unwrap();
        fs::write(root.join(".git/refs/tandem/checkpoints/1-0"), format!("{evil}\n")).unwrap();
        for (tool, params) in [
            ("git_stash", json!({ "action": "apply" })),
            ("git_checkpoint", json!({ "action": "list" })),
            ("git_checkpoint", json!({ "action": "restore", "id": "1-0" })),
            ("git_discard", json!({ "files": ["."] })),
        ] {
            if let Err(error) = server.tool(tool, params) {
                assert_ne!(error.code, "E_INTERNAL", "{what}: {tool}: {}", error.data);
            }
        }
        let wrote: Vec<_> = listing(&root).into_iter().filter(|p| !before.contains(p)).collect();
        assert!(wrote.iter().all(|path| !path.starts_with(own.join("hooks"))), "{what}: {wrote:?}");
        assert!(
            !server.outside().join("x").exists()
                && !server.outside().join("post-checkout").exists()
        );
    }
}

fn listing(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap().flatten() {
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

/// A link in the place of a folder is not written through, however the next commit has it.
#[test]
fn a_branch_switch_writes_through_no_link() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            let outside = root.parent().unwrap().join("target");
            fs::create_dir(&outside).unwrap();
            git(root, &["checkout", "-q", "-b", "linked"]);
            git(root, &["rm", "-rq", "docs"]);
            symlink(&outside, root.join("docs")).unwrap();
            git(root, &["add", "-A"]);
            git(root, &["commit", "-qm", "link"]);
        })
        .start();
    server.must("git_branch", json!({ "action": "switch", "name": "main" }));
    assert_eq!(server.disk_text("docs/c.txt"), "c\n");
    assert_eq!(fs::read_dir(server.outside().join("target")).unwrap().count(), 0);
    // Untracked, in the place of the folder that the branch has.
    server.must("git_branch", json!({ "action": "switch", "name": "linked" }));
    fs::remove_file(server.path("docs")).unwrap();
    symlink(server.outside().join("target"), server.path("docs")).unwrap();
    let _ = server.tool("git_branch", json!({ "action": "switch", "name": "main" }));
    assert_eq!(fs::read_dir(server.outside().join("target")).unwrap().count(), 0);
}

#[test]
fn submodules_do_not_escape_and_run_nothing() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            let head = git(root, &["rev-parse", "HEAD"]);
            let mark = root.parent().unwrap().join("mark");
            let secret = root.parent().unwrap().join("secret");
            fs::create_dir(&secret).unwrap();
            fs::write(secret.join("s.txt"), "secret").unwrap();
            repository(&secret);
            let text = format!(
                "[submodule \"../../x\"]\n\tpath = ../secret\n\turl = ../secret\n\
                 [submodule \"s\"]\n\tpath = s\n\turl = --upload-pack=touch {mark}\n\
                 \tupdate = !touch {mark}\n\
                 [submodule \"l\"]\n\tpath = l\n\turl = ext::sh -c touch% {mark}\n",
                mark = mark.display()
            );
            fs::write(root.join(".gitmodules"), text).unwrap();
            for path in ["s", "l"] {
                let entry = format!("160000,{head},{path}");
                git(root, &["update-index", "--add", "--cacheinfo", &entry]);
            }
            git(root, &["add", ".gitmodules"]);
            git(root, &["commit", "-qm", "modules"]);
            symlink(&secret, root.join("l")).unwrap();
        })
        .start();
    for (tool, params) in CALLS {
        if let Ok(told) = server.tool(tool, serde_json::from_str(params).unwrap()) {
            assert!(!told.to_string().contains("s.txt"), "{tool}: {told}");
        }
    }
    server.must_fail("git_status", json!({ "repository": "l" }), "E_PATH_FORBIDDEN");
    assert!(!server.outside().join("mark").exists());
}

/// Only root can give a folder away; nothing is tried where the tests run as somebody else.
#[test]
fn repositories_of_other_users_are_not_opened() {
    let is_given = |path: &Path| {
        let given = Command::new("chown").args(["-R", "12345:12345"]).arg(path).status();
        given.is_ok_and(|status| status.success())
    };
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            let above = root.parent().unwrap();
            repository(above);
            let _ = is_given(&above.join(".git"));
        })
        .start();
    use std::os::unix::fs::MetadataExt;
    if fs::metadata(server.outside().join(".git")).unwrap().uid() != 12_345 {
        return;
    }
    let error = server.must_fail("git_status", json!({}), "E_PERMISSION");
    assert!(error.message.contains("another user"), "{}", error.message);
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            assert!(is_given(&root.join(".git")));
            assert!(Command::new("chown").arg("12345").arg(root).status().unwrap().success());
        })
        .start();
    server.must_fail("git_status", json!({}), "E_PERMISSION");
}

/// An object that is small on disk and large in memory is an error and does not end the server.
#[test]
fn highly_compressed_objects_are_refused() {
    let server = start(FIXTURE);
    let root = server.root();
    let large = object(&root, "blob", &vec![0; 200 << 20]);
    let head = git(&root, &["rev-parse", "HEAD"]);
    let made = commit(&root, &tree(&root, "100644", b"a.txt", &large), &head);
    git(&root, &["update-ref", "refs/heads/main", &made]);
    for (tool, params) in [
        ("git_status", json!({})),
        ("git_diff", json!({ "commit": "HEAD~1", "to": "HEAD" })),
        ("git_show", json!({})),
        ("git_show", json!({ "path": "a.txt" })),
        ("git_blame", json!({ "path": "a.txt" })),
        ("git_discard", json!({ "files": ["a.txt"] })),
    ] {
        let begun = Instant::now();
        let done = server.tool(tool, params.clone());
        assert!(begun.elapsed() < Duration::from_secs(60), "{tool} {params}");
        if let Ok(told) = done {
            assert!(told.to_string().len() < 500_000, "{tool} {params}");
        }
    }
    // A folder that holds itself by a million names: each of its entries the folder before.
    let mut below = tree(&root, "100644", b"f", &object(&root, "blob", b"x\n"));
    for _ in 0..60 {
        let mut bytes = Vec::new();
        for name in [b'a', b'b', b'c', b'd', b'e', b'f', b'g', b'h', b'i', b'j'] {
            bytes.extend_from_slice(b"40000 ");
            bytes.extend_from_slice(&[name, 0]);
            let byte = |at: usize| u8::from_str_radix(&below[at..at + 2], 16).unwrap();
            bytes.extend((0..below.len()).step_by(2).map(byte));
        }
        below = object(&root, "tree", &bytes);
    }
    let made = commit(&root, &below, &head);
    git(&root, &["update-ref", "refs/heads/bomb", &made]);
    for (tool, params) in [
        ("git_show", json!({ "commit": "bomb" })),
        ("git_diff", json!({ "commit": "main", "to": "bomb" })),
        ("git_branch", json!({ "action": "switch", "name": "bomb" })),
    ] {
        // It ends when it is cancelled.
        let call = server.start_tool(tool, params.clone());
        std::thread::sleep(Duration::from_millis(500));
        server.cancel(call.id).unwrap();
        let begun = Instant::now();
        let _ = call.wait(Duration::from_secs(60));
        assert!(begun.elapsed() < Duration::from_secs(30), "{tool} {params}");
    }
    server.must("read_file", json!({ "path": "a.txt" }));
}

#[test]
fn a_repository_deleted_while_it_is_read_is_an_error() {
    let server = start(FIXTURE);
    let root = server.root();
    for n in 0..200 {
        server.write(&format!("many/{n}.txt"), "x\n");
    }
    git(&root, &["add", "-A"]);
    let (git_folder, aside) = (root.join(".git"), root.join("docs/aside"));
    let put_back = || {
        if fs::rename(&aside, &git_folder).is_err() && aside.exists() {
            // libgit2 creates missing folders on the way to a reference or an object. They are no
            // repository, and in the way of the real one.
            assert!(!git_folder.join("HEAD").exists());
            let _ = fs::remove_dir_all(&git_folder);
            let _ = fs::rename(&aside, &git_folder);
        }
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::rename(&git_folder, &aside);
                std::thread::sleep(Duration::from_millis(3));
                put_back();
                std::thread::sleep(Duration::from_millis(7));
            }
        });
        for _ in 0..10 {
            for (tool, params) in CALLS {
                if let Err(error) = server.tool(tool, serde_json::from_str(params).unwrap()) {
                    assert_ne!(error.code, "E_INTERNAL", "{tool}: {}", error.data);
                }
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    put_back();
    server.must("git_status", json!({}));
    assert!(run(&root, &["fsck"]).status.success());
}
