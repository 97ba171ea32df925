//! The clipboard, between Tandem and a GTK program.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Desktop, wait_for};

use crate::session::{Session, desktop};

/// An editor with a file, its window and the file.
fn editor(desktop: &mut Desktop, session: &Session, name: &str, text: &str) -> (String, PathBuf) {
    let file = desktop.folder().join(name);
    std::fs::write(&file, text).unwrap();
    desktop.run(&["/usr/bin/l3afpad", file.to_str().unwrap()]);
    let id = session.focused(name);
    session.call("wait_for_screen", json!({ "window_id": id, "stable_ms": 300 }));
    (id, file)
}

/// Long lines of a text that is larger than a piece of the clipboard, of Tandem's and of GTK's. They are few: the
/// editor is not to be busy with drawing them.
fn large() -> String {
    (0..1_500).map(|line| format!("line {line}: äö€ {}\n", "0123456789 ".repeat(20))).collect()
}

/// The whole text, which comes in parts if it is large.
fn read(session: &Session, selection: &str) -> String {
    let mut text = String::new();
    let mut offset = json!(0);
    loop {
        let params = json!({ "selection": selection, "offset": offset });
        let part = session.call("clipboard_read", params);
        text.push_str(part["text"].as_str().unwrap());
        match part.get("next_offset") {
            Some(next) => offset = next.clone(),
            None => return text,
        }
    }
}

#[test]
fn texts_go_to_and_from_a_program_also_large_ones() {
    let Some(mut desktop) = desktop("texts_go_to_and_from_a_program_also_large_ones") else {
        return;
    };
    let session = Session::on(&desktop);
    assert_eq!(session.call("clipboard_read", json!({}))["empty"], true);

    // From the program: a short text, then one in pieces.
    let large = large();
    let (from, _) = editor(&mut desktop, &session, "from.txt", &large);
    session.call("key_press", json!({ "key": "ctrl+a", "window_id": from }));
    session.call("key_press", json!({ "key": "ctrl+c", "window_id": from }));
    wait_for("the copy", || {
        session.call("wait_for_screen", json!({ "window_id": from, "stable_ms": 300 }));
        let is_empty = session.call("clipboard_read", json!({}))["empty"] == true;
        (!is_empty && read(&session, "clipboard") == large).then_some(())
    });
    // A selected text is the other clipboard.
    assert!(read(&session, "primary") == large);

    // To the program, and to another server.
    let (to, file) = editor(&mut desktop, &session, "to.txt", "");
    for text in ["Grüße, 日本 😀\n", &large] {
        session.call("clipboard_write", json!({ "text": text }));
        let other = Session::on(&desktop);
        assert!(read(&other, "clipboard") == text);
        session.focused("to.txt");
        session.call("key_press", json!({ "key": "ctrl+a", "window_id": to }));
        session.call("key_press", json!({ "key": "ctrl+v", "window_id": to }));
        session.call("wait_for_screen", json!({ "window_id": to, "stable_ms": 300 }));
        session.call("key_press", json!({ "key": "ctrl+s", "window_id": to }));
        wait_for("the saved text", || {
            (std::fs::read_to_string(&file).unwrap() == text).then_some(())
        });
        session.call("wait_for_screen", json!({ "window_id": to, "stable_ms": 300 }));
        session.focused("to.txt");
    }

    // The program takes the clipboard back, and hangs.
    session.call("key_press", json!({ "key": "ctrl+a", "window_id": to }));
    session.call("key_press", json!({ "key": "ctrl+c", "window_id": to }));
    let pid =
        session.call("list_windows", json!({ "filter": "to.txt" }))["windows"][0]["pid"].clone();
    let signal = |name: &str| {
        let words = ["-c", &format!("kill -{name} {pid}")];
        assert!(std::process::Command::new("sh").args(words).status().unwrap().success());
    };
    signal("STOP");
    let begun = Instant::now();
    let message = session.refused("clipboard_read", json!({}), "E_TIMEOUT");
    assert!(message.contains("does not answer"), "{message}");
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    signal("CONT");
    session.refused("clipboard_write", json!({ "text": "x".repeat(2 << 20) }), "E_TOO_LARGE");
}

#[test]
fn the_person_is_asked_about_the_clipboard() {
    let Some(desktop) = desktop("the_person_is_asked_about_the_clipboard") else { return };
    let session = Session::start("", &[("DISPLAY", &desktop.display)], |_| "Deny");
    session.refused("clipboard_read", json!({}), "E_DENIED");
    session.refused("clipboard_write", json!({ "text": "rm -rf /" }), "E_DENIED");
    let questions = session.questions();
    assert!(questions[0].contains("desktop/clipboard/read/clipboard"), "{questions:?}");
    assert!(questions[1].contains("| rm -rf /"), "{questions:?}");
}
