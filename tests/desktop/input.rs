//! Keys, text and clicks, and that they reach no other window.

use serde_json::json;
use tests::{Desktop, wait_for};

use crate::session::{Session, desktop};

/// Text of many scripts in lines that a terminal takes.
fn mixed(length: usize) -> String {
    let alphabet: Vec<char> = "abcXYZ019 .,;:-_#'+*~{}[]()<>|@\"$%&/=?!\\^`äöüÄÖÜßéèêñçøåœæžšđ€£¥§°ΑΩλπБЖяэ中文字日本語한국어אבגकखग✓→≤∞😀🚀"
        .chars()
        .collect();
    let mut state = 12_345_u32;
    let mut text = String::new();
    for index in 0..length {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push(if index % 60 == 59 {
            '\n'
        } else {
            alphabet[(state >> 8) as usize % alphabet.len()]
        });
    }
    text.push('\n');
    text
}

/// A terminal that writes what is typed into a file.
fn listen(desktop: &mut Desktop, title: &str) -> std::path::PathBuf {
    let file = desktop.folder().join(title);
    desktop.terminal(title, &[], &format!("cat > '{}'", file.display()));
    wait_for("the file of the terminal", || file.exists().then_some(()));
    file
}

/// The keyboard's symbols, as another program sees them.
fn keyboard(desktop: &Desktop) -> Vec<u8> {
    desktop
        .command(&["/usr/bin/xkbcomp", &desktop.display, "-"])
        .stdout(std::process::Stdio::piped())
        .output()
        .unwrap()
        .stdout
}

#[test]
fn text_is_typed_exactly_and_the_keyboard_stays_as_it_was() {
    let Some(mut desktop) = desktop("text_is_typed_exactly_and_the_keyboard_stays_as_it_was")
    else {
        return;
    };
    let session = Session::on(&desktop);
    let file = listen(&mut desktop, "typed");
    let id = session.focused("typed");
    let before = keyboard(&desktop);
    let text = mixed(1_000);
    let result = session.call("text_insert", json!({ "text": text, "window_id": id }));
    assert_eq!(result["typed"], text.chars().count());
    session.call("text_insert", json!({ "text": "slow\n", "delay_ms": 5, "window_id": id }));
    let wanted = format!("{text}slow\n");
    let typed = wait_for("the text", || {
        let typed = std::fs::read_to_string(&file).ok()?;
        (typed.lines().count() >= wanted.lines().count()).then_some(typed)
    });
    assert_eq!(typed, wanted);
    assert!(!before.is_empty());
    assert!(before == keyboard(&desktop), "the keyboard has changed");

    session.call("key_press", json!({ "key": "x", "modifiers": ["shift"], "window_id": id }));
    session.call("key_press", json!({ "key": "é", "count": 2 }));
    session.call("key_press", json!({ "key": "Enter" }));
    wait_for("the keys", || {
        std::fs::read_to_string(&file).unwrap().ends_with("slow\nXéé\n").then_some(())
    });
    session.refused("text_insert", json!({ "text": "\u{1b}[A" }), "E_INVALID_PARAMS");
    session.refused("key_press", json!({ "key": "nothing" }), "E_INVALID_PARAMS");
    session.call("key_press", json!({ "key": "ctrl+d", "window_id": id }));
    wait_for("the end of the terminal", || {
        session.call("list_windows", json!({}))["windows"]
            .as_array()
            .unwrap()
            .is_empty()
            .then_some(())
    });
    session.refused("key_press", json!({ "key": "a", "window_id": id }), "E_NO_MATCH");
    session.refused("key_press", json!({ "key": "a" }), "E_CONFLICT");
}

#[test]
fn input_reaches_no_other_window() {
    let Some(mut desktop) = desktop("input_reaches_no_other_window") else { return };
    let session = Session::on(&desktop);
    let (mine, other) = (listen(&mut desktop, "mine"), listen(&mut desktop, "other"));
    let id = session.focused("mine");
    session.focused("other");
    for (tool, params) in [
        ("text_insert", json!({ "text": "stray\n", "window_id": id })),
        ("key_press", json!({ "key": "Enter", "window_id": id })),
        ("mouse_click", json!({ "x": 5, "y": 5, "window_id": id })),
    ] {
        let message = session.refused(tool, params, "E_CONFLICT");
        assert!(message.contains("does not have the focus"), "{message}");
    }

    // The focus moves while a text is typed: the rest is not.
    let id = session.focused("mine");
    let text = "0123456789".repeat(5);
    let stolen = std::thread::scope(|scope| {
        let typing = scope.spawn(|| {
            session
                .try_call("text_insert", json!({ "text": text, "delay_ms": 40, "window_id": id }))
        });
        std::thread::sleep(std::time::Duration::from_millis(1_200));
        let words = ["/usr/bin/xdotool", "search", "--name", "^other$", "windowactivate"];
        assert!(desktop.command(&words).status().unwrap().success());
        typing.join().unwrap()
    });
    let error = stolen.unwrap_err();
    assert_eq!(error.code, "E_CONFLICT", "{error:?}");
    session.focused("mine");
    session.call("key_press", json!({ "key": "Enter" }));
    let line = wait_for("the line", || {
        let typed = std::fs::read_to_string(&mine).unwrap();
        typed.ends_with('\n').then_some(typed)
    });
    let typed = line.trim_end();
    assert!(text.starts_with(typed) && typed.len() < text.len(), "{typed}");
    assert!(error.message.contains(&format!("({} of 50 characters", typed.len())), "{error:?}");
    assert_eq!(std::fs::read_to_string(other).unwrap(), "");
}

#[test]
fn the_mouse_clicks_what_the_window_shows() {
    let Some(mut desktop) = desktop("the_mouse_clicks_what_the_window_shows") else { return };
    let session = Session::on(&desktop);
    // The terminal reports clicks and turns of the wheel as text.
    let file = desktop.folder().join("clicks");
    let line = format!(
        "stty raw -echo; printf '\\033[?1000h\\033[?1006h'; exec cat > '{}'",
        file.display()
    );
    desktop.terminal("clicks", &["-geometry", "60x20+100+100"], &line);
    let id = session.focused("clicks");
    wait_for("the terminal", || file.exists().then_some(()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    session.call("mouse_click", json!({ "x": 20, "y": 30, "window_id": id }));
    session.call("mouse_click", json!({ "x": 20, "y": 30, "window_id": id, "button": "right" }));
    session.call(
        "mouse_act",
        json!({ "action": "scroll", "x": 20, "y": 30, "down": 2, "window_id": id }),
    );
    session.call(
        "mouse_act",
        json!({ "action": "drag", "x": 20, "y": 30, "to_x": 90, "to_y": 30, "window_id": id }),
    );
    let reports = wait_for("the reports of the terminal", || {
        let reports = std::fs::read_to_string(&file).unwrap();
        (reports.matches('m').count() >= 3).then_some(reports)
    });
    let kinds: Vec<&str> =
        reports.split("\u{1b}[<").skip(1).map(|report| report.split(';').next().unwrap()).collect();
    // Left pressed and released, right, the wheel twice, left from one place to another.
    assert_eq!(kinds, ["0", "0", "2", "2", "65", "65", "0", "0"], "{reports:?}");
    session.refused(
        "mouse_click",
        json!({ "x": 5_000, "y": 5, "window_id": id }),
        "E_INVALID_PARAMS",
    );
    // Beside the window.
    session.refused("mouse_click", json!({ "x": 1_200, "y": 700 }), "E_CONFLICT");
    session.refused("mouse_act", json!({ "action": "drag", "x": 1, "y": 1 }), "E_INVALID_PARAMS");
}
