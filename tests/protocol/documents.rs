//! Open documents: what the client sends is the text, change by change.

use client::encode_frame;
use serde_json::{Value, json};
use tests::{Encoding, RESPONSE_TIMEOUT, Server};

/// A server with `a.txt` open and holding `text`.
fn start_with_open_text(text: &str, encoding: Encoding) -> Server {
    let server = Server::builder("//- /a.txt\non disk\n").encodings(&[encoding]).start();
    server.open_text("a.txt", text);
    server
}

fn range(start: (u64, u64), end: (u64, u64)) -> Value {
    json!({
        "start": { "line": start.0, "character": start.1 },
        "end": { "line": end.0, "character": end.1 },
    })
}

fn change(range: Value, text: &str) -> Value {
    json!({ "range": range, "text": text })
}

/// Sends changes past the model editor, for places that a correct editor would not name.
fn send(server: &Server, version: i32, changes: Value) {
    server.change(&server.uri("a.txt"), version, changes).unwrap();
}

#[test]
fn an_open_buffer_takes_precedence_over_the_disk() {
    let server = start_with_open_text("in the buffer\n", Encoding::Utf16);
    assert_eq!(server.read("a.txt"), "in the buffer\n");
    for path in [server.path("a.txt").to_str().unwrap().to_owned(), server.uri("a.txt")] {
        assert_eq!(server.read(&path), "in the buffer\n");
    }
    server.close_file("a.txt");
    assert_eq!(server.read("a.txt"), "on disk\n");
}

#[test]
fn a_full_change_replaces_all() {
    let server = start_with_open_text("old\n", Encoding::Utf16);
    send(&server, 2, json!([{ "text": "brand\nnew" }]));
    assert_eq!(server.read("a.txt"), "brand\nnew");
    send(&server, 3, json!([{ "text": "" }]));
    assert_eq!(server.read("a.txt"), "");
}

#[test]
fn an_incremental_change_replaces_its_range() {
    let server = start_with_open_text("one\ntwo\nthree\n", Encoding::Utf16);
    for (old, new) in [("two", "2"), ("one\n2\n", ""), ("three\n", "3"), ("3", "3\n\n")] {
        server.replace_text("a.txt", old, new);
        assert_eq!(server.read("a.txt"), server.buffer("a.txt"));
    }
    assert_eq!(server.read("a.txt"), "3\n\n");
}

#[test]
fn changes_of_one_message_apply_in_order() {
    let server = start_with_open_text("abc", Encoding::Utf16);
    server.type_in(
        "a.txt",
        &[
            change(range((0, 0), (0, 1)), "xx"),
            change(range((0, 3), (0, 4)), "\nC"),
            change(range((1, 1), (1, 1)), "!"),
            json!({ "text": "start over" }),
            change(range((0, 0), (0, 5)), "all"),
        ],
    );
    assert_eq!(server.buffer("a.txt"), "all over");
    assert_eq!(server.read("a.txt"), "all over");
}

#[test]
fn no_changes_change_nothing() {
    let server = start_with_open_text("abc", Encoding::Utf16);
    send(&server, 2, json!([]));
    assert_eq!(server.read("a.txt"), "abc");
}

#[test]
fn every_encoding_counts_its_own_units() {
    // A scalar of each UTF-8 length, a combining mark, an emoji of several scalars.
    let text = "e\u{301} \u{e9} \u{4e2d} \u{1f600} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} z\n";
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        for part in ["\u{301}", "\u{e9}", "\u{4e2d}", "\u{1f600}", "\u{1f469}", "\u{200d}", "z"] {
            let server = start_with_open_text(text, encoding);
            assert_eq!(server.encoding(), encoding);
            server.replace_text("a.txt", part, "<>");
            assert_eq!(server.buffer("a.txt"), text.replacen(part, "<>", 1));
            assert_eq!(server.read("a.txt"), server.buffer("a.txt"), "{part:?} in {encoding:?}");
        }
    }
}

#[test]
fn positions_inside_a_character_are_handled() {
    for (encoding, character) in [(Encoding::Utf16, 1), (Encoding::Utf8, 2)] {
        let server = start_with_open_text("\u{1f600}z\n", encoding);
        let inside = range((0, character), (0, character));
        send(&server, 2, json!([change(inside, "-")]));
        // Before or after the emoji, but never through it.
        let text = server.read("a.txt");
        assert!(["-\u{1f600}z\n", "\u{1f600}-z\n"].contains(&text.as_str()), "{text:?}");
    }
}

#[test]
fn every_line_ending_ends_a_line() {
    let text = "one\r\ntwo\rthree\nfour\r\n\r\n\rlast";
    for encoding in [Encoding::Utf8, Encoding::Utf16] {
        let server = start_with_open_text(text, encoding);
        for (old, new) in [("three", "3"), ("last", "end"), ("\r\n\r\n", "\r\n"), ("two\r", "2\n")]
        {
            server.replace_text("a.txt", old, new);
            assert_eq!(server.read("a.txt"), server.buffer("a.txt"), "{old:?}");
        }
        assert_eq!(server.read("a.txt"), "one\r\n2\n3\nfour\r\n\rend");
    }
}

#[test]
fn only_lf_cr_and_crlf_end_a_line() {
    let text = "a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f\nsecond";
    let server = start_with_open_text(text, Encoding::Utf16);
    server.replace_text("a.txt", "second", "2");
    server.replace_text("a.txt", "f", "F");
    assert_eq!(server.read("a.txt"), "a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}F\n2");
}

#[test]
fn a_cr_and_an_lf_typed_next_to_each_other_are_one_line_ending() {
    let server = start_with_open_text("a\rb\nc", Encoding::Utf16);
    server.replace_text("a.txt", "b", "");
    // Two lines now: the former third is the second.
    send(&server, 9, json!([change(range((1, 0), (1, 1)), "C")]));
    assert_eq!(server.read("a.txt"), "a\r\nC");
}

#[test]
fn a_byte_order_mark_the_client_sends_counts_in_positions() {
    for encoding in [Encoding::Utf16, Encoding::Utf8] {
        let server = start_with_open_text("\u{feff}abc\n", encoding);
        server.replace_text("a.txt", "a", "X");
        let text = server.read("a.txt");
        assert_eq!(text.trim_start_matches('\u{feff}'), "Xbc\n", "{encoding:?}");
    }
}

#[test]
fn a_nul_counts_as_a_character() {
    let server = start_with_open_text("a\0b", Encoding::Utf16);
    server.replace_text("a.txt", "\0", "\0\0");
    assert_eq!(server.read("a.txt"), "a\0\0b");
}

#[test]
fn ranges_out_of_bounds_are_clamped() {
    for (bad, text, expected) in [
        (range((0, 1), (0, 99)), "X", "aX\ndef\n"),
        (range((0, 99), (0, 99)), "X", "abcX\ndef\n"),
        (range((1, 0), (99, 0)), "X", "abc\nX"),
        (range((99, 99), (99, 99)), "X", "abc\ndef\nX"),
        (range((0, 0), (2_147_483_647, 2_147_483_647)), "X", "X"),
        (range((2, 5), (3, 5)), "X", "abc\ndef\nX"),
    ] {
        let server = start_with_open_text("abc\ndef\n", Encoding::Utf16);
        send(&server, 2, json!([change(bad.clone(), text)]));
        assert_eq!(server.read("a.txt"), expected, "{bad}");
    }
}

#[test]
fn a_range_that_ends_before_it_starts_is_handled() {
    let server = start_with_open_text("abc\ndef\n", Encoding::Utf16);
    send(&server, 2, json!([change(range((1, 1), (0, 1)), "")]));
    let text = server.read("a.txt");
    // Taken as empty or turned around.
    assert!(["abc\ndef\n", "aef\n"].contains(&text.as_str()), "{text:?}");
}

#[test]
fn versions_that_jump_or_go_back_are_applied() {
    let server = start_with_open_text("", Encoding::Utf16);
    for (version, text) in [(7, "a"), (7, "b"), (3, "c"), (-2, "d"), (2_147_483_647, "e")] {
        send(&server, version, json!([change(range((0, 99), (0, 99)), text)]));
    }
    assert_eq!(server.read("a.txt"), "abcde");
}

#[test]
fn a_version_of_null_is_applied() {
    let server = start_with_open_text("a", Encoding::Utf16);
    let params = json!({
        "textDocument": { "uri": server.uri("a.txt"), "version": null },
        "contentChanges": [{ "text": "b" }],
    });
    server.notify("textDocument/didChange", params).unwrap();
    let text = server.read("a.txt");
    // LSP wants a number here: dropped or applied, and alive.
    assert!(["a", "b"].contains(&text.as_str()), "{text:?}");
}

#[test]
fn changes_to_unopened_documents_are_ignored() {
    let server = Server::start("//- /a.txt\non disk\n");
    send(&server, 2, json!([{ "text": "from nowhere" }]));
    server.close(&server.uri("a.txt")).unwrap();
    assert_eq!(server.read("a.txt"), "on disk\n");
    assert_eq!(server.disk_text("a.txt"), "on disk\n");
}

#[test]
fn opening_twice_takes_the_second_text() {
    let server = start_with_open_text("first", Encoding::Utf16);
    server.open_text("a.txt", "second");
    assert_eq!(server.read("a.txt"), "second");
    server.replace_text("a.txt", "second", "third");
    assert_eq!(server.read("a.txt"), "third");
}

#[test]
fn opening_again_after_closing_starts_anew() {
    let server = start_with_open_text("first", Encoding::Utf16);
    server.close_file("a.txt");
    server.open_text("a.txt", "again");
    assert_eq!(server.read("a.txt"), "again");
}

#[test]
fn one_file_is_one_document_for_every_spelling_of_its_uri() {
    let server = Server::start("//- /dir/a b.txt\non disk\n");
    let spelt = server.uri("dir/a b.txt").replace("/a%20b.txt", "/%61%20b.txt");
    server.open(&spelt, "plaintext", 1, "in the buffer\n").unwrap();
    assert_eq!(server.read("dir/a b.txt"), "in the buffer\n");
    server.change(&server.uri("dir/a b.txt"), 2, json!([{ "text": "changed\n" }])).unwrap();
    assert_eq!(server.read("dir/a b.txt"), "changed\n");
}

#[test]
fn a_buffer_of_a_file_that_is_not_on_disk_is_read() {
    let server = Server::start("");
    server.open_text("new.txt", "not saved yet\n");
    assert_eq!(server.read("new.txt"), "not saved yet\n");
}

#[test]
fn a_query_sees_exactly_the_changes_sent_before_it() {
    let server = start_with_open_text("", Encoding::Utf16);
    let uri = server.uri("a.txt");
    let mut burst = Vec::new();
    let mut questions = Vec::new();
    for n in 0..400 {
        if n % 100 == 0 {
            let command =
                json!({ "command": "tandem.read_file", "arguments": [{ "path": "a.txt" }] });
            let pending = server.expect_response("workspace/executeCommand").unwrap();
            burst.extend(encode_frame(
                json!({
                    "jsonrpc": "2.0",
                    "id": pending.id,
                    "method": "workspace/executeCommand",
                    "params": command,
                })
                .to_string()
                .as_bytes(),
            ));
            questions.push((n, pending));
        }
        burst.extend(encode_frame(
            json!({
                "jsonrpc": "2.0",
                "method": "textDocument/didChange",
                "params": {
                    "textDocument": { "uri": uri, "version": n + 2 },
                    "contentChanges": [change(range((n, 0), (n, 0)), &format!("{n}\n"))],
                },
            })
            .to_string()
            .as_bytes(),
        ));
    }
    server.write_raw(burst).unwrap();
    for (count, pending) in questions {
        let expected: String = (0..count).map(|n| format!("{n}\n")).collect();
        let result = pending.wait(RESPONSE_TIMEOUT).unwrap();
        assert_eq!(result["content"], expected, "before change {count}");
    }
    let all: String = (0..400).map(|n| format!("{n}\n")).collect();
    assert_eq!(server.read("a.txt"), all);
}

#[test]
fn many_documents_do_not_interfere() {
    let server = Server::start("");
    for n in 0..50 {
        server.open_text(&format!("{n}.txt"), &format!("document {n}\n"));
    }
    for n in 0..50 {
        server.replace_text(&format!("{n}.txt"), "document", "text");
    }
    for n in 0..50 {
        assert_eq!(server.read(&format!("{n}.txt")), format!("text {n}\n"));
    }
}

#[test]
fn a_keystroke_in_a_long_line_is_fast() {
    let server = start_with_open_text(&"x".repeat(1_000_000), Encoding::Utf16);
    for n in 0..50 {
        let at = 999_999 - n * 20_000;
        send(&server, 2, json!([change(range((0, at), (0, at + 1)), "y")]));
    }
    let expected = {
        let mut text = vec![b'x'; 1_000_000];
        (0..50).for_each(|n| text[999_999 - n * 20_000] = b'y');
        String::from_utf8(text).unwrap()
    };
    // One line is over the budget: read on to its end.
    let mut text = String::new();
    let mut arguments = json!({ "path": "a.txt" });
    loop {
        let result = server.must("read_file", arguments.clone());
        text.push_str(result["content"].as_str().unwrap());
        match &result["next_cursor"] {
            Value::Null => break,
            cursor => arguments["cursor"] = cursor.clone(),
        }
    }
    assert!(text == expected, "{} bytes came back", text.len());
}
