//! Waiting for what the screen shows.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::session::{Session, desktop};

#[test]
fn texts_elements_and_rest_are_waited_for() {
    let Some(mut desktop) = desktop("texts_elements_and_rest_are_waited_for") else { return };
    desktop.report_elements();
    let session = Session::on(&desktop);
    let go = desktop.folder().join("go");
    let line = format!(
        "echo Working; while ! test -e '{}'; do sleep 0.1; done; printf '\\033[2J\\033[H'; echo 'All tests passed'; sleep 1000",
        go.display()
    );
    desktop.terminal("build", &["-fa", "DejaVu Sans Mono", "-fs", "14"], &line);
    let id = session.window("build")["id"].clone();
    let wait = |params: serde_json::Value| session.call("wait_for_screen", params);
    let working = wait(json!({ "window_id": id, "text": "working" }));
    assert_eq!(working["element"]["text"], "Working");
    assert!(working["element"]["confidence"].as_f64().unwrap() < 1.0, "{working}");
    let missing = json!({ "window_id": id, "text": "passed", "timeout_ms": 300 });
    let message = session.refused("wait_for_screen", missing, "E_TIMEOUT");
    assert!(message.contains("`passed` is not there after 300 ms"), "{message}");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| wait(json!({ "window_id": id, "text": "tests  PASSED" })));
        let gone =
            scope.spawn(|| wait(json!({ "window_id": id, "text": "Working", "gone": true })));
        std::thread::sleep(Duration::from_millis(300));
        std::fs::write(&go, "").unwrap();
        assert_eq!(waiting.join().unwrap()["element"]["text"], "All tests passed");
        assert!(gone.join().unwrap().get("element").is_none());
    });
    let begun = Instant::now();
    wait(json!({ "window_id": id, "stable_ms": 400 }));
    assert!(begun.elapsed() >= Duration::from_millis(400));

    // A window that is not there yet, by an element of the screen; one that closes takes its elements along.
    let line = "sleep 1; exec yad --title=question --text=Continue? --button=Yes:0";
    desktop.run(&["/bin/sh", "-c", line]);
    let yes = wait(json!({ "element_type": "button", "text": "yes" }));
    session.focused("question");
    let button = yes["element"]["id"].clone();
    session.call("element_act", json!({ "element": button }));
    wait(json!({ "element_type": "button", "text": "yes", "gone": true }));

    desktop.terminal("busy", &[], "while :; do date +%N; sleep 0.05; done");
    let busy = session.window("busy")["id"].clone();
    let busy = json!({ "window_id": busy, "stable_ms": 1_000, "timeout_ms": 1_500 });
    session.refused("wait_for_screen", busy, "E_TIMEOUT");
    for params in [
        json!({}),
        json!({ "text": " " }),
        json!({ "text": "a", "stable_ms": 5 }),
        json!({ "stable_ms": 5, "gone": true }),
        json!({ "text": "a", "timeout_ms": 3_000_000 }),
    ] {
        session.refused("wait_for_screen", params, "E_INVALID_PARAMS");
    }
}
