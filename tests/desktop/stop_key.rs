//! The key that stops all input of agents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tests::{Desktop, wait_for};

use crate::session::{ALLOW, Session, desktop};

fn listening(desktop: &mut Desktop, title: &str) -> std::path::PathBuf {
    let file = desktop.folder().join(title);
    desktop.terminal(title, &[], &format!("cat > '{}'", file.display()));
    wait_for("the file of the terminal", || file.exists().then_some(()));
    file
}

/// The person presses a key, whichever program has the focus.
fn press(desktop: &Desktop, key: &str) {
    assert!(desktop.command(&["/usr/bin/xdotool", "key", key]).status().unwrap().success());
}

#[test]
fn one_key_stops_all_input_until_the_person_allows_it() {
    let Some(mut desktop) = desktop("one_key_stops_all_input_until_the_person_allows_it") else {
        return;
    };
    let allows = Arc::new(AtomicBool::new(false));
    let answer = Arc::clone(&allows);
    let environment = [("DISPLAY", desktop.display.clone())];
    let environment = [(environment[0].0, environment[0].1.as_str())];
    // Rules allow everything on the desktop; they do not count after a stop.
    let rules = format!("{ALLOW}[desktop]\nidle_ms = 100\n").replace("desktop/*", "*");
    let session = Session::start(&rules, &environment, move |_| {
        if answer.load(Ordering::Relaxed) { "Allow for this session" } else { "Deny" }
    });
    let other = Session::start(&rules, &environment, |_| "Deny");
    let file = listening(&mut desktop, "typed");
    let id = session.focused("typed");
    let text = "0123456789".repeat(5);
    let stopped = std::thread::scope(|scope| {
        let typing = scope.spawn(|| {
            session
                .try_call("text_insert", json!({ "text": text, "delay_ms": 60, "window_id": id }))
        });
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        press(&desktop, "ctrl+alt+Escape");
        typing.join().unwrap()
    });
    let error = stopped.unwrap_err();
    assert_eq!(error.code, "E_DENIED", "{error:?}");
    assert!(
        error.message.contains("stop key") && error.message.contains("of 50 characters"),
        "{error:?}"
    );

    // All tools that send something, in each server, whatever the rules are.
    let window = json!({ "window_id": id });
    for (tool, params) in [
        ("key_press", json!({ "key": "a", "window_id": id })),
        ("text_insert", json!({ "text": "a", "window_id": id })),
        ("mouse_click", json!({ "x": 5, "y": 5, "window_id": id })),
        ("focus_window", window.clone()),
        ("clipboard_write", json!({ "text": "a" })),
    ] {
        session.refused(tool, params.clone(), "E_DENIED");
        other.refused(tool, params, "E_DENIED");
    }
    session.call("list_windows", json!({}));
    session.call("screenshot", window);
    let questions = session.questions();
    assert!(questions[0].contains("you stopped all input by the stop key"), "{questions:?}");

    // Once they allow it, it goes on in each server.
    allows.store(true, Ordering::Relaxed);
    session.call("key_press", json!({ "key": "ctrl+u", "window_id": id }));
    other.call("text_insert", json!({ "text": "on\n", "window_id": id }));
    wait_for("the text", || (std::fs::read_to_string(&file).unwrap() == "on\n").then_some(()));

    // An answer is for one stop.
    allows.store(false, Ordering::Relaxed);
    press(&desktop, "Pause");
    wait_for("the stop", || {
        let pressed = session.try_call("key_press", json!({ "key": "a", "window_id": id }));
        pressed.is_err_and(|error| error.code == "E_DENIED").then_some(())
    });
    // An agent cannot press it, and other keys do not count.
    session.refused("key_press", json!({ "key": "Pause" }), "E_INVALID_PARAMS");
}

#[test]
fn the_settings_choose_the_key() {
    let Some(mut desktop) = desktop("the_settings_choose_the_key") else { return };
    desktop.terminal("one", &[], "sleep 1000");
    let display = desktop.display.clone();
    let start = |keys: &str| {
        let settings = format!("{ALLOW}[desktop]\nstop_keys = {keys}\nidle_ms = 0\n");
        Session::start(&settings, &[("DISPLAY", &display)], |_| "Deny")
    };
    let session = start("[\"F9\"]");
    let id = session.focused("one");
    let press_a = json!({ "key": "a", "window_id": id });
    session.call("key_press", press_a.clone());
    press(&desktop, "Pause");
    session.call("key_press", press_a.clone());
    press(&desktop, "F9");
    wait_for("the stop", || session.try_call("key_press", press_a.clone()).err());
    let wrong = start("[\"hyper+nothing\"]");
    let message = wrong.refused("key_press", press_a, "E_UNAVAILABLE");
    assert!(message.contains("desktop.stop_keys"), "{message}");
}
