//! Displays that are not there, or do not answer.

use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::session::{ALLOW, Session};

#[test]
fn without_a_display_the_error_says_why() {
    let none = Session::start(ALLOW, &[], |_| "Deny");
    for (tool, params) in [
        ("list_windows", json!({})),
        ("screenshot", json!({})),
        ("focus_window", json!({ "window_id": "0x400001" })),
        ("key_press", json!({ "key": "a" })),
        ("text_insert", json!({ "text": "a" })),
        ("mouse_click", json!({ "x": 1, "y": 1 })),
        ("mouse_act", json!({ "action": "move", "x": 1, "y": 1 })),
        ("detect_elements", json!({})),
        ("element_act", json!({ "element": "1.5/3#00ff" })),
        ("wait_for_screen", json!({ "text": "a" })),
    ] {
        let message = none.refused(tool, params, "E_UNAVAILABLE");
        assert!(message.contains("DISPLAY is not set"), "{message}");
    }
    let wayland = Session::start(ALLOW, &[("WAYLAND_DISPLAY", "wayland-0")], |_| "Deny");
    let message = wayland.refused("screenshot", json!({}), "E_UNAVAILABLE");
    assert!(message.contains("Wayland"), "{message}");
    let ended = Session::start(ALLOW, &[("DISPLAY", ":59999")], |_| "Deny");
    ended.refused("list_windows", json!({}), "E_UNAVAILABLE");
    let odd = Session::start(ALLOW, &[("DISPLAY", "no display")], |_| "Deny");
    odd.refused("list_windows", json!({}), "E_UNAVAILABLE");
}

#[test]
fn a_display_that_hangs_is_given_up() {
    // Nobody uses so high a number; the process's id keeps two runs apart.
    let number = 20_000 + std::process::id() % 10_000;
    std::fs::create_dir_all("/tmp/.X11-unix").unwrap();
    let path = format!("/tmp/.X11-unix/X{number}");
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    let session = Session::start(ALLOW, &[("DISPLAY", &format!(":{number}"))], |_| "Deny");
    let started = Instant::now();
    session.refused("list_windows", json!({}), "E_TIMEOUT");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    drop(listener);
    std::fs::remove_file(path).unwrap();
}
