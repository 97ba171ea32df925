//! Statements that change something in disguise: each is refused, and the database stays as it is.

use std::collections::BTreeMap;

use serde_json::json;

use crate::session::Session;

/// Tries all statements of one engine, prints which layer refused how many, and returns that.
pub(crate) fn all_are_refused(
    session: &Session,
    engine: &str,
    connection: &str,
) -> BTreeMap<String, usize> {
    let lists: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("disguised.toml")).unwrap();
    let mut layers: BTreeMap<String, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    for statement in &lists[engine] {
        let params = json!({ "connection": connection, "query": statement, "timeout_ms": 5_000 });
        match session.try_call("db_query", params) {
            Ok(result) => accepted.push(format!("{statement:?}: {result}")),
            Err(error) if error.code == "E_DENIED" => {
                let layer = error.data["details"]["layer"].as_str().unwrap_or("none").to_owned();
                *layers.entry(layer).or_default() += 1;
            }
            Err(error) => accepted.push(format!("{statement:?}: {error:?}")),
        }
    }
    assert!(accepted.is_empty(), "{} were not refused:\n{}", accepted.len(), accepted.join("\n"));
    println!("{engine}: {} of {} refused, by {layers:?}", lists[engine].len(), lists[engine].len());
    layers
}

#[test]
fn there_are_more_than_200() {
    let lists: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("disguised.toml")).unwrap();
    assert!(lists.values().map(Vec::len).sum::<usize>() >= 200);
}
