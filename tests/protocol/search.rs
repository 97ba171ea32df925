//! The tools that search text and code.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

/// `path:line:text` of each match.
fn match_lines(result: &Value) -> Vec<String> {
    let matches = result["matches"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    matches
        .iter()
        .map(|m| format!("{}:{}:{}", text(&m["path"]), m["line_number"], text(&m["line"])))
        .collect()
}

fn grep(server: &Server, arguments: Value) -> Vec<String> {
    match_lines(&server.must("grep_search", arguments))
}

#[test]
fn matches_have_every_field_in_path_order() {
    let server = Server::start(
        "//- /b.rs\nfn main() {}\n//- /a/z.rs\none\n\u{e9} fn main() {\r\ntwo\n//- /a.rs\nfn mainly() {}\n",
    );
    let result =
        server.must("grep_search", json!({ "pattern": "fn\\s+main\\b", "context_lines": 1 }));
    assert_eq!(match_lines(&result), ["a/z.rs:2:\u{e9} fn main() {", "b.rs:1:fn main() {}"]);
    let first = &result["matches"][0];
    assert_eq!(first["context_before"], json!(["one"]));
    assert_eq!(first["context_after"], json!(["two"]));
    assert_eq!(first["column"], 3);
    assert_eq!(result["files_searched"], 3);
    assert!(result["truncated"].is_null() && result["next_cursor"].is_null());
    for alias in ["query", "regex"] {
        let result = server.must("rg", json!({ alias: "mainly", "path": "." }));
        assert_eq!(match_lines(&result), ["a.rs:1:fn mainly() {}"]);
    }
    assert_eq!(grep(&server, json!({ "pattern": "fn", "path": "a" })).len(), 1);
    assert_eq!(grep(&server, json!({ "pattern": "fn", "path": "b.rs" })).len(), 1);
    let absolute = server.path("a");
    assert_eq!(grep(&server, json!({ "pattern": "fn", "path": absolute })).len(), 1);
}

#[test]
fn options_restrict_and_extend_the_search() {
    let server = Server::start(
        "\
//- /a.rs
Foo foobar
foo.bar
//- /b.py
foo
//- /.hidden/c.rs
foo
//- /build/d.rs
foo
//- /.gitignore
build/
//- /m.txt
one
two
",
    );
    let paths = |arguments: Value| -> Vec<String> {
        let found = grep(&server, arguments).into_iter();
        found.map(|line| line.split(':').take(2).collect::<Vec<_>>().join(":")).collect()
    };
    assert_eq!(paths(json!({ "pattern": "foo" })), ["a.rs:1", "a.rs:2", "b.py:1"]);
    assert_eq!(paths(json!({ "pattern": "foo", "file_pattern": "*.py,*.md" })), ["b.py:1"]);
    assert_eq!(paths(json!({ "pattern": "foo", "file_pattern": "!*.rs" })), ["b.py:1"]);
    assert_eq!(paths(json!({ "pattern": "FOO", "case_sensitive": false })).len(), 3);
    assert_eq!(paths(json!({ "pattern": "FOO" })), [""; 0]);
    assert_eq!(paths(json!({ "pattern": "foo", "whole_word": true })), ["a.rs:2", "b.py:1"]);
    assert_eq!(paths(json!({ "pattern": "o.b", "literal": true })), ["a.rs:2"]);
    let hidden = json!({ "pattern": "foo", "hidden": true, "no_ignore": true });
    assert_eq!(paths(hidden), [".hidden/c.rs:1", "a.rs:1", "a.rs:2", "b.py:1", "build/d.rs:1"]);
    assert_eq!(paths(json!({ "pattern": "one\ntwo", "multiline": true })), ["m.txt:1"]);
}

#[test]
fn unsaved_text_is_used() {
    let server =
        Server::start("//- /a.txt\nold needle\n//- /ignored.txt\n\n//- /.gitignore\nign*\n");
    server.open_text("a.txt", "nothing\r\nnew needle\r\n");
    server.open_text("sub/new.txt", "needle never saved\n");
    server.open_text("ignored.txt", "needle that is ignored\n");
    server.open_text("ignored-new.txt", "needle that is ignored\n");
    let found = grep(&server, json!({ "pattern": "needle" }));
    assert_eq!(found, ["a.txt:2:new needle", "sub/new.txt:1:needle never saved"]);
    assert_eq!(grep(&server, json!({ "pattern": "needle", "path": "sub/new.txt" })).len(), 1);
    server.replace_text("a.txt", "needle", "pin");
    assert_eq!(grep(&server, json!({ "pattern": "needle", "path": "a.txt" })), [""; 0]);
    server.close_file("a.txt");
    assert_eq!(grep(&server, json!({ "pattern": "needle" }))[0], "a.txt:1:old needle");
}

#[test]
fn encodings_and_bytes() {
    let server = Server::start("");
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain("one\r\nnee\u{e9}dle\r\n".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    server.write("utf16.txt", utf16);
    server.write("marked.txt", "\u{feff}need\u{e9}le\n".as_bytes());
    server.write("binary", b"need\0needle\n");
    server.write("latin.txt", b"caf\xe9 needle\n");
    server.write("cr.txt", b"one\rneedle\rtwo");
    let found = grep(&server, json!({ "pattern": "^nee.*le$|needle" }));
    assert_eq!(
        found,
        [
            "cr.txt:2:needle",
            "latin.txt:1:caf\u{fffd} needle",
            "marked.txt:1:need\u{e9}le",
            "utf16.txt:2:nee\u{e9}dle",
        ]
    );
}

#[test]
fn a_giant_line_needs_little_memory_and_output() {
    let server = Server::start("//- /small.txt\nneedle\n");
    let mut giant = vec![b'x'; 100 << 20];
    let middle = giant.len() / 2;
    giant[middle..middle + 6].copy_from_slice(b"needle");
    server.write("giant.txt", &giant);
    drop(giant);
    let started = Instant::now();
    let result = server.must("grep_search", json!({ "pattern": "needle", "context_lines": 5 }));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(result["matches"].as_array().unwrap().len(), 2);
    let first = &result["matches"][0];
    assert_eq!((first["line_cut"].as_bool(), first["line_number"].as_u64()), (Some(true), Some(1)));
    assert!(first["line"].as_str().unwrap().contains("needle"));
    assert!(result.to_string().len() < 10_000);
    let status = server.process().unwrap().id();
    let status = std::fs::read_to_string(format!("/proc/{status}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 200 << 10, "{peak} kB");
}

#[test]
fn pages_cover_everything_once() {
    let server = Server::start("");
    for file in 0..30 {
        let lines: String = (0..40).map(|n| format!("needle {n}\n")).collect();
        server.write(&format!("d{}/f {file}.txt", file % 4), lines);
    }
    for limit in [1_000, 77, 40] {
        let mut arguments = json!({ "pattern": "needle", "max_results": limit });
        let mut all = Vec::new();
        loop {
            let page = server.must("grep_search", arguments.clone());
            assert!(page.to_string().len() < 60_000);
            let lines = match_lines(&page);
            assert!(!lines.is_empty() && lines.len() <= limit);
            all.extend(lines);
            assert_eq!(
                page["truncated"].as_bool().unwrap_or(false),
                page["next_cursor"].is_string()
            );
            if page["next_cursor"].is_null() {
                break;
            }
            arguments["cursor"] = page["next_cursor"].clone();
        }
        assert_eq!(all.len(), 1_200, "{limit}");
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 1_200, "{limit}");
    }
    let first = server.must("grep_search", json!({ "pattern": "needle", "max_results": 5 }));
    let other = json!({ "pattern": "other", "cursor": first["next_cursor"] });
    server.must_fail("grep_search", other, "E_INVALID_PARAMS");
}

#[test]
fn hostile_entries_of_a_tree_are_harmless() {
    let server = Server::builder("//- /a.txt\nneedle\n")
        .prepare(|root| {
            symlink("/etc", root.join("etc")).unwrap();
            symlink("/etc/passwd", root.join("passwd")).unwrap();
            symlink(".", root.join("loop")).unwrap();
            symlink("self", root.join("self")).unwrap();
            assert!(
                std::process::Command::new("mkfifo")
                    .arg(root.join("fifo"))
                    .status()
                    .unwrap()
                    .success()
            );
            for name in [&b"new\nline"[..], b"bad\xff", "\u{202e}x".as_bytes(), &[b'l'; 255]] {
                std::fs::write(root.join(std::ffi::OsStr::from_bytes(name)), "needle\n").unwrap();
            }
        })
        .start();
    let started = Instant::now();
    let found =
        grep(&server, json!({ "pattern": "needle|root:", "hidden": true, "no_ignore": true }));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.contains(&"new\nline:1:needle".to_owned()));
    for path in ["etc", "passwd", "etc/passwd"] {
        server.must_fail(
            "grep_search",
            json!({ "pattern": "x", "path": path }),
            "E_PATH_FORBIDDEN",
        );
    }
    server.must_fail("grep_search", json!({ "pattern": "x", "path": "fifo" }), "E_UNSUPPORTED");
    let missing = json!({ "pattern": "x", "path": "nowhere" });
    server.must_fail("grep_search", missing, "E_PATH_NOT_FOUND");
    for page in [1, 2] {
        let mut arguments = json!({ "pattern": "needle", "max_results": page });
        let mut count = 0;
        loop {
            let result = server.must("grep_search", arguments.clone());
            count += result["matches"].as_array().unwrap().len();
            if result["next_cursor"].is_null() {
                break;
            }
            arguments["cursor"] = result["next_cursor"].clone();
        }
        assert_eq!(count, 5);
    }
}

#[test]
fn regex_bombs_are_refused_and_hard_patterns_stay_fast() {
    let server = Server::start("");
    server.write("a.txt", format!("{}\n", "a".repeat(200_000)));
    for bad in ["(", "a{9999}{9999}", "(\\w{500}){500}", "", "[z-a]", "(?=x)", "\\1"] {
        let error = server.must_fail("grep_search", json!({ "pattern": bad }), "E_INVALID_PARAMS");
        assert!(error.message.starts_with("grep_search: "), "{}", error.message);
    }
    let started = Instant::now();
    server.must("grep_search", json!({ "pattern": "(a+)+$x|(a|aa)+b" }));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    for bad in ["[", "{a", &"*".repeat(10_000)] {
        let arguments = json!({ "pattern": "x", "file_pattern": bad });
        server.must_fail("grep_search", arguments, "E_INVALID_PARAMS");
    }
}

#[test]
fn a_search_is_cancelled_at_once() {
    let server = Server::start("");
    for n in 0..40 {
        server.write(&format!("f{n}.txt"), "x".repeat(2 << 20));
    }
    let call = server.start_tool("grep_search", json!({ "pattern": "(x+x+)+y\\w{20}$" }));
    std::thread::sleep(Duration::from_millis(20));
    let started = Instant::now();
    server.cancel(call.id).unwrap();
    match call.wait(RESPONSE_TIMEOUT) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.response().unwrap().code, -32800, "{error}"),
    }
    assert!(started.elapsed() < Duration::from_millis(300), "{:?}", started.elapsed());
}

#[test]
fn codebase_search_shows_two_lines_around() {
    let server = Server::start(
        "\
//- /a.rs
1
2
struct FooConfig;
4
5
6
//- /b.py
struct Config
",
    );
    let arguments = json!({ "query": "struct.*Config", "file_pattern": "*.rs", "max_results": 20 });
    let result = server.must("codebase_search", arguments);
    assert_eq!(match_lines(&result), ["a.rs:3:struct FooConfig;"]);
    assert_eq!(result["matches"][0]["context_before"], json!(["1", "2"]));
    assert_eq!(result["matches"][0]["context_after"], json!(["4", "5"]));
    server.write("many.txt", "x\n".repeat(500));
    let result = server.must("codebase_search", json!({ "query": "x" }));
    assert_eq!(result["matches"].as_array().unwrap().len(), 50);
    assert_eq!(result["truncated"], true);
}

#[test]
fn code_is_found_by_its_structure() {
    let server = Server::start(
        "\
//- /a.rs
fn f() {
    foo(1,
        2);
    // foo(3)
}
//- /b.py
foo(4)
//- /c.txt
foo(5)
",
    );
    let found = server.must("structural_search", json!({ "pattern": "foo($A, $$$REST)" }));
    let matches = found["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 2, "{found}");
    assert_eq!((&matches[0]["path"], &matches[1]["path"]), (&json!("a.rs"), &json!("b.py")));
    assert_eq!(matches[0]["line_number"], 2);
    assert_eq!(matches[0]["end_line"], 3);
    assert_eq!(matches[0]["captures"], json!({ "A": "1", "REST": "2" }));
    server.open_text("b.py", "bar(4)\n");
    server.open_text("new.py", "foo(6)\n");
    let found = server.must(
        "structural_search",
        json!({ "query": "(call function: (identifier) @f (#eq? @f \"foo\"))", "language": "python" }),
    );
    assert_eq!(found["matches"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["matches"][0]["path"], "new.py");
    for bad in [
        json!({ "query": "(call" }),
        json!({ "query": "(no_such_node) @a", "language": "rust" }),
        json!({ "pattern": "$A" }),
        json!({ "pattern": "foo(" , "language": "rust" }),
        json!({ "pattern": "foo()", "language": "klingon" }),
        json!({ "pattern": "foo()", "query": "(call) @a" }),
        json!({}),
    ] {
        server.must_fail("structural_search", bad, "E_INVALID_PARAMS");
    }
}

#[test]
fn code_that_is_slow_to_parse_does_not_hold_up_a_search() {
    let server = Server::start("//- /good.py\nfoo(1)\n");
    server.write("bad.py", format!("{}foo", "(".repeat(200_000)));
    let started = Instant::now();
    let found = server.must("structural_search", json!({ "pattern": "foo($A)" }));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(found["matches"][0]["path"], "good.py");
}
