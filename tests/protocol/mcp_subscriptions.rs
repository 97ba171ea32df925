//! Subscriptions to resources of `tandem mcp`, alone and beside an editor.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Agent, Home, RESPONSE_TIMEOUT, Server};

const WORKSPACE: [&str; 2] = ["--workspace", "workspace"];
const UPDATED: &str = "notifications/resources/updated";
const LIST_CHANGED: &str = "notifications/resources/list_changed";
/// Longer than changes take to be noticed.
const QUIET: Duration = Duration::from_millis(1_500);

fn home() -> Home {
    let home = Home::new();
    std::fs::write(home.root().join("a.py"), "one = 1\n").unwrap();
    home
}

fn uri(home: &Home, name: &str) -> String {
    format!("file://{}", home.root().join(name).display())
}

fn subscribe(agent: &mut Agent, uri: &str) {
    let done = agent.request("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(done["result"], json!({}), "{done}");
}

/// Waits for a notification about `uri`.
fn updated(agent: &mut Agent, uri: &str) -> Value {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < RESPONSE_TIMEOUT);
        let message = agent.next_message();
        if message["method"] == UPDATED && message["params"]["uri"] == uri {
            return message;
        }
    }
}

#[test]
fn a_change_on_disk_is_reported() {
    let home = home();
    let mut agent = Agent::start(home.command(), &WORKSPACE, None);
    let file = uri(&home, "a.py");
    subscribe(&mut agent, &file);
    subscribe(&mut agent, "tandem://diagnostics/a.py");
    std::fs::write(home.root().join("a.py"), "two = 2\n# longer\n").unwrap();
    updated(&mut agent, &file);
    let edit = json!({ "path": "a.py", "old_text": "two", "new_text": "three" });
    agent.must("apply_edit", edit);
    updated(&mut agent, "tandem://diagnostics/a.py");
    let done = agent.request("resources/unsubscribe", json!({ "uri": file }));
    assert_eq!(done["result"], json!({}), "{done}");
    std::thread::sleep(QUIET);
    agent.must("list_directory", json!({}));
    agent.notifications.clear();
    std::fs::write(home.root().join("a.py"), "four = 4\n").unwrap();
    std::thread::sleep(QUIET);
    agent.must("list_directory", json!({}));
    let about_file = |m: &&Value| m["method"] == UPDATED && m["params"]["uri"] == *file;
    assert_eq!(agent.notifications.iter().filter(about_file).count(), 0);
}

#[test]
fn many_changes_of_unsaved_text_are_reported_once_in_a_while() {
    let server = Server::start("//- /a.py\none = 1\n//- /b.py\ntwo = 2\n");
    server.open_text("a.py", "one = 0\n");
    let mut agent = Agent::start(server.command(), &WORKSPACE, None);
    let (a, b) = (server.uri("a.py"), server.uri("b.py"));
    subscribe(&mut agent, &a);
    subscribe(&mut agent, &b);
    let started = Instant::now();
    let mut text = "0".to_owned();
    for number in 1..=200 {
        server.replace_text("a.py", &format!("one = {text}"), &format!("one = {number}"));
        text = number.to_string();
    }
    updated(&mut agent, &a);
    std::thread::sleep(QUIET);
    let intervals = started.elapsed().as_millis() / 250 + 2;
    agent.must("list_directory", json!({}));
    let count = |uri: &str| {
        let all = agent.notifications.iter();
        all.filter(|m| m["method"] == UPDATED && m["params"]["uri"] == uri).count()
    };
    assert!((count(&a) as u128) < intervals, "{} in {intervals} intervals", count(&a));
    assert_eq!(count(&b), 0);
    let read = agent.request("resources/read", json!({ "uri": a }));
    assert_eq!(read["result"]["contents"][0]["text"], "one = 200\n", "{read}");
}

#[test]
fn open_documents_are_listed_and_changes_of_the_list_reported() {
    let server = Server::start("//- /a.py\none = 1\n//- /sub/b.py\ntwo = 2\n");
    let mut agent = Agent::start(server.command(), &WORKSPACE, None);
    let names = |agent: &mut Agent| -> Vec<String> {
        let listed = agent.request("resources/list", json!({}))["result"]["resources"].take();
        let listed = listed.as_array().unwrap().clone();
        listed.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!names(&mut agent).contains(&"sub/b.py".to_owned()));
    server.open_text("sub/b.py", "typed\n");
    let started = Instant::now();
    while agent.next_message()["method"] != LIST_CHANGED {
        assert!(started.elapsed() < RESPONSE_TIMEOUT);
    }
    assert!(names(&mut agent).contains(&"sub/b.py".to_owned()));
}

#[test]
fn long_lists_have_pages() {
    let files: String = (0..120).map(|n| format!("//- /f{n:03}.txt\n{n}\n")).collect();
    let server = Server::start(&files);
    for number in 0..120 {
        server.open_text(&format!("f{number:03}.txt"), "typed\n");
    }
    let mut agent = Agent::start(server.command(), &WORKSPACE, None);
    let first = agent.request("resources/list", json!({}))["result"].take();
    assert_eq!(first["resources"].as_array().unwrap().len(), 100);
    let cursor = json!({ "cursor": first["nextCursor"] });
    let second = agent.request("resources/list", cursor)["result"].take();
    let rest = second["resources"].as_array().unwrap();
    assert_eq!((rest.len(), &second["nextCursor"]), (24, &Value::Null));
    assert_eq!(rest.last().unwrap()["name"], "f119.txt");
    let foreign = json!({ "cursor": first["nextCursor"] });
    let refused = agent.request("resources/templates/list", foreign);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn what_cannot_be_read_cannot_be_subscribed_to() {
    let home = home();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[policy.deny]\nread = [\"secret.txt\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    std::fs::write(home.root().join("secret.txt"), "secret\n").unwrap();
    let mut agent = Agent::start(home.command(), &WORKSPACE, None);
    let secret = uri(&home, "secret.txt");
    for uri in [secret.as_str(), "tandem://nothing", "file:///etc/passwd", ""] {
        let refused = agent.request("resources/subscribe", json!({ "uri": uri }));
        assert!(refused["error"]["code"].is_i64(), "{uri}: {refused}");
    }
    for number in 0..100 {
        std::fs::write(home.root().join(format!("{number}.txt")), "x\n").unwrap();
        subscribe(&mut agent, &uri(&home, &format!("{number}.txt")));
    }
    let more = json!({ "uri": uri(&home, "a.py") });
    let refused = agent.request("resources/subscribe", more);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let wrong = agent.request("resources/subscribe", json!({ "uri": 7 }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}

#[test]
fn the_newest_version_listens() {
    let server = Server::start("//- /a.py\none = 1\n//- /b.py\ntwo = 2\n");
    server.open_text("a.py", "one = 0\n");
    let mut agent = Agent::start_stateless(server.command(), &WORKSPACE);
    let a = server.uri("a.py");
    let wanted = json!({ "notifications": {
        "resourceSubscriptions": [a, "tandem://nothing"],
        "resourcesListChanged": true, "toolsListChanged": true,
    } });
    let id = agent.begin("subscriptions/listen", wanted);
    let accepted = agent.next_message();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    let filter = json!({ "resourceSubscriptions": [a], "resourcesListChanged": true });
    assert_eq!(accepted["params"]["notifications"], filter, "{accepted}");
    // It is watched once its first state was read.
    std::thread::sleep(QUIET);
    server.replace_text("a.py", "0", "5");
    let message = updated(&mut agent, &a);
    let subscription = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(subscription, id, "{message}");
    server.open_text("b.py", "typed\n");
    while agent.next_message()["method"] != LIST_CHANGED {}
    agent.cancel(id);
    server.replace_text("a.py", "5", "6");
    std::thread::sleep(QUIET);
    agent.must("list_directory", json!({}));
    let late = agent.notifications.iter().filter(|m| m["method"] == UPDATED).count();
    assert!(late <= 1, "{late} after the end");
    let refused = agent.request("resources/subscribe", json!({ "uri": a }));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}
