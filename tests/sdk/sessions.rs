//! Sessions with an agent that is written with the official SDK of the Agent Client Protocol.

use std::time::Duration;

use serde_json::{Value, json};
use tests::wait_for;

use crate::delegate::{Delegating, ends, runs, start_with};

/// Sends a message and waits for the end of the turn.
fn send(d: &Delegating, message: &str) -> Value {
    d.server
        .must("session_send", json!({ "session": "s1", "message": message, "wait_ms": 120_000 }))
}

fn start(test: &str, more: &[&str]) -> Option<Delegating> {
    let d = start_with(test, more)?;
    let made = d.server.must("session_create", json!({ "name": "Work", "agent": "tester" }));
    assert_eq!(
        (&made["session"]["id"], &made["session"]["status"]),
        (&json!("s1"), &json!("idle"))
    );
    Some(d)
}

fn history(d: &Delegating) -> Value {
    d.server.must("session_history", json!({ "session": "s1", "limit": 200 }))
}

/// Roles and contents.
fn contents(result: &Value) -> Vec<(&str, &str)> {
    let messages = result["messages"].as_array().unwrap().iter();
    messages.map(|one| (one["role"].as_str().unwrap(), one["content"].as_str().unwrap())).collect()
}

/// The last thing the agent has said, as JSON.
fn answer(result: &Value) -> Value {
    let (role, text) = *contents(result).last().unwrap_or_else(|| panic!("{result}"));
    assert_eq!(role, "assistant", "{result}");
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{result}"))
}

#[test]
fn an_agent_remembers_and_its_plan_and_text_are_kept() {
    let Some(d) = start("an_agent_remembers", &[]) else { return };
    assert_eq!(answer(&send(&d, "talk")), json!({ "prompts": 1, "before": [], "loaded": false }));
    // The same process gets the next message.
    let second = send(&d, "talk");
    assert_eq!(answer(&second)["prompts"], 2);
    assert_eq!(
        (&second["session"]["status"], &second["session"]["ended"]),
        (&json!("idle"), &json!("end_turn"))
    );
    // Every message is approved, and shown.
    let questions = d.questions.lock().unwrap().clone();
    assert_eq!(questions.len(), 2, "{questions:?}");
    assert!(questions[1].contains("agent.mjs") && questions[1].contains("talk"), "{questions:?}");

    let planned = send(&d, "plan");
    assert_eq!(
        contents(&planned),
        [("tool", "Read app.py gnp"), ("assistant", "It is red.")],
        "text without what a terminal obeys"
    );
    let tool = &planned["messages"][0];
    assert_eq!((&tool["kind"], &tool["status"]), (&json!("read"), &json!("completed")));
    let all = history(&d);
    assert_eq!(
        all["plan"],
        json!([
            { "content": "Read it", "status": "completed", "priority": "high" },
            { "content": "Change it", "status": "pending", "priority": "low" },
        ])
    );
    let plan = json!({ "tool": "ide_plan_status", "arguments": { "sessionId": "s1" }, "dialect": "go-ai" });
    let plan = d.server.must("call", plan);
    assert_eq!(
        (&plan["status"], &plan["steps"][0]["name"]),
        (&json!("pending"), &json!("Read it"))
    );

    // Pages, and what is new.
    let numbers: Vec<i64> = all["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers.len(), 7);
    let page = d.server.must("session_history", json!({ "session": "s1", "limit": 3 }));
    assert_eq!(page["messages"][0]["number"], numbers[4]);
    let earlier = json!({ "session": "s1", "limit": 9, "cursor": page["next_cursor"] });
    let earlier = d.server.must("session_history", earlier);
    assert_eq!(earlier["messages"][3]["number"], numbers[3]);
    assert_eq!(earlier["next_cursor"], Value::Null);
    let new = d.server.must("session_history", json!({ "session": "s1", "after": numbers[5] }));
    assert_eq!(contents(&new), [("assistant", "It is red.")]);
}

#[test]
fn edits_and_permissions_are_decided_as_everywhere() {
    let Some(d) = start("edits_and_permissions", &[]) else { return };
    d.server.open_file("app.py");
    let edited = send(&d, "edit");
    assert_eq!(d.server.buffer("app.py"), "first = 10\nsecond = 2\n");
    assert_eq!(contents(&edited).last().unwrap(), &("assistant", "I have edited it."));
    *d.answer.lock().unwrap() = "Deny";
    let done = send(&d, "ask");
    let all = contents(&done);
    assert!(
        all.iter().any(|(role, text)| *role == "system" && text.contains("E_DENIED")),
        "{all:?}"
    );
    assert_eq!(all.last().unwrap(), &("assistant", "no yes no"));
    d.server.must("undo_action", json!({ "action": format!("session-s1-{}", edited["number"]) }));
    assert_eq!(d.server.buffer("app.py"), "first = 1\nsecond = 2\n");
}

#[test]
fn an_agent_that_can_load_its_session_does_after_a_restart() {
    let Some(d) = start("an_agent_that_can_load", &["load"]) else { return };
    assert_eq!(answer(&send(&d, "talk"))["loaded"], false);
    let d = d.restart();
    let listed = d.server.must("session_list", json!({}));
    assert_eq!(
        (&listed["sessions"][0]["name"], &listed["sessions"][0]["status"]),
        (&json!("Work"), &json!("idle"))
    );
    let done = send(&d, "talk");
    assert_eq!(answer(&done), json!({ "prompts": 1, "before": [], "loaded": true }));
    assert!(contents(&done)[0].1.contains("loaded this session"), "{done}");
    assert!(!history(&d).to_string().contains("This was said before."), "what it repeats is known");
}

#[test]
fn an_agent_that_cannot_gets_a_recap() {
    let Some(d) = start("an_agent_that_cannot", &[]) else { return };
    send(&d, "plan");
    let d = d.restart();
    let done = send(&d, "talk");
    let before = answer(&done)["before"][0].as_str().unwrap().to_owned();
    assert!(before.contains("The user: plan") && before.contains("You: It is red."), "{before}");
    assert!(!before.contains("The user: talk"), "{before}");
    assert!(contents(&done)[0].1.contains("a recap of 2 messages"), "{done}");
    // Again in the same process: no recap.
    assert_eq!(answer(&send(&d, "talk"))["before"], json!([]));
}

#[test]
fn a_crash_is_recorded_and_the_session_goes_on() {
    let Some(d) = start("a_crash_is_recorded", &[]) else { return };
    let done = send(&d, "crash");
    assert_eq!(done["session"]["status"], "failed");
    let all = contents(&done);
    let (role, text) = all.last().unwrap();
    assert_eq!(*role, "system");
    assert!(
        text.contains("ended before it had finished") && text.contains("the agent has a bug"),
        "{text}"
    );
    let done = send(&d, "talk");
    assert_eq!(
        (&answer(&done)["prompts"], &done["session"]["status"]),
        (&json!(1), &json!("idle"))
    );
}

#[test]
fn a_turn_goes_on_in_the_background_and_is_ended() {
    let Some(d) = start("a_turn_goes_on", &[]) else { return };
    let sent = d.server.must("session_send", json!({ "session": "s1", "message": "turns" }));
    assert_eq!(sent["session"]["status"], "working");
    let again = json!({ "session": "s1", "message": "talk" });
    d.server.must_fail("session_send", again, "E_CONFLICT");
    // What grows is seen before the turn ends.
    wait_for("a message", || history(&d).to_string().contains("Step 2. ").then_some(()));
    let stopped = json!({ "session": "s1", "stop": true, "wait_ms": 60_000 });
    let stopped = d.server.must("session_send", stopped);
    assert_eq!(
        (&stopped["session"]["status"], &stopped["session"]["ended"]),
        (&json!("idle"), &json!("cancelled"))
    );
    // It has listened, so its process goes on.
    assert_eq!(answer(&send(&d, "talk"))["prompts"], 2);
    // One that does not listen is killed.
    d.server.must("session_send", json!({ "session": "s1", "message": "hang" }));
    let mark = d.server.outside();
    let mark = mark.to_str().unwrap();
    wait_for("the agent's child", || runs(&format!("sleep 1000 # {mark}")).then_some(()));
    let stopped =
        d.server.must("session_send", json!({ "session": "s1", "stop": true, "wait_ms": 60_000 }));
    assert_eq!(stopped["session"]["ended"], "cancelled");
    assert!(ends(mark), "a process was left");
}

#[test]
fn a_flood_of_messages_is_bounded() {
    let Some(d) = start("a_flood_of_messages", &[]) else { return };
    d.server.must("session_send", json!({ "session": "s1", "message": "flood" }));
    let done = json!({ "session": "s1", "wait_ms": 240_000 });
    let flood = d.server.start_tool("session_send", done);
    d.server.must("read_file", json!({ "path": "app.py" }));
    let done = flood.wait(Duration::from_secs(260)).unwrap();
    assert_eq!(done["session"]["ended"], "end_turn");
    let message = done["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(message["truncated"], true);
    assert!(message["content"].as_str().unwrap().len() <= 32 << 10);
}

#[test]
fn a_killed_server_leaves_an_interrupted_session() {
    let Some(d) = start("a_killed_server", &[]) else { return };
    d.server.must("session_send", json!({ "session": "s1", "message": "hang" }));
    let mark = d.server.outside();
    let mark = mark.to_str().unwrap();
    wait_for("the agent's child", || runs(&format!("sleep 1000 # {mark}")).then_some(()));
    // Another server sees that it works, and does not end it.
    let other = d.server.second_server();
    let seen = other.must("session_list", json!({}));
    assert_eq!(seen["sessions"][0]["status"], "working");
    other.must_fail("session_send", json!({ "session": "s1", "stop": true }), "E_UNAVAILABLE");
    d.server.process().unwrap().kill();
    let interrupted = || {
        let seen = other.must("session_list", json!({}));
        (seen["sessions"][0]["status"] == "interrupted").then_some(())
    };
    wait_for("the end of the server", interrupted);
    assert!(ends(mark), "a process was left");
}
