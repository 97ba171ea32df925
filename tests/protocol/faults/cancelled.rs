//! Calls cancelled at any moment are answered at once and leave nothing behind.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Home, RESPONSE_TIMEOUT};

use super::{LiveServer, edit_all, same, tree};

const FILES: usize = 240;

#[test]
fn a_call_cancelled_at_any_moment_is_answered_at_once_and_leaves_nothing() {
    let home = Home::new();
    let root = home.root();
    let name = |n: usize| format!("dir/sub{}/f{n}.txt", n % 20);
    for n in 0..FILES {
        let path = root.join(name(n));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("file {n}\n").repeat(100) + "old\n").unwrap();
    }
    let before = tree(&root);
    let server = LiveServer::start(&home);
    let calls = [
        ("copy_file", json!({ "source": "dir", "destination": "new/copy" })),
        ("apply_edit", edit_all((0..80).map(name), "old\n", "new\n")),
        ("grep_search", json!({ "pattern": "(f|i|l|e)+ [0-9]*7$", "context_lines": 2 })),
        ("delete_file", json!({ "path": "dir", "recursive": true })),
    ];
    let mut late = Vec::new();
    for (tool, params) in &calls {
        let began = Instant::now();
        let done = server.must(tool, params);
        let whole = began.elapsed();
        if done["action"].is_string() {
            server.must("undo_action", &json!({ "action": done["action"] }));
            same(&tree(&root), &before, tool);
        }
        let mut cancelled = 0;
        let mut round = 0;
        // Where the first call was a slow one, all of the first seven may come too late.
        while round < 7 || (cancelled == 0 && round < 70) {
            let pending = server.send(tool, params);
            std::thread::sleep(whole * (round % 7) / 7);
            let given_up = Instant::now();
            server.client.cancel(pending.id).unwrap();
            let answer = pending.wait(RESPONSE_TIMEOUT);
            late.push((given_up.elapsed(), *tool));
            match answer {
                Ok(done) => {
                    if done["action"].is_string() {
                        server.must("undo_action", &json!({ "action": done["action"] }));
                    }
                }
                Err(error) => {
                    let response = error.response().unwrap_or_else(|| panic!("{tool}: {error}"));
                    assert_eq!(response.code, -32800, "{tool}: {response}");
                    cancelled += 1;
                }
            }
            // Taking back may outlast the answer; the next call waits for it.
            server.must("create_directory", &json!({ "path": "turn" }));
            server.must("undo_action", &json!({}));
            if round % 3 == 0 {
                same(&tree(&root), &before, &format!("{tool}, round {round}"));
            }
            round += 1;
        }
        assert!(cancelled >= 1, "{tool}: every cancel came too late");
        same(&tree(&root), &before, tool);
    }
    late.sort();
    let median = late[late.len() / 2].0;
    assert!(median < Duration::from_millis(200), "answered late: {late:?}");
    let worst = late[late.len() - 1];
    assert!(worst.0 < Duration::from_secs(2), "answered much too late: {worst:?}");
}
