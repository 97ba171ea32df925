//! What `apply_edit` preserves: line endings, encodings, modes, whitespace and surrounding text.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use tests::Server;

use crate::apply_edit_disk::{edit, snapshot};

#[test]
fn whitespace_differences_are_tolerated_and_the_file_keeps_its_own() {
    let server = Server::start("//- /a.py\nclass A:\n    def f(self):\n        return 1\n");
    let result = server.must(
        "apply_edit",
        edit("a.py", "def f(self):\n    return 1\n", "def f(self):\n    return 2\n"),
    );
    assert_eq!(server.disk_text("a.py"), "class A:\n    def f(self):\n        return 2\n");
    assert_ne!(result["files"][0]["patches"][0]["strategy"], "exact");
}

#[test]
fn line_endings_are_kept() {
    let server = Server::start("");
    server.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    server.must("apply_edit", edit("a.txt", "one\ntwo\n", "1\nand\n2\n"));
    assert_eq!(server.disk_text("a.txt"), "1\r\nand\r\n2\r\nthree\r\n");

    server.write("b.txt", "crlf\r\nlf\ncr\rend");
    server.must("apply_edit", edit("b.txt", "lf\ncr", "LF\ncr"));
    assert_eq!(server.disk_text("b.txt"), "crlf\r\nLF\ncr\rend");
}

#[test]
fn the_end_of_the_file_is_kept() {
    let server = Server::start("");
    for (text, expected) in [
        ("one\nlast", "one\nLAST"),
        ("one\nlast\n", "one\nLAST\n"),
        ("one\nlast\n\n\n", "one\nLAST\n\n\n"),
    ] {
        server.write("a.txt", text);
        server.must("apply_edit", edit("a.txt", "last", "LAST"));
        assert_eq!(server.disk_text("a.txt"), expected);
    }
}

#[test]
fn a_byte_order_mark_and_utf16_are_kept() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let spell: [fn(&str) -> Vec<u8>; 3] = [
        |text| format!("\u{feff}{text}").into_bytes(),
        |text| {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        },
        |text| {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
        },
    ];
    assert_eq!(spell[1]("a"), utf16("a", u16::to_le_bytes));
    let server = Server::start("");
    for spell in spell {
        server.write("a.txt", spell("h\u{e9}llo \u{1f600}\r\nold\r\n"));
        server.must("apply_edit", edit("a.txt", "old", "n\u{e9}w \u{1f680}"));
        assert_eq!(server.disk("a.txt"), spell("h\u{e9}llo \u{1f600}\r\nn\u{e9}w \u{1f680}\r\n"));
        server.must("apply_edit", edit("a.txt", "h\u{e9}llo", "first"));
        assert_eq!(server.disk("a.txt"), spell("first \u{1f600}\r\nn\u{e9}w \u{1f680}\r\n"));
    }
}

#[test]
fn binary_bytes_are_never_re_encoded() {
    let server = Server::start("");
    let latin1 = b"caf\xe9\nold\n";
    server.write("a.txt", latin1);
    // Refused, or only the word changed and the invalid byte kept.
    match server.tool("apply_edit", edit("a.txt", "old", "new")) {
        Ok(_) => assert_eq!(server.disk("a.txt"), b"caf\xe9\nnew\n"),
        Err(error) => {
            assert_eq!(error.code, "E_ENCODING", "{}", error.data);
            assert_eq!(server.disk("a.txt"), latin1);
        }
    }
}

#[test]
fn the_mode_is_kept() {
    let server = Server::start("");
    for mode in [0o644, 0o755, 0o600, 0o640, 0o4755] {
        server.write("a.sh", "old\n");
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(server.path("a.sh"), permissions).unwrap();
        server.must("apply_edit", edit("a.sh", "old", "new"));
        let kept = server.path("a.sh").metadata().unwrap().mode() & 0o7777;
        // A new content is no longer what was trusted with setuid; either is sound.
        assert!(kept == mode || kept == mode & 0o777, "{mode:o} became {kept:o}");
        assert_eq!(server.disk_text("a.sh"), "new\n");
    }
}

#[test]
fn a_hard_link_is_replaced_and_the_other_name_keeps_the_old_text() {
    let server = Server::builder("//- /a.txt\nold\n")
        .prepare(|root| std::fs::hard_link(root.join("a.txt"), root.join("b.txt")).unwrap())
        .start();
    server.must("apply_edit", edit("a.txt", "old", "new"));
    assert_eq!(server.disk_text("a.txt"), "new\n");
    assert_eq!(server.disk_text("b.txt"), "old\n");
}

#[test]
fn nothing_is_left_beside_the_file() {
    let server = Server::start("//- /a.txt\nold\n");
    server.must("apply_edit", edit("a.txt", "old", "new"));
    server.tool("apply_edit", edit("a.txt", "absent", "new")).unwrap_err();
    let names: Vec<_> = snapshot(&server).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(names, [server.path("a.txt").display().to_string()]);
}

#[test]
fn bytes_of_an_unknown_encoding_are_edited_where_they_match_exactly() {
    let server = Server::start("//- /a.txt\nplaceholder\n");
    let path = server.root().join("a.txt");
    std::fs::write(&path, b"caf\xe9 = 1\nx = 2\n").unwrap();
    server.must("apply_edit", edit("a.txt", "x = 2", "x = 3"));
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9 = 1\nx = 3\n");
    for (old, new, code) in [
        ("x  =  3", "x = 4", "E_ENCODING"),
        ("x = 3", "x = \u{e9}", "E_ENCODING"),
        ("=", ":", "E_AMBIGUOUS"),
    ] {
        let error = server.tool("apply_edit", edit("a.txt", old, new)).unwrap_err();
        assert_eq!(error.code, code, "{}", error.data);
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9 = 1\nx = 3\n");
}
