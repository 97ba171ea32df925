//! The tools `write_file`, `read_file_range` and `get_file_info`.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};
use tests::{Behaviour, Server};

fn utf16le(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn write(server: &Server, path: &str, content: &str) -> Value {
    server.must("write_file", json!({ "path": path, "content": content }))
}

fn file(result: &Value) -> &Value {
    &result["files"][0]
}

#[test]
fn a_new_file_is_written_with_its_folders() {
    let server = Server::start("");
    let result = write(&server, "a/b c/d.txt", "one\ntwo");
    assert_eq!(server.disk_text("a/b c/d.txt"), "one\ntwo");
    assert_eq!(result["changed"], true);
    assert_eq!(file(&result)["path"], "a/b c/d.txt");
    assert_eq!(file(&result)["action"], "created");
    let hash = server.must("read_file", json!({ "path": "a/b c/d.txt" }))["hash"].clone();
    assert_eq!(file(&result)["hash"], hash);
}

#[test]
fn every_alias_of_tools_and_parameters_is_accepted() {
    let server = Server::start("");
    for (n, tool) in ["write_file", "create_file"].iter().enumerate() {
        for path in ["path", "file_path", "filepath", "filename"] {
            for content in ["content", "contents", "text", "data"] {
                let text = format!("{n} {path} {content}");
                server.must(tool, json!({ path: "a.txt", content: text }));
                assert_eq!(server.disk_text("a.txt"), text);
            }
        }
    }
    let error = server.must_fail(
        "write_file",
        json!({ "path": "a.txt", "contnet": "x", "content": "y" }),
        "E_INVALID_PARAMS",
    );
    assert!(error.data["hint"].as_str().unwrap().contains(r#""content":"y""#), "{}", error.data);
    server.must_fail("write_file", json!({ "path": "a.txt" }), "E_INVALID_PARAMS");
}

#[test]
fn contents_are_written_as_they_are() {
    let server = Server::start("");
    for text in
        ["", "\n", "no end", "a\r\nb\n\rc", "nul \0 and \u{1f600}", "\u{feff}mark", "\t \n\n"]
    {
        server.write("a.txt", "one\n");
        write(&server, "a.txt", text);
        assert_eq!(server.disk_text("a.txt"), text, "{text:?}");
        let again = write(&server, "a.txt", text);
        assert_eq!(again["changed"], false, "{text:?}");
    }
}

#[test]
fn encoding_and_mark_are_kept() {
    let server = Server::start("");
    for (before, after, name) in [
        (utf16le("old \u{e9}\n"), utf16le("new \u{1f600}\n"), "utf-16le"),
        ("\u{feff}old\n".into(), "\u{feff}new \u{1f600}\n".into(), "utf-8-bom"),
    ] {
        for content in ["new \u{1f600}\n", "\u{feff}new \u{1f600}\n"] {
            server.write("a.txt", &before);
            let result = write(&server, "a.txt", content);
            assert_eq!(server.disk("a.txt"), after, "{name}");
            assert!(result["notes"].to_string().contains(name), "{result}");
        }
    }
}

#[test]
fn crlf_is_kept_unless_another_ending_is_requested() {
    let server = Server::start("");
    for (before, content, after, said) in [
        ("a\r\nb\r\n", "c\nd\n", "c\r\nd\r\n", true),
        ("a\r\nb\r\n", "c\r\nd\r\n", "c\r\nd\r\n", false),
        ("a\r\nb\r\n", "c\r\nd\n", "c\r\nd\n", false),
        ("a\r\nb\n", "c\nd\n", "c\nd\n", false),
        ("a\nb\n", "c\r\nd\r\n", "c\r\nd\r\n", false),
        ("a\rb\r", "c\nd", "c\rd", true),
        ("a", "c\nd", "c\nd", false),
    ] {
        server.write("a.txt", before);
        let result = write(&server, "a.txt", content);
        assert_eq!(server.disk_text("a.txt"), after, "{before:?} {content:?}");
        assert_eq!(result["notes"].to_string().contains("line endings"), said, "{result}");
    }
    server.write("a.txt", "a\r\nb\r\n");
    let arguments = json!({ "path": "a.txt", "content": "c\nd\n", "line_endings": "as_given" });
    server.must("write_file", arguments);
    assert_eq!(server.disk_text("a.txt"), "c\nd\n");
}

#[test]
fn an_open_document_changes_in_the_editor() {
    let server = Server::start("//- /a.txt\non disk\n");
    server.open_text("a.txt", "unsaved\r\n");
    let result = write(&server, "a.txt", "whole\nnew\n");
    assert_eq!(server.buffer("a.txt"), "whole\r\nnew\r\n");
    assert_eq!(server.disk_text("a.txt"), "on disk\n");
    assert_eq!(result["changed"], true);
    assert_eq!(server.apply_edit_requests().len(), 1);
    assert_eq!(server.read("a.txt"), "whole\r\nnew\r\n");
}

#[test]
fn a_refusing_editor_changes_nothing() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    server.set_editor(Behaviour::Refuse);
    server.must_fail("write_file", json!({ "path": "a.txt", "content": "x" }), "E_CONFLICT");
    assert_eq!(
        (server.buffer("a.txt"), server.disk_text("a.txt")),
        ("one\n".into(), "one\n".into())
    );
    let server = Server::builder("//- /a.txt\none\n").without_apply_edit().start();
    server.open_file("a.txt");
    server.must_fail("write_file", json!({ "path": "a.txt", "content": "x" }), "E_UNSUPPORTED");
}

#[test]
fn conditional_breakpoints_are_honoured() {
    let server = Server::start("//- /a.txt\none\n");
    let call = |extra: Value| {
        let mut arguments = json!({ "path": "a.txt", "content": "two\n" });
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        arguments
    };
    server.must_fail("write_file", call(json!({ "overwrite": false })), "E_EXISTS");
    server.must_fail("create_file", call(json!({ "overwrite": false })), "E_EXISTS");
    let wrong = server.must_fail("write_file", call(json!({ "expected_hash": "0" })), "E_CONFLICT");
    let hash = server.must("read_file", json!({ "path": "a.txt" }))["hash"].clone();
    assert_eq!(wrong.data["details"]["hash"], hash);
    let dry = server.must("write_file", call(json!({ "dry_run": true })));
    assert_eq!(dry["changed"], true);
    assert!(file(&dry)["diff"].as_str().unwrap().contains("+two"), "{dry}");
    assert_eq!(server.disk_text("a.txt"), "one\n");
    server.must("write_file", call(json!({ "expected_hash": hash })));
    assert_eq!(server.disk_text("a.txt"), "two\n");
    let arguments = json!({ "path": "none.txt", "content": "x", "expected_hash": hash });
    server.must_fail("write_file", arguments, "E_FILE_NOT_FOUND");
    let arguments = json!({ "path": "new.txt", "content": "x", "overwrite": false });
    server.must("write_file", arguments);
    assert_eq!(server.disk_text("new.txt"), "x");
}

#[test]
fn invalid_file_targets_are_refused() {
    let server = Server::builder("//- /a.txt\none\n//- /dir/b.txt\nb\n")
        .prepare(|root| {
            symlink("/etc/hostname", root.join("out")).unwrap();
            symlink("../outside-new.txt", root.join("dangling-out")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
            assert!(made.unwrap().success());
        })
        .start();
    for (path, code) in [
        ("dir", "E_UNSUPPORTED"),
        (".", "E_UNSUPPORTED"),
        ("dir/", "E_INVALID_PARAMS"),
        ("new/", "E_INVALID_PARAMS"),
        ("", "E_INVALID_PARAMS"),
        ("a\0b", "E_INVALID_PARAMS"),
        ("a.txt/b", "E_DIR_NOT_FOUND"),
        ("a.txt/b/c", "E_DIR_NOT_FOUND"),
        ("../x.txt", "E_PATH_FORBIDDEN"),
        ("/etc/x.txt", "E_PATH_FORBIDDEN"),
        ("out", "E_PATH_FORBIDDEN"),
        ("dangling-out", "E_PATH_FORBIDDEN"),
        ("pipe", "E_UNSUPPORTED"),
        (&"n".repeat(300), "E_PATH_FORBIDDEN"),
    ] {
        server.must_fail("write_file", json!({ "path": path, "content": "x" }), code);
    }
    assert_eq!(server.disk_text("a.txt"), "one\n");
    assert!(!server.outside().join("outside-new.txt").exists());
    let left: Vec<_> = std::fs::read_dir(server.root()).unwrap().collect();
    assert_eq!(left.len(), 5, "something was left behind: {left:?}");
}

#[test]
fn inner_links_are_followed_and_hard_links_are_split() {
    let server = Server::builder("//- /a.txt\none\n")
        .prepare(|root| {
            symlink("a.txt", root.join("link")).unwrap();
            symlink("new.txt", root.join("dangling")).unwrap();
            std::fs::hard_link(root.join("a.txt"), root.join("hard")).unwrap();
        })
        .start();
    write(&server, "link", "two\n");
    assert_eq!(server.disk_text("a.txt"), "two\n");
    assert!(server.path("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(server.disk_text("hard"), "one\n");
    write(&server, "dangling", "three\n");
    assert_eq!(server.disk_text("new.txt"), "three\n");
}

#[test]
fn file_modes_are_kept_and_respected() {
    let server = Server::start("//- /run.sh\none\n//- /ro.txt\none\n");
    let mode = |path: &str, mode| {
        std::fs::set_permissions(server.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("run.sh", 0o751);
    write(&server, "run.sh", "two\n");
    assert_eq!(server.path("run.sh").metadata().unwrap().mode() & 0o7777, 0o751);
    mode("ro.txt", 0o444);
    if std::fs::File::options().write(true).open(server.path("ro.txt")).is_ok() {
        // Modes do not bind the superuser: then the server writes it too.
        write(&server, "ro.txt", "two\n");
        assert_eq!(server.path("ro.txt").metadata().unwrap().mode() & 0o7777, 0o444);
    } else {
        server.must_fail("write_file", json!({ "path": "ro.txt", "content": "x" }), "E_PERMISSION");
        assert_eq!(server.disk_text("ro.txt"), "one\n");
    }
}

#[test]
fn binary_files_are_not_overwritten_by_accident() {
    let server = Server::start("");
    server.write("a.bin", b"caf\xe9");
    let error =
        server.must_fail("write_file", json!({ "path": "a.bin", "content": "x" }), "E_ENCODING");
    assert!(error.data["hint"].as_str().unwrap().contains("delete"), "{}", error.data);
    assert_eq!(server.disk("a.bin"), b"caf\xe9");
}

fn range(server: &Server, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["path"] = json!("a.txt");
    server.must("read_file_range", arguments)
}

#[test]
fn ranges_use_line_numbers_as_in_editors() {
    let server = Server::start("");
    server.write("a.txt", "1\n2\r\n3\r4\n5");
    for (arguments, content, start, end) in [
        (json!({}), "1\n2\r\n3\r4\n5", 1, 5),
        (json!({ "start_line": 2 }), "2\r\n3\r4\n5", 2, 5),
        (json!({ "end_line": 2 }), "1\n2\r\n", 1, 2),
        (json!({ "start_line": 3, "end_line": 3 }), "3\r", 3, 3),
        (json!({ "start_line": 3, "end_line": 3, "context_lines": 1 }), "2\r\n3\r4\n", 2, 4),
        (json!({ "start_line": 2, "end_line": 4, "context_lines": 99 }), "1\n2\r\n3\r4\n5", 1, 5),
        (json!({ "start_line": 5, "end_line": 5 }), "5", 5, 5),
    ] {
        let result = range(&server, arguments.clone());
        assert_eq!(result["content"], content, "{arguments}");
        assert_eq!((&result["start_line"], &result["end_line"]), (&json!(start), &json!(end)));
        assert_eq!(result["total_lines"], 5);
        assert!(result["note"].is_null() && result["next_cursor"].is_null(), "{result}");
    }
    let whole = server.must("read_file", json!({ "path": "a.txt" }));
    let result = range(&server, json!({}));
    for field in ["size", "hash", "encoding", "line_endings", "language", "open"] {
        assert_eq!(result[field], whole[field], "{field}");
    }
}

#[test]
fn limits_are_clamped_and_reported() {
    let server = Server::start("");
    server.write("a.txt", "1\n2\n3\n");
    let result = range(&server, json!({ "start_line": 2, "end_line": 99 }));
    assert_eq!((&result["content"], &result["end_line"]), (&json!("2\n3\n"), &json!(3)));
    assert!(result["note"].as_str().unwrap().contains("99"), "{result}");
    for arguments in [
        json!({ "start_line": 4 }),
        json!({ "start_line": 4, "context_lines": 5 }),
        json!({ "start_line": u64::MAX, "end_line": u64::MAX, "context_lines": u64::MAX }),
    ] {
        let result = range(&server, arguments);
        assert_eq!(result["content"], "");
        assert_eq!(result["total_lines"], 3);
        assert!(result["note"].as_str().unwrap().contains("ends before"), "{result}");
    }
    for arguments in [
        json!({ "start_line": 0 }),
        json!({ "end_line": 0 }),
        json!({ "start_line": 3, "end_line": 2 }),
        json!({ "start_line": -1 }),
        json!({ "start_line": "x" }),
        json!({ "context_lines": -1 }),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!("a.txt");
        server.must_fail("read_file_range", arguments, "E_INVALID_PARAMS");
    }
    server.write("a.txt", "");
    let result = range(&server, json!({}));
    assert_eq!((&result["content"], &result["total_lines"]), (&json!(""), &json!(0)));
}

#[test]
fn parts_of_a_long_range_add_up_to_it() {
    let server = Server::start("");
    let text: String = (1..=9_000).map(|n| format!("line {n} \u{e9}\n")).collect();
    server.write("a.txt", &text);
    let mut arguments = json!({ "start_line": 1_001, "end_line": 8_000 });
    let (mut joined, mut next, mut pieces) = (String::new(), 1_001, 0);
    loop {
        let piece = range(&server, arguments.clone());
        let content = piece["content"].as_str().unwrap();
        assert!(content.len() <= 50_000 && content.lines().count() <= 2_000);
        assert_eq!(piece["start_line"], next);
        next = piece["end_line"].as_u64().unwrap() + 1;
        joined.push_str(content);
        pieces += 1;
        assert_eq!(piece["truncated"].as_bool().unwrap_or(false), !piece["next_cursor"].is_null());
        if piece["next_cursor"].is_null() {
            break;
        }
        arguments["cursor"] = piece["next_cursor"].clone();
    }
    let wanted: String = (1_001..=8_000).map(|n| format!("line {n} \u{e9}\n")).collect();
    assert!(joined == wanted && pieces > 3, "{pieces} pieces");
    server.write("a.txt", "other\n");
    arguments["path"] = json!("a.txt");
    server.must_fail("read_file_range", arguments, "E_CONFLICT");
}

#[test]
fn a_range_refers_to_the_unsaved_text() {
    let server = Server::start("//- /a.txt\non disk\n");
    server.open_text("a.txt", "one\ntwo\n");
    let result = range(&server, json!({ "start_line": 2 }));
    assert_eq!((&result["content"], &result["open"]), (&json!("two\n"), &json!(true)));
}

fn info(server: &Server, path: &str) -> Value {
    server.must("get_file_info", json!({ "path": path }))
}

#[test]
fn file_info_describes_a_file() {
    let server = Server::start("//- /src/a.rs\nfn main() {}\n");
    let result = info(&server, "src/a.rs");
    let metadata = server.path("src/a.rs").metadata().unwrap();
    for (field, value) in [
        ("path", json!("src/a.rs")),
        ("kind", json!("file")),
        ("size", json!(13)),
        ("is_file", json!(true)),
        ("is_directory", json!(false)),
        ("is_link", json!(false)),
        ("readonly", json!(false)),
        ("mode", json!(format!("{:04o}", metadata.mode() & 0o7777))),
        ("hard_links", json!(1)),
        ("open", json!(false)),
        ("language", json!("rust")),
        ("encoding", json!("utf-8")),
        ("line_endings", json!("lf")),
    ] {
        assert_eq!(result[field], value, "{field}: {result}");
    }
    let whole = server.must("read_file", json!({ "path": "src/a.rs" }));
    assert_eq!(result["hash"], whole["hash"]);
    let modified = result["modified"].as_str().unwrap();
    assert!(modified.ends_with('Z') && modified.contains('T'), "{modified}");
    let folder = info(&server, "src");
    assert_eq!((&folder["kind"], &folder["is_directory"]), (&json!("directory"), &json!(true)));
    assert!(folder["hash"].is_null());
    assert_eq!(info(&server, ".")["is_directory"], true);
}

#[test]
fn special_files_are_reported_too() {
    let server = Server::builder("//- /a.txt\none\n")
        .prepare(|root| {
            let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
            assert!(made.unwrap().success());
            drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
            std::fs::write(root.join("latin1"), b"caf\xe9").unwrap();
            std::fs::File::create(root.join("huge")).unwrap().set_len(20 << 30).unwrap();
            std::fs::set_permissions(root.join("a.txt"), PermissionsExt::from_mode(0o400)).unwrap();
        })
        .start();
    assert_eq!(info(&server, "pipe")["kind"], "fifo");
    assert_eq!(info(&server, "socket")["kind"], "socket");
    assert_eq!(info(&server, "latin1")["encoding"], "unknown");
    let huge = info(&server, "huge");
    assert_eq!(huge["size"], 20_u64 << 30);
    assert!(huge["hash"].is_null(), "{huge}");
    let readonly = info(&server, "a.txt");
    assert_eq!((&readonly["readonly"], &readonly["mode"]), (&json!(true), &json!("0400")));
    server.must_fail("get_file_info", json!({ "path": "none" }), "E_FILE_NOT_FOUND");
    server.must_fail("get_file_info", json!({ "path": "/etc" }), "E_PATH_FORBIDDEN");
    server.must_fail("get_file_info", json!({ "path": "../x" }), "E_PATH_FORBIDDEN");
}

#[test]
fn a_symlink_is_reported_as_a_symlink() {
    let server = Server::builder("//- /a.txt\none\n")
        .prepare(|root| {
            symlink("a.txt", root.join("inside")).unwrap();
            symlink("/etc/hostname", root.join("out")).unwrap();
            symlink("loop", root.join("loop")).unwrap();
            symlink("nowhere", root.join("dangling")).unwrap();
        })
        .start();
    for (path, target) in
        [("inside", "a.txt"), ("out", "/etc/hostname"), ("loop", "loop"), ("dangling", "nowhere")]
    {
        let result = info(&server, path);
        assert_eq!(result["path"], path);
        assert_eq!((&result["kind"], &result["is_link"]), (&json!("link"), &json!(true)), "{path}");
        assert_eq!(result["link_target"], target);
        assert!(result["hash"].is_null() && result["is_file"] == false, "{result}");
    }
}

#[test]
fn an_open_document_is_reported_beside_the_file_on_disk() {
    let server = Server::start("//- /a.txt\none\n");
    let on_disk = info(&server, "a.txt")["hash"].clone();
    server.open_file("a.txt");
    let clean = info(&server, "a.txt");
    assert_eq!((&clean["open"], &clean["dirty"]), (&json!(true), &json!(false)));
    server.replace_text("a.txt", "one", "three");
    let dirty = info(&server, "a.txt");
    assert_eq!(dirty["dirty"], true);
    assert_eq!((&dirty["size"], &dirty["hash"]), (&json!(4), &on_disk));
    assert_eq!(dirty["buffer"]["size"], 6);
    let read = server.must("read_file", json!({ "path": "a.txt" }));
    assert_eq!(dirty["buffer"]["hash"], read["hash"]);
    server.open_text("never-saved.txt", "x");
    let unsaved = info(&server, "never-saved.txt");
    assert_eq!((&unsaved["on_disk"], &unsaved["dirty"]), (&json!(false), &json!(true)));
    assert_eq!(unsaved["size"], 1);
}
