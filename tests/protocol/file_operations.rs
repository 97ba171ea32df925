//! Deleting, moving, copying and creating files, links and folders.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};
use tests::{Home, Server};

fn path(path: &str) -> Value {
    json!({ "path": path })
}

fn source_and_destination(source: &str, destination: &str) -> Value {
    json!({ "source": source, "destination": destination })
}

fn overwriting(source: &str, destination: &str) -> Value {
    json!({ "source": source, "destination": destination, "overwrite": true })
}

/// Hidden files of our own that are left in the workspace.
fn leftovers(root: &Path) -> Vec<String> {
    let mut left = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(".tandem-") {
                left.push(name);
            }
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    left
}

#[test]
fn a_deleted_file_can_be_restored_unchanged() {
    let server = Server::start("//- /dir/a.txt\nkept\n");
    let file = server.path("dir/a.txt");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
    let before = file.metadata().unwrap();
    let deleted = server.must("delete_file", path("dir/a.txt"));
    assert_eq!((&deleted["changed"], &deleted["kind"]), (&json!(true), &json!("file")));
    assert!(!file.exists());
    server.must("undo_action", json!({ "action": deleted["action"] }));
    let after = file.metadata().unwrap();
    assert_eq!(server.disk_text("dir/a.txt"), "kept\n");
    assert_eq!(
        (before.mode(), before.ino(), before.mtime_nsec()),
        (after.mode(), after.ino(), after.mtime_nsec())
    );
    assert_eq!(leftovers(&server.root()), Vec::<String>::new());
}

#[test]
fn a_folder_is_deleted_only_with_recursive() {
    let server = Server::start("//- /dir/a.txt\na\n//- /dir/sub/b.txt\nb\n");
    let error = server.must_fail("delete_file", path("dir"), "E_INVALID_PARAMS");
    assert!(error.data["hint"].as_str().unwrap().contains("recursive"), "{}", error.data);
    server.must("delete_file", json!({ "path": "dir", "recursive": true }));
    assert!(!server.path("dir").exists());
    server.must("undo_action", json!({}));
    assert_eq!(server.disk_text("dir/sub/b.txt"), "b\n");
}

#[test]
fn links_are_deleted_and_moved_as_links() {
    let server = Server::builder("//- /in/a.txt\na\n")
        .prepare(|root| {
            let outside = root.parent().unwrap().join("outside");
            std::fs::create_dir(&outside).unwrap();
            std::fs::write(outside.join("s.txt"), "secret\n").unwrap();
            symlink(&outside, root.join("node_modules")).unwrap();
            symlink("../outside/s.txt", root.join("out")).unwrap();
            symlink("nowhere", root.join("dangling")).unwrap();
            symlink("in", root.join("folder-link")).unwrap();
            symlink("loop", root.join("loop")).unwrap();
        })
        .start();
    for name in ["node_modules", "out", "dangling", "folder-link", "folder-link/", "loop"] {
        let moved = server.must("move_file", source_and_destination(name, "moved"));
        assert_eq!(moved["kind"], "link", "{moved}");
        assert!(server.path("moved").is_symlink());
        server.must("delete_file", path("moved"));
        assert!(!server.path("moved").is_symlink());
        server.must("undo_action", json!({}));
        server.must("undo_action", json!({}));
        assert!(server.path(name.trim_end_matches('/')).is_symlink());
    }
    assert_eq!(
        std::fs::read_to_string(server.outside().join("outside/s.txt")).unwrap(),
        "secret\n"
    );
    for name in ["node_modules", "out"] {
        server.must_fail("copy_file", source_and_destination(name, "copy"), "E_PATH_FORBIDDEN");
        server.must_fail("delete_file", path(&format!("{name}/s.txt")), "E_PATH_FORBIDDEN");
        server.must_fail(
            "move_file",
            source_and_destination("in", &format!("{name}/x")),
            "E_PATH_FORBIDDEN",
        );
        server.must_fail("create_directory", path(&format!("{name}/x")), "E_PATH_FORBIDDEN");
    }
    assert_eq!(server.disk_text("in/a.txt"), "a\n");
}

#[test]
fn the_workspace_root_is_not_a_target() {
    let server = Server::start("//- /dir/a.txt\na\n");
    let root = server.root().to_str().unwrap().to_owned();
    for target in [".", "./", "dir/..", "dir/../.", &root, &format!("{root}/"), &server.uri("")] {
        let both = json!({ "path": target, "recursive": true });
        server.must_fail("delete_file", both, "E_PATH_FORBIDDEN");
        server.must_fail(
            "move_file",
            source_and_destination(target, "elsewhere"),
            "E_PATH_FORBIDDEN",
        );
        server.must_fail("move_file", overwriting("dir", target), "E_PATH_FORBIDDEN");
        server.must_fail("copy_file", overwriting("dir", target), "E_PATH_FORBIDDEN");
    }
    for target in ["..", "../x", "/", "/etc", "dir/../../x"] {
        let both = json!({ "path": target, "recursive": true });
        server.must_fail("delete_file", both, "E_PATH_FORBIDDEN");
        server.must_fail("move_file", source_and_destination("dir", target), "E_PATH_FORBIDDEN");
        server.must_fail("copy_file", source_and_destination("dir", target), "E_PATH_FORBIDDEN");
    }
    assert_eq!(server.disk_text("dir/a.txt"), "a\n");
    // `dir/.` is the folder by another spelling.
    server.must("delete_file", json!({ "path": "dir/.", "recursive": true }));
    assert!(!server.path("dir").exists());
}

#[test]
fn a_move_replaces_nothing_without_overwrite() {
    let server = Server::start(
        "\
//- /a.txt
a
//- /b.txt
b
//- /dir/c.txt
c
//- /e/f.txt
f
",
    );
    server.must_fail("move_file", source_and_destination("a.txt", "b.txt"), "E_EXISTS");
    server.must_fail("move_file", source_and_destination("a.txt", "dir"), "E_EXISTS");
    server.must_fail("move_file", overwriting("a.txt", "dir"), "E_EXISTS");
    server.must_fail("move_file", overwriting("dir", "a.txt"), "E_EXISTS");
    let moved = server.must("move_file", overwriting("a.txt", "b.txt"));
    assert_eq!(moved["overwritten"], true, "{moved}");
    assert_eq!(server.disk_text("b.txt"), "a\n");
    assert!(!server.path("a.txt").exists());
    server.must("undo_action", json!({}));
    assert_eq!(
        (server.disk_text("a.txt"), server.disk_text("b.txt")),
        ("a\n".into(), "b\n".into())
    );
    server.must("move_file", overwriting("dir", "e"));
    assert!(!server.path("e/f.txt").exists());
    assert_eq!(server.disk_text("e/c.txt"), "c\n");
    server.must("undo_action", json!({}));
    assert_eq!(server.disk_text("dir/c.txt"), "c\n");
    assert_eq!(server.disk_text("e/f.txt"), "f\n");
    server.must_fail("move_file", source_and_destination("dir", "dir/sub/x"), "E_INVALID_PARAMS");
    server.must_fail("move_file", source_and_destination("missing", "x"), "E_FILE_NOT_FOUND");
    let same = server.must("move_file", source_and_destination("a.txt", "./a.txt"));
    assert_eq!(same["changed"], false);
    assert_eq!(leftovers(&server.root()), Vec::<String>::new());
}

#[test]
fn a_move_creates_missing_folders_and_undo_removes_them() {
    let server = Server::start("//- /a.txt\na\n");
    server.must("move_file", source_and_destination("a.txt", "x/y/z.txt"));
    assert_eq!(server.disk_text("x/y/z.txt"), "a\n");
    server.must("undo_action", json!({}));
    assert_eq!(server.disk_text("a.txt"), "a\n");
    assert!(!server.path("x").exists());
    server.must_fail("move_file", source_and_destination("a.txt", "a.txt/b"), "E_INVALID_PARAMS");
    server.write("file", "f");
    server.must_fail("move_file", source_and_destination("a.txt", "file/b"), "E_FILE_NOT_FOUND");
}

#[test]
fn copies_keep_file_metadata() {
    let server = Server::builder("//- /dir/a.sh\nrun\n//- /dir/sub/b.txt\nb\n")
        .prepare(|root| {
            let set = |name: &str, mode| {
                let mode = std::fs::Permissions::from_mode(mode);
                std::fs::set_permissions(root.join(name), mode).unwrap();
            };
            set("dir/a.sh", 0o751);
            symlink("a.sh", root.join("dir/link")).unwrap();
            symlink("/nowhere/at/all", root.join("dir/out")).unwrap();
            set("dir/sub", 0o500);
        })
        .start();
    server.must("copy_file", source_and_destination("dir", "new/copy"));
    let metadata = |name: &str| server.path(name).metadata().unwrap();
    for (old, new) in [("dir/a.sh", "new/copy/a.sh"), ("dir/sub", "new/copy/sub")] {
        let (old, new) = (metadata(old), metadata(new));
        assert_eq!((old.mode(), old.mtime_nsec()), (new.mode(), new.mtime_nsec()));
    }
    assert_eq!(std::fs::read_link(server.path("new/copy/link")).unwrap(), Path::new("a.sh"));
    assert_eq!(
        std::fs::read_link(server.path("new/copy/out")).unwrap(),
        Path::new("/nowhere/at/all")
    );
    assert_eq!(server.disk_text("new/copy/sub/b.txt"), "b\n");
    server.must_fail("copy_file", source_and_destination("dir", "dir/inside"), "E_INVALID_PARAMS");
    server.must_fail("copy_file", source_and_destination("dir/a.sh", "new/copy/a.sh"), "E_EXISTS");
    server.must("undo_action", json!({}));
    assert!(!server.path("new").exists());
    assert_eq!(server.disk_text("dir/sub/b.txt"), "b\n");
}

#[test]
fn a_sparse_file_stays_sparse() {
    let server = Server::start("");
    let file = std::fs::File::create(server.path("sparse")).unwrap();
    file.set_len(8 << 30).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"end", (4 << 30) + 5).unwrap();
    server.must("copy_file", source_and_destination("sparse", "copy"));
    let copy = server.path("copy").metadata().unwrap();
    assert_eq!(copy.size(), 8 << 30);
    assert!(copy.blocks() < 1_000, "{} blocks", copy.blocks());
    let mut end = [0; 3];
    let copy = std::fs::File::open(server.path("copy")).unwrap();
    std::os::unix::fs::FileExt::read_exact_at(&copy, &mut end, (4 << 30) + 5).unwrap();
    assert_eq!(&end, b"end");
    server.must("undo_action", json!({}));
    assert!(!server.path("copy").exists());
}

#[test]
fn special_files_go_and_move_but_are_not_copied() {
    let server = Server::builder("//- /dir/a.txt\na\n")
        .prepare(|root| {
            let made = std::process::Command::new("mkfifo").arg(root.join("dir/pipe")).status();
            assert!(made.unwrap().success());
            drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
        })
        .start();
    server.must_fail("copy_file", source_and_destination("dir/pipe", "copy"), "E_UNSUPPORTED");
    server.must_fail("copy_file", source_and_destination("dir", "copy"), "E_UNSUPPORTED");
    assert!(!server.path("copy").exists());
    assert_eq!(leftovers(&server.root()), Vec::<String>::new());
    for name in ["dir/pipe", "socket"] {
        server.must("move_file", source_and_destination(name, "moved"));
        server.must("delete_file", path("moved"));
        server.must("undo_action", json!({}));
        server.must("undo_action", json!({}));
        let kind = server.path(name).symlink_metadata().unwrap().file_type();
        assert!(kind.is_fifo() || kind.is_socket());
    }
}

#[test]
fn folders_are_made_once() {
    let server = Server::start("//- /file\nf\n");
    let made = server.must("create_directory", path("a/b/c"));
    assert_eq!(made["changed"], true, "{made}");
    let again = server.must("create_directory", path("a/b/c"));
    assert_eq!((&again["changed"], &again["action"]), (&json!(false), &Value::Null));
    assert_eq!(server.must("create_directory", path("."))["changed"], false);
    server.must_fail("create_directory", path("file"), "E_EXISTS");
    server.must_fail("create_directory", path("file/sub"), "E_DIR_NOT_FOUND");
    server.must_fail("create_directory", path("../out"), "E_PATH_FORBIDDEN");
    server.must("undo_action", json!({}));
    assert!(!server.path("a").exists());
    // With something in it, it is not what the action left.
    server.must("create_directory", path("a/b"));
    server.write("a/b/new.txt", "new");
    server.must_fail("undo_action", json!({}), "E_CONFLICT");
    assert_eq!(server.disk_text("a/b/new.txt"), "new");
}

#[test]
fn unsaved_text_is_never_lost() {
    let server = Server::start("//- /dir/a.txt\nsaved\n//- /b.txt\nb\n");
    server.open_file("dir/a.txt");
    server.replace_text("dir/a.txt", "saved", "unsaved");
    for (tool, arguments) in [
        ("delete_file", path("dir/a.txt")),
        ("delete_file", json!({ "path": "dir", "recursive": true })),
        ("move_file", source_and_destination("dir", "elsewhere")),
        ("move_file", source_and_destination("dir/a.txt", "elsewhere")),
        ("move_file", overwriting("b.txt", "dir/a.txt")),
        ("copy_file", overwriting("b.txt", "dir/a.txt")),
    ] {
        let error = server.must_fail(tool, arguments, "E_CONFLICT");
        assert!(error.message.contains("dir/a.txt"), "{}", error.message);
        assert!(error.data["hint"].as_str().unwrap().contains("save or close"), "{}", error.data);
    }
    assert_eq!(server.disk_text("dir/a.txt"), "saved\n");
    // Copied is what is read: the text that is open.
    server.must("copy_file", source_and_destination("dir/a.txt", "copy.txt"));
    assert_eq!(server.disk_text("copy.txt"), "unsaved\n");
    server.replace_text("dir/a.txt", "unsaved", "saved");
    let moved = server.must("move_file", source_and_destination("dir", "elsewhere"));
    assert_eq!(moved["open"], true, "{moved}");
    assert_eq!(server.disk_text("elsewhere/a.txt"), "saved\n");
}

#[test]
fn a_very_deep_tree_is_deleted_restored_and_copied() {
    let home = Home::new();
    let tree = |name: &str| home.root().join(name);
    let deep: std::path::PathBuf = (0..1000).map(|_| "d").collect();
    std::fs::create_dir_all(tree("tree").join(&deep)).unwrap();
    std::fs::write(tree("tree").join(&deep).join("leaf"), "leaf").unwrap();
    // Guarded names are not searched for that deep: the person approves.
    let call = |tool: &str, params: Value| {
        let mut command = home.command();
        command.args(["call", "--yes", tool, &params.to_string(), "--workspace"]);
        let output = command.arg(home.root()).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stdout));
    };
    call("copy_file", source_and_destination("tree", "copy"));
    assert_eq!(std::fs::read(tree("copy").join(&deep).join("leaf")).unwrap(), b"leaf");
    call("undo_action", json!({}));
    assert!(!tree("copy").exists());
    call("delete_file", json!({ "path": "tree", "recursive": true }));
    assert!(!tree("tree").exists());
    call("undo_action", json!({}));
    assert_eq!(std::fs::read(tree("tree").join(&deep).join("leaf")).unwrap(), b"leaf");
}

#[test]
fn hostile_file_names_survive_folder_operations() {
    use std::os::unix::ffi::OsStrExt;
    let names: [&[u8]; 4] = [b"new\nline", b"\xff\xfe", b" blank ", b"-rf"];
    let server = Server::builder("//- /dir/a.txt\na\n")
        .prepare(|root| {
            for name in names {
                std::fs::write(root.join("dir").join(std::ffi::OsStr::from_bytes(name)), name)
                    .unwrap();
            }
        })
        .start();
    let whole = |folder: &str| {
        for name in names {
            let path = server.path(folder).join(std::ffi::OsStr::from_bytes(name));
            assert_eq!(std::fs::read(path).unwrap(), name, "{folder}");
        }
    };
    server.must("copy_file", source_and_destination("dir", "copy"));
    whole("copy");
    server.must("move_file", source_and_destination("copy", "moved\nhere"));
    whole("moved\nhere");
    server.must("delete_file", json!({ "path": "moved\nhere", "recursive": true }));
    server.must("undo_action", json!({}));
    whole("moved\nhere");
}

#[test]
fn guarded_paths_need_approval_everywhere() {
    let server = Server::start("//- /dir/.vscode/tasks.json\n{}\n//- /.git/config\n[core]\n");
    for (tool, arguments) in [
        ("delete_file", json!({ "path": ".git", "recursive": true })),
        ("delete_file", json!({ "path": "dir", "recursive": true })),
        ("move_file", source_and_destination("dir", "elsewhere")),
        ("copy_file", source_and_destination("dir", "elsewhere")),
        ("move_file", source_and_destination("dir/.vscode/tasks.json", "t.json")),
        ("create_directory", path(".idea")),
    ] {
        server.must_fail(tool, arguments, "E_DENIED");
    }
    assert!(server.path("dir/.vscode/tasks.json").exists() && server.path(".git/config").exists());
}

#[test]
fn a_move_to_another_file_system_is_one_action() {
    let other = tempfile::tempdir_in("/dev/shm").expect("/dev/shm, a file system of its own");
    let server = Server::start("//- /dir/a.txt\na\n//- /dir/sub/b.txt\nb\n//- /one.txt\none\n");
    std::fs::write(other.path().join("two.txt"), "two\n").unwrap();
    let folder = json!({ "uri": client::file_uri(other.path()), "name": "other" });
    let event = json!({ "event": { "added": [folder], "removed": [] } });
    server.notify("workspace/didChangeWorkspaceFolders", event).unwrap();
    let there = |name: &str| other.path().join(name).to_str().unwrap().to_owned();
    server.must("move_file", source_and_destination("dir", &there("new/dir")));
    assert!(!server.path("dir").exists());
    assert_eq!(std::fs::read_to_string(there("new/dir/sub/b.txt")).unwrap(), "b\n");
    server.must("undo_action", json!({}));
    assert_eq!(server.disk_text("dir/sub/b.txt"), "b\n");
    assert!(!other.path().join("new").exists());
    server.must_fail("move_file", source_and_destination("one.txt", &there("two.txt")), "E_EXISTS");
    server.must("move_file", overwriting("one.txt", &there("two.txt")));
    assert_eq!(std::fs::read_to_string(there("two.txt")).unwrap(), "one\n");
    server.must("undo_action", json!({}));
    assert_eq!(std::fs::read_to_string(there("two.txt")).unwrap(), "two\n");
    assert_eq!(server.disk_text("one.txt"), "one\n");
    assert_eq!(leftovers(&server.root()), Vec::<String>::new());
    assert_eq!(leftovers(other.path()), Vec::<String>::new());
}

#[test]
fn unwritable_files_are_left_alone() {
    let server = Server::start("//- /dir/a.txt\na\n//- /b.txt\nb\n");
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(server.path("dir"), mode).unwrap();
    };
    set(0o500);
    if std::fs::write(server.path("dir/probe"), "").is_ok() {
        // The superuser is not bound by modes: nothing can be shown here.
        std::fs::remove_file(server.path("dir/probe")).unwrap();
        println!("skipped: run as another user than root to see permissions kept to");
        return set(0o700);
    }
    server.must_fail("delete_file", path("dir/a.txt"), "E_PERMISSION");
    server.must_fail("move_file", source_and_destination("b.txt", "dir/b.txt"), "E_PERMISSION");
    server.must_fail("copy_file", source_and_destination("b.txt", "dir/b.txt"), "E_PERMISSION");
    set(0o700);
    assert_eq!(server.disk_text("dir/a.txt"), "a\n");
    assert_eq!(server.disk_text("b.txt"), "b\n");
}
