//! The tool `replace_in_files`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Behaviour, Server};

const FIXTURE: &str = "//- /a.py\ndef one(x):\n    return x\n\n\nprint(one(1), one(2))\n\
    //- /sub/b.py\nfrom a import one\n\nVALUE = one(3)\n\
    //- /notes.md\none is not one(0)\n";

fn call(pattern: &str, replacement: &str) -> Value {
    json!({ "pattern": pattern, "replacement": replacement })
}

fn with(mut params: Value, more: Value) -> Value {
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

#[test]
fn one_action_replaces_in_open_and_closed_files_and_is_undone_whole() {
    let server = Server::start(FIXTURE);
    server.open_file("a.py");
    // The text that the person sees counts, not the file's.
    server.replace_text("a.py", "return x", "return one(x)");
    let params = with(call(r"\bone\((\w+)\)", "two($1, 0)"), json!({ "file_pattern": "*.py" }));
    let result = server.must("replace_in_files", params);
    assert_eq!((&result["changed"], &result["count"]), (&json!(true), &json!(5)), "{result}");
    let files: Vec<_> = result["files"].as_array().unwrap().iter().collect();
    assert_eq!(files[0]["path"], "a.py");
    assert_eq!((&files[0]["count"], &files[0]["lines"]), (&json!(4), &json!([1, 2, 5, 5])));
    assert_eq!((&files[1]["path"], &files[1]["count"]), (&json!("sub/b.py"), &json!(1)));
    let place = json!({ "path": "a.py", "line": 5,
        "old": "print(one(1), one(2))", "new": "print(two(1, 0), two(2, 0))" });
    assert_eq!(result["places"][2], place, "{result}");
    let changed = "def two(x, 0):\n    return two(x, 0)\n\n\nprint(two(1, 0), two(2, 0))\n";
    assert_eq!(server.buffer("a.py"), changed);
    assert!(server.disk_text("a.py").contains("one(1)"), "the editor saves, not the server");
    assert_eq!(server.disk_text("sub/b.py"), "from a import one\n\nVALUE = two(3, 0)\n");
    assert_eq!(server.disk_text("notes.md"), "one is not one(0)\n");
    // Only new syntax errors are reported.
    assert_eq!(files[0]["new_syntax_errors"][0]["line"], 1, "{result}");
    assert!(files[1]["new_syntax_errors"].is_null());

    server.must("undo_action", json!({ "action": result["action"] }));
    assert!(server.buffer("a.py").contains("return one(x)"));
    assert_eq!(server.disk_text("sub/b.py"), "from a import one\n\nVALUE = one(3)\n");
}

#[test]
fn nothing_changes_if_an_editor_refuses_or_in_a_dry_run() {
    let server = Server::builder(FIXTURE).editor(Behaviour::Refuse).start();
    server.open_file("a.py");
    server.must_fail("replace_in_files", call("one", "two"), "E_CONFLICT");
    let dry = with(call("one", "two"), json!({ "dry_run": true }));
    let result = server.must("replace_in_files", dry);
    assert_eq!((&result["changed"], &result["count"]), (&json!(true), &json!(7)), "{result}");
    assert!(result["action"].is_null(), "{result}");
    assert_eq!(result["places"][0]["new"], "def two(x):");
    assert!(server.buffer("a.py").starts_with("def one"));
    assert_eq!(server.disk_text("notes.md"), "one is not one(0)\n");
    assert_eq!(server.disk_text("sub/b.py"), "from a import one\n\nVALUE = one(3)\n");
}

#[test]
fn an_unexpected_number_of_matches_is_refused_with_the_real_one() {
    let server = Server::start(FIXTURE);
    let params = |count: usize| {
        with(call("one(", "two("), json!({ "literal": true, "expected_count": count }))
    };
    let error = server.must_fail("replace_in_files", params(4), "E_CONFLICT");
    let details = &error.data["details"];
    assert_eq!((&details["count"], &details["files"][0]["count"]), (&json!(5), &json!(3)));
    assert!(error.data["message"].as_str().unwrap().contains("5 matches in 3 files"));
    assert_eq!(server.disk_text("notes.md"), "one is not one(0)\n");
    server.must("replace_in_files", params(5));
    assert_eq!(server.disk_text("notes.md"), "one is not two(0)\n");
    server.must_fail("replace_in_files", call("one(4)", "x"), "E_NO_MATCH");
    let none = with(call("one(4)", "x"), json!({ "expected_count": 0 }));
    assert_eq!(server.must("replace_in_files", none)["changed"], false);
}

#[test]
fn bytes_around_a_match_stay() {
    let server = Server::start("");
    let utf16: Vec<u8> =
        "\u{feff}k = 1\r\nk = 2\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    server.write("utf16.ini", &utf16);
    server.write("crlf.ini", "\u{feff}k = 1\r\n\r\nx\rk = 2  \nk");
    server.write("latin.ini", b"caf\xe9\nk = 1\n");
    server.write("binary.ini", b"k = 1\n\0");
    let result = server.must("replace_in_files", call(r"^(k) = (\d)", "$1=$2\n#"));
    assert_eq!(result["count"], 4, "{result}");
    assert_eq!(server.disk_text("crlf.ini"), "\u{feff}k=1\r\n#\r\n\r\nx\rk=2\n#  \nk");
    let expected: Vec<u8> =
        "\u{feff}k=1\r\n#\r\nk=2\r\n#\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(server.disk("utf16.ini"), expected);
    assert_eq!(server.disk("binary.ini"), b"k = 1\n\0");
    assert_eq!(server.disk("latin.ini"), b"caf\xe9\nk = 1\n");
    assert_eq!(result["skipped"][0]["path"], "latin.ini", "{result}");

    let across = with(call("#\n+x", "y"), json!({ "multiline": true, "path": "crlf.ini" }));
    server.must("replace_in_files", across);
    assert_eq!(server.disk_text("crlf.ini"), "\u{feff}k=1\r\ny\rk=2\n#  \nk");
}

#[test]
fn files_that_a_search_skips_do_not_change() {
    let fixture = "//- /.gitignore\nbuild/\n//- /build/out.txt\none\n//- /.hidden\none\n\
        //- /.vscode/settings.json\n{\"a\": \"one\"}\n//- /a.txt\none\n";
    let server = Server::start(fixture);
    std::fs::create_dir(server.path(".git")).unwrap();
    server.write(".git/config", "[core] one\n");
    std::fs::write(server.outside().join("secret.txt"), "one\n").unwrap();
    symlink(server.outside().join("secret.txt"), server.path("link.txt")).unwrap();
    symlink(server.outside(), server.path("out")).unwrap();
    let result = server.must("replace_in_files", call("one", "two"));
    assert_eq!((result["files"].as_array().unwrap().len(), &result["count"]), (1, &json!(1)));
    assert_eq!(server.disk_text("a.txt"), "two\n");
    for untouched in ["build/out.txt", ".hidden", ".git/config", ".vscode/settings.json"] {
        assert!(server.disk_text(untouched).contains("one"), "{untouched}");
    }
    // Named files are searched; a guarded one needs approval, which nobody gives here.
    let of = |path: &str| with(call("one", "two"), json!({ "path": path }));
    server.must("replace_in_files", of("build/out.txt"));
    assert_eq!(server.disk_text("build/out.txt"), "two\n");
    server.must_fail("replace_in_files", of(".vscode/settings.json"), "E_DENIED");
    server.must_fail("replace_in_files", of(".git/config"), "E_DENIED");
    for outside in ["link.txt", "out", "out/secret.txt", "../outside", "/etc"] {
        server.must_fail("replace_in_files", of(outside), "E_PATH_FORBIDDEN");
    }
    assert_eq!(std::fs::read_to_string(server.outside().join("secret.txt")).unwrap(), "one\n");
}

#[test]
fn rules_hide_and_protect_files() {
    let builder = Server::builder("//- /open.txt\none\n//- /.env\none\n//- /private/a.txt\none\n");
    let config = builder.home().outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    let rules = "[policy.deny]\nread = [\"private/\"]\nwrite = [\"kept.txt\"]\n";
    std::fs::write(config.join("config.toml"), rules).unwrap();
    let server = builder.start();
    let result = server.must("replace_in_files", call("one", "two"));
    assert_eq!((result["files"].as_array().unwrap().len(), &result["count"]), (1, &json!(1)));
    assert!(!result.to_string().contains("private"), "{result}");
    assert_eq!(server.disk_text("private/a.txt"), "one\n");
    // One file that must not be written: nothing is.
    server.write("kept.txt", "two\n");
    server.must_fail("replace_in_files", call("two", "three"), "E_DENIED");
    assert_eq!(server.disk_text("open.txt"), "two\n");
}

#[test]
fn odd_names_and_overlapping_paths() {
    let server = Server::start("//- /sub/a.txt\none one\n");
    let names: [&[u8]; 4] = [b"-rf", b"new\nline.txt", b"$1.txt", b"\xff\xfe.txt"];
    for name in names {
        std::fs::write(server.root().join(OsStr::from_bytes(name)), "one\n").unwrap();
    }
    let paths = json!({ "path": "sub", "paths": ["sub/a.txt", ".", "sub"], "expected_count": 6 });
    let result = server.must("replace_in_files", with(call("one", "two"), paths));
    assert_eq!(result["files"].as_array().unwrap().len(), 5, "{result}");
    for name in names {
        let path = server.root().join(OsStr::from_bytes(name));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "two\n");
    }
    assert_eq!(server.disk_text("sub/a.txt"), "two two\n");
}

#[test]
fn hostile_patterns_end_with_an_error_in_time() {
    let server = Server::start(FIXTURE);
    server.write("long.txt", format!("{}!\n", "a".repeat(300_000)));
    let started = Instant::now();
    for (pattern, replacement, code) in [
        ("(a+)+$", "x", "E_NO_MATCH"),
        ("x*", "y", "E_INVALID_PARAMS"),
        (r"\b", "y", "E_INVALID_PARAMS"),
        ("", "y", "E_INVALID_PARAMS"),
        ("(", "y", "E_INVALID_PARAMS"),
        (r"(\w{500}){500}", "y", "E_INVALID_PARAMS"),
        ("a", "$1", "E_INVALID_PARAMS"),
        ("(a)", r"\1", "E_INVALID_PARAMS"),
        ("a", &"x".repeat(70_000), "E_INVALID_PARAMS"),
        ("a", &"x".repeat(10_000), "E_TOO_LARGE"),
    ] {
        let params = with(call(pattern, replacement), json!({ "path": "long.txt" }));
        server.must_fail("replace_in_files", params, code);
    }
    let paths: Vec<_> = (0..101).map(|n| format!("{n}.txt")).collect();
    let many = with(call("a", "b"), json!({ "paths": paths }));
    server.must_fail("replace_in_files", many, "E_INVALID_PARAMS");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(server.disk_text("long.txt").starts_with("aaa"));
}
