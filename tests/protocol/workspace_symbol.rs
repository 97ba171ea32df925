//! Symbols of the workspace by a few letters.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
class RoundBox:
    def area(self): pass
def rebox(): pass
//- /other.rs
struct Rbx;
";

fn symbols(server: &Server, query: &str) -> Vec<Value> {
    // The answer is what the index knows by now.
    server.open_file("shapes.py");
    for _ in 0..100 {
        let answer = server.request("workspace/symbol", json!({ "query": query })).unwrap();
        let all = answer.as_array().cloned().unwrap_or_default();
        if all.len() >= 3 || query == "area" && !all.is_empty() {
            return all;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the workspace is not indexed");
}

#[test]
fn the_best_match_comes_first_with_its_location() {
    let server = Server::start(FIXTURE);
    let all = symbols(&server, "rbx");
    let names: Vec<_> = all.iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Rbx", "RoundBox", "rebox"]);
    let start = json!({ "line": 0, "character": 6 });
    assert_eq!(all[1]["location"]["range"]["start"], start);
    let area = &symbols(&server, "area")[0];
    assert_eq!(
        (area["containerName"].as_str(), area["kind"].as_u64()),
        (Some("RoundBox"), Some(6))
    );
}

#[test]
fn locations_are_resolved_on_request() {
    let server = Server::builder(FIXTURE)
        .capability("workspace/symbol/resolveSupport", json!({ "properties": ["location.range"] }))
        .start();
    let symbol = symbols(&server, "area")[0].clone();
    assert_eq!(symbol["location"]["range"], Value::Null);
    let symbol = server.request("workspaceSymbol/resolve", symbol).unwrap();
    let start = json!({ "line": 1, "character": 8 });
    assert_eq!(symbol["location"]["range"]["start"], start);
}
