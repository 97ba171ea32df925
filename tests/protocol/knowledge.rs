//! `search`, and collections of documents.

use serde_json::{Value, json};
use tests::{Server, user_config};

const FIXTURE: &str = r#"
//- /src/net.py
import time


def send_with_backoff(request, attempts=5):
    """Sends a request again while the server is busy."""
    for attempt in range(attempts):
        answer = transport(request)
        if answer.ok:
            return answer
        time.sleep(2 ** attempt)
    raise TimeoutError


class Cache:
    """Keeps answers for a minute."""

    def get(self, key):
        return self.entries.get(key)

    def put(self, key, value):
        self.entries[key] = value
//- /src/colours.py
def parse_colour(text):
    """Reads a colour such as red or ff0000."""
    return NAMES.get(text) or int(text.lstrip('#'), 16)


def mix(one, other):
    """The colour half way between two."""
    return (one + other) // 2
//- /docs/guide.md
# Guide

## Install

Download the archive and unpack it in your home folder.

## Billing

Invoices are sent by mail on the first day of each month.
//- /.gitignore
ignored/
"#;

fn results(server: &Server, arguments: Value) -> Vec<Value> {
    server.must("search", arguments)["results"].as_array().unwrap().clone()
}

/// The path and title of the best result.
fn best(server: &Server, query: &str) -> (String, String) {
    let found = results(server, json!({ "query": query }));
    let first = found.first().unwrap_or_else(|| panic!("nothing for {query}"));
    let text = |name: &str| first[name].as_str().unwrap().to_owned();
    (text("path"), text("title"))
}

#[test]
fn passages_are_found_by_meaning_by_words_and_by_name() {
    let server = Server::start(FIXTURE);
    let is = |query, path: &str, title: &str| {
        assert_eq!(best(&server, query), (path.to_owned(), title.to_owned()), "{query}");
    };
    is("where are failed calls retried", "src/net.py", "send_with_backoff");
    is("parse_colour", "src/colours.py", "parse_colour, mix");
    is("sendWithBackoff", "src/net.py", "send_with_backoff");
    is("when do customers have to pay", "docs/guide.md", "Guide");
    let first = &results(&server, json!({ "query": "send with backoff", "max_results": 1 }))[0];
    assert_eq!((&first["start_line"], &first["end_line"]), (&json!(1), &json!(11)), "{first}");
    let url = first["url"].as_str().unwrap();
    assert!(url.starts_with("file:///") && url.contains("/src/net.py#L"), "{url}");
    assert!(first["snippet"].as_str().unwrap().contains("def send_with_backoff"));
    let score = first["score"].as_f64().unwrap();
    assert!(score > 0.0 && score <= 1.0);
}

#[test]
fn unsaved_text_and_changes_on_disk_are_found_at_once() {
    let server = Server::start(FIXTURE);
    assert_eq!(best(&server, "parse_colour").0, "src/colours.py");
    server.open_file("src/colours.py");
    server.replace_text("src/colours.py", "def mix", "def zebra_crossing");
    let found = results(&server, json!({ "query": "zebra crossing", "max_results": 1 }));
    assert!(found[0]["snippet"].as_str().unwrap().contains("zebra_crossing"), "{}", found[0]);
    // A file that changes without a report is not quoted as it was.
    server.write("src/net.py", "def quartz_clock():\n    return 1\n");
    let found = results(&server, json!({ "query": "send_with_backoff" }));
    assert!(
        found.iter().all(|found| found["path"] != "src/net.py"
            || found["snippet"].as_str().unwrap().contains("quartz")),
        "{found:?}"
    );
    tests::wait_for("the changed file", || {
        (best(&server, "quartz_clock").0 == "src/net.py").then_some(())
    });
}

#[test]
fn sources_limit_what_is_searched() {
    let server = Server::start(FIXTURE);
    std::fs::create_dir_all(server.path("ignored")).unwrap();
    server.write("ignored/net.py", "def send_with_backoff():\n    pass\n");
    let paths = |sources: Value| {
        let found =
            results(&server, json!({ "query": "send request colour install", "sources": sources }));
        let mut paths: Vec<_> =
            found.iter().map(|found| found["path"].as_str().unwrap().to_owned()).collect();
        paths.sort();
        paths.dedup();
        paths
    };
    assert_eq!(paths(json!(["docs"])), ["docs/guide.md"]);
    assert_eq!(paths(json!(["src/net.py"])), ["src/net.py"]);
    assert_eq!(paths(json!(["code"])), ["src/colours.py", "src/net.py"]);
    assert_eq!(paths(json!(["*.md"])), ["docs/guide.md"]);
    assert_eq!(paths(json!([])).len(), 3);
    server.must_fail(
        "search",
        json!({ "query": "x", "sources": ["../other"] }),
        "E_PATH_FORBIDDEN",
    );
    server.must_fail("search", json!({ "query": " " }), "E_INVALID_PARAMS");
}

#[test]
fn files_that_rules_hide_are_not_found() {
    let home = Server::start(FIXTURE).quit();
    user_config(&home, "[policy.deny]\nread = [\"src/net.py\"]\n");
    let server = Server::restart(home);
    let found = results(&server, json!({ "query": "send_with_backoff" }));
    assert!(found.iter().all(|found| found["path"] != "src/net.py"), "{found:?}");
}

fn asked(server: &Server, arguments: Value) -> Vec<Value> {
    server.must("rag_query", arguments)["results"].as_array().unwrap().clone()
}

#[test]
fn collections_answer_with_citations_that_follow_their_files() {
    let server = Server::start(FIXTURE);
    let guide = json!({ "path": "docs", "collection": "guide", "category": "manual",
        "metadata": { "version": "2" } });
    let made = server.must("rag_ingest", guide.clone());
    assert_eq!((&made["documents"], &made["unchanged"]), (&json!(1), &json!(0)), "{made}");
    assert_eq!(server.must("rag_ingest", guide)["unchanged"], 1);
    let question = json!({ "question": "when do customers have to pay", "collection": "guide" });
    let found = &asked(&server, question.clone())[0];
    assert_eq!((&found["source"], &found["start_line"]), (&json!("docs/guide.md"), &json!(1)));
    assert!(found["outdated"].is_null() && found["category"] == "manual", "{found}");
    let filtered = |category: &str, version: &str| {
        let mut arguments = question.clone();
        arguments["category"] = json!(category);
        arguments["metadata"] = json!({ "version": version });
        asked(&server, arguments).len()
    };
    assert_eq!(
        (filtered("manual", "2"), filtered("other", "2"), filtered("manual", "1")),
        (1, 0, 0)
    );
    // The lines move; then they change; then the file is gone.
    let text = std::fs::read_to_string(server.path("docs/guide.md")).unwrap();
    server.write("docs/guide.md", format!("Preface.\n\n{text}"));
    let found = &asked(&server, question.clone())[0];
    assert_eq!((&found["start_line"], &found["outdated"]), (&json!(3), &Value::Null), "{found}");
    server.write("docs/guide.md", text.replace("Invoices", "Letters"));
    let found = &asked(&server, question.clone())[0];
    assert_eq!(found["outdated"], "the document has changed", "{found}");
    std::fs::remove_file(server.path("docs/guide.md")).unwrap();
    assert_eq!(asked(&server, question)[0]["outdated"], "the document is gone");
    let made = server.must("rag_ingest", json!({ "path": "docs", "collection": "guide" }));
    assert_eq!(made["removed"], 1, "{made}");
}

#[test]
fn collections_outlive_the_server_and_refuse_what_they_cannot_hold() {
    let server = Server::start(FIXTURE);
    server.write("page.html", "<h1>Prices</h1>\n<script>\nlet secret = 1;\n</script>\n<p>A box costs <b>ten</b> coins.</p>\n");
    server.must("rag_ingest", json!({ "path": "." }));
    let server = Server::restart(server.quit());
    let found = &asked(&server, json!({ "question": "how much is a box", "top_k": 1 }))[0];
    assert_eq!(found["source"], "page.html", "{found}");
    let content = found["content"].as_str().unwrap();
    assert!(content.contains("A box costs") && !content.contains("secret"), "{content}");
    let sizes = server.must("rag_collections", json!({ "show_stats": true }));
    assert_eq!(sizes["collections"][0]["documents"], 4, "{sizes}");
    server.must("rag_ingest", json!({ "path": "page.html", "recreate": true }));
    let sizes = server.must("rag_collections", json!({ "show_stats": true }));
    assert_eq!(sizes["collections"][0]["documents"], 1, "{sizes}");
    server.write("a.pdf", "%PDF-1.7");
    server.must_fail("rag_ingest", json!({ "path": "a.pdf" }), "E_UNSUPPORTED");
    server.must_fail("rag_ingest", json!({ "path": "../x" }), "E_PATH_FORBIDDEN");
    server.must_fail("rag_ingest", json!({ "path": "nowhere" }), "E_FILE_NOT_FOUND");
    server.must_fail(
        "rag_query",
        json!({ "question": "x", "collection": "none" }),
        "E_INVALID_PARAMS",
    );
    server.must_fail("rag_query", json!({ "question": "" }), "E_INVALID_PARAMS");
    // A missing path does not empty the collection.
    server.must_fail(
        "rag_ingest",
        json!({ "path": "nowhere", "recreate": true }),
        "E_FILE_NOT_FOUND",
    );
    assert_eq!(server.must("rag_collections", json!({}))["collections"][0]["name"], "documents");
}

#[test]
fn an_ingestion_that_was_killed_goes_on() {
    let server = Server::start(FIXTURE);
    for number in 0..400 {
        server.write(
            &format!("docs/{number}.md"),
            format!("# Page {number}\n\nText number {number}.\n"),
        );
    }
    let call = json!({ "path": "docs", "collection": "many" });
    let pending = server.start_tool("rag_ingest", call.clone());
    std::thread::sleep(std::time::Duration::from_millis(300));
    server.process().unwrap().kill();
    drop(pending);
    let server = server.second_server();
    let made = server.must("rag_ingest", call);
    let count = |name: &str| made[name].as_u64().unwrap();
    assert_eq!(count("documents") + count("unchanged"), 401, "{made}");
    let found = asked(&server, json!({ "question": "Page 399", "collection": "many", "top_k": 1 }));
    assert_eq!(found[0]["source"], "docs/399.md", "{found:?}");
}
