//! The tool `read_file`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Server;

/// Reads a file page by page; every page but the last has a cursor.
fn pages(server: &Server, path: &str) -> Vec<Value> {
    let mut pages = Vec::new();
    let mut arguments = json!({ "path": path });
    loop {
        let page = server.must("read_file", arguments.clone());
        let cursor = page["next_cursor"].clone();
        pages.push(page);
        if cursor.is_null() {
            return pages;
        }
        arguments["cursor"] = cursor;
        assert!(pages.len() < 1_000, "the cursor does not move on");
    }
}

fn content(page: &Value) -> &str {
    page["content"].as_str().unwrap()
}

#[test]
fn the_result_has_every_field() {
    let server = Server::start("//- /src/main.rs\nfn main() {}\n");
    let result = server.must("read_file", json!({ "path": "src/main.rs" }));
    assert_eq!(result["content"], "fn main() {}\n");
    assert_eq!(result["size"], 13);
    assert_eq!(result["encoding"], "utf-8");
    assert_eq!(result["line_endings"], "lf");
    assert_eq!(result["language"], "rust");
    assert!(result["hash"].as_str().is_some_and(|hash| !hash.is_empty()), "{result}");
    assert!(result["truncated"].is_null() || result["truncated"] == false, "{result}");
    assert!(result["next_cursor"].is_null(), "{result}");
}

#[test]
fn paths_are_relative_absolute_or_uris() {
    let server = Server::start("//- /dir/a b.txt\nhere\n");
    let path = server.path("dir/a b.txt");
    let absolute = path.to_str().unwrap();
    for written in [
        "dir/a b.txt",
        "./dir/a b.txt",
        "dir/./a b.txt",
        "dir//a b.txt",
        "dir/../dir/a b.txt",
        absolute,
        &server.uri("dir/a b.txt"),
        &server.uri("dir/a b.txt").replace("file://", "file://localhost"),
    ] {
        assert_eq!(server.read(written), "here\n", "{written}");
    }
}

#[test]
fn aliases_of_path_are_accepted() {
    let server = Server::start("//- /a.txt\nhere\n");
    for alias in ["file_path", "filepath", "filename"] {
        let result = server.must("read_file", json!({ alias: "a.txt" }));
        assert_eq!(result["content"], "here\n", "{alias}");
    }
}

#[test]
fn contents_come_as_they_are() {
    for text in [
        "",
        "\n",
        "no end",
        "a\r\nb\r\n",
        "a\rb",
        "\r\n\n\r",
        "tab\t\u{1f600}\u{301}\0\u{1b}[31m\n",
    ] {
        let server = Server::start("");
        server.write("a.txt", text);
        assert_eq!(server.read("a.txt"), text);
    }
}

#[test]
fn line_endings_are_named() {
    let server = Server::start("");
    for (text, name) in
        [("a\n", "lf"), ("a\r\nb\r\n", "crlf"), ("a\rb\r", "cr"), ("a\nb\r\n", "mixed")]
    {
        server.write("a.txt", text);
        assert_eq!(server.must("read_file", json!({ "path": "a.txt" }))["line_endings"], name);
    }
}

#[test]
fn marked_encodings_are_decoded_without_their_mark() {
    let text = "h\u{e9} \u{1f600}\n";
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let server = Server::start("");
    for (bytes, name) in [
        (format!("\u{feff}{text}").into_bytes(), "utf-8-bom"),
        (utf16(u16::to_le_bytes), "utf-16le"),
        (utf16(u16::to_be_bytes), "utf-16be"),
    ] {
        server.write("a.txt", &bytes);
        let result = server.must("read_file", json!({ "path": "a.txt" }));
        assert_eq!(result["content"], text, "{name}");
        assert_eq!(result["encoding"], name);
        assert_eq!(result["size"], bytes.len(), "{name}: size is of the bytes on disk");
    }
}

#[test]
fn binary_bytes_are_reported_as_binary() {
    let server = Server::start("");
    for bytes in [
        &b"caf\xe9\n"[..],
        b"\xff\xfe\x00",
        b"\x7fELF\x01\x02\xff\xff\x00\x80",
        b"\xff\xfe\x00\xd8a\x00",
    ] {
        server.write("a.bin", bytes);
        server.must_fail("read_file", json!({ "path": "a.bin" }), "E_ENCODING");
    }
}

#[test]
fn the_hash_covers_the_contents() {
    let server = Server::start("//- /a.txt\nsame\n//- /b.txt\nsame\n//- /c.txt\nother\n");
    let hash = |path: &str| server.must("read_file", json!({ "path": path }))["hash"].clone();
    assert_eq!(hash("a.txt"), hash("b.txt"));
    assert_ne!(hash("a.txt"), hash("c.txt"));
    let before = hash("a.txt");
    server.open_text("a.txt", "edited\n");
    assert_ne!(hash("a.txt"), before);
    server.replace_text("a.txt", "edited", "same");
    assert_eq!(hash("a.txt"), before);
}

#[test]
fn pages_of_a_long_file_add_up_to_it() {
    let lines: String = (1..=5_000).map(|n| format!("line {n}\n")).collect();
    let wide: String = (1..=900).map(|n| format!("{n} {}\r\n", "\u{e9}".repeat(100))).collect();
    let one_line = "\u{1f600}".repeat(40_000);
    let server = Server::start("");
    for (path, text) in [("lines.txt", lines), ("wide.txt", wide), ("one.txt", one_line)] {
        server.write(path, &text);
        let pages = pages(&server, path);
        assert!(pages.len() > 1, "{path} came in one page");
        for page in &pages {
            assert!(content(page).len() <= 50 * 1024, "{path}: {} bytes", content(page).len());
            assert!(content(page).lines().count() <= 2_000, "{path}: too many lines");
            assert_eq!(page["size"], text.len(), "{path}");
            let cut = !page["next_cursor"].is_null();
            assert_eq!(page["truncated"].as_bool().unwrap_or(false), cut, "{path}");
        }
        let joined: String = pages.iter().map(content).collect();
        assert!(joined == text, "{path}: the pages do not add up to the text");
    }
}

#[test]
fn small_files_come_in_one_page() {
    let server = Server::start("");
    server.write("lines.txt", "x\n".repeat(2_000));
    server.write("bytes.txt", "x".repeat(50_000));
    for path in ["lines.txt", "bytes.txt"] {
        assert_eq!(pages(&server, path).len(), 1, "{path}");
    }
}

#[test]
fn a_cursor_of_another_query_is_refused() {
    let server = Server::start("//- /short.txt\nx\n");
    server.write("long.txt", "x\n".repeat(5_000));
    let cursor = server.must("read_file", json!({ "path": "long.txt" }))["next_cursor"].clone();
    for arguments in [
        json!({ "path": "long.txt", "cursor": "nonsense" }),
        json!({ "path": "long.txt", "cursor": "-1" }),
        json!({ "path": "long.txt", "cursor": {} }),
        json!({ "path": "long.txt", "cursor": "99999999999999999999999999" }),
    ] {
        server.must_fail("read_file", arguments, "E_INVALID_PARAMS");
    }
    // A cursor of another file, or of a file that has changed since, must not skip text silently.
    let elsewhere = server.tool("read_file", json!({ "path": "short.txt", "cursor": cursor }));
    let error = elsewhere.expect_err("a cursor of another file was taken");
    assert!(["E_INVALID_PARAMS", "E_CONFLICT"].contains(&error.code.as_str()), "{}", error.data);
    server.write("long.txt", "y\n".repeat(5_000));
    server.must_fail("read_file", json!({ "path": "long.txt", "cursor": cursor }), "E_CONFLICT");
}

#[test]
fn a_missing_file_is_not_found() {
    let server = Server::start("//- /a.txt\nx\n");
    let error = server.must_fail("read_file", json!({ "path": "b.txt" }), "E_FILE_NOT_FOUND");
    assert!(error.message.contains("b.txt"), "{}", error.message);
    for path in ["no/such/dir/b.txt", "a.txt/b.txt"] {
        server.must_fail("read_file", json!({ "path": path }), "E_FILE_NOT_FOUND");
    }
}

#[test]
fn a_folder_is_not_a_file() {
    let server = Server::start("//- /dir/a.txt\nx\n");
    for path in ["dir", ".", "dir/"] {
        let error = server.tool("read_file", json!({ "path": path })).unwrap_err();
        assert!(
            error.message.contains("director") || error.message.contains("folder"),
            "{}",
            error.data
        );
    }
}

#[test]
fn blocking_files_are_refused_at_once() {
    let server = Server::builder("")
        .prepare(|root| {
            let made =
                std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
            assert!(made.success());
            drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
            std::os::unix::fs::symlink("pipe", root.join("link")).unwrap();
        })
        .start();
    let started = Instant::now();
    for path in ["pipe", "socket", "link"] {
        server.must_fail("read_file", json!({ "path": path }), "E_UNSUPPORTED");
    }
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn a_huge_file_is_read_within_limits() {
    let server = Server::start("");
    let file = std::fs::File::create(server.path("huge.txt")).unwrap();
    file.set_len(20 << 30).unwrap();
    let started = Instant::now();
    let error = server.must_fail("read_file", json!({ "path": "huge.txt" }), "E_TOO_LARGE");
    assert!(error.message.contains("huge.txt"), "{}", error.message);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn an_unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start("//- /a.txt\nx\n");
    let path = server.path("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        // Modes do not bind the superuser: then the server reads it too.
        assert_eq!(server.read("a.txt"), "x\n");
    } else {
        server.must_fail("read_file", json!({ "path": "a.txt" }), "E_PERMISSION");
    }
}

#[test]
fn changes_on_disk_are_seen() {
    let server = Server::start("//- /a.txt\none\n");
    for text in ["one\n", "two\n", "tri\n"] {
        server.write("a.txt", text);
        assert_eq!(server.read("a.txt"), text);
    }
}

#[test]
fn languages_are_distinguished() {
    let server = Server::start("");
    for (path, language) in [
        ("a.py", "python"),
        ("a.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.js", "javascript"),
        ("a.rs", "rust"),
        ("a.go", "go"),
        ("a.c", "c"),
        ("a.cpp", "cpp"),
        ("a.java", "java"),
    ] {
        server.write(path, "\n");
        let result = server.must("read_file", json!({ "path": path }));
        let named = result["language"].as_str().unwrap();
        assert!(
            named == language || (path == "a.tsx" && named == "typescriptreact"),
            "{path}: {named}"
        );
    }
    server.write("a.unknown", "\n");
    let named = server.must("read_file", json!({ "path": "a.unknown" }))["language"].clone();
    assert!(named.is_null() || named == "plaintext" || named == "text", "{named}");
}
