//! Windows and pictures of them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::session::{Session, decoded, desktop};

#[test]
fn windows_are_listed_focused_and_captured_also_when_covered() {
    let Some(mut desktop) = desktop("windows_are_listed_focused_and_captured_also_when_covered")
    else {
        return;
    };
    let session = Session::on(&desktop);
    assert_eq!(session.call("list_windows", json!({}))["windows"], json!([]));
    let options = |color: &'static str| {
        ["-bg", color, "-fg", color, "-cr", color, "-geometry", "60x20+50+60"]
    };
    desktop.terminal("first", &options("#204060"), "sleep 1000");
    let first = session.window("first");
    let id = first["id"].as_str().unwrap();
    assert_eq!(first["app"], "XTerm");
    assert!(first["pid"].is_u64(), "{first}");

    // A picture of it alone, and one when another is in front.
    let alone = session.picture(json!({ "window_id": id }));
    assert_eq!(
        (u64::from(alone.0), u64::from(alone.1)),
        (first["width"].as_u64().unwrap(), first["height"].as_u64().unwrap())
    );
    let middle = |picture: &(u32, u32, Vec<u8>)| {
        let at = (picture.1 / 2 * picture.0 + picture.0 / 2) as usize * 3;
        picture.2[at..at + 3].to_vec()
    };
    assert_eq!(middle(&alone), [0x20, 0x40, 0x60]);
    desktop.terminal("second", &options("#a05010"), "sleep 1000");
    session.focused("second");
    let place = (first["x"].as_i64().unwrap(), first["y"].as_i64().unwrap());
    let region =
        json!({ "x": place.0, "y": place.1, "width": first["width"], "height": first["height"] });
    let seen = session.picture(json!({ "region": region }));
    assert_eq!(middle(&seen), [0xa0, 0x50, 0x10], "the screen shows what is in front");
    let covered = session.picture(json!({ "window_id": id }));
    assert_eq!(middle(&covered), [0x20, 0x40, 0x60], "a picture of a window shows what is covered");
    session.focused("first");
    let windows = session.call("list_windows", json!({ "filter": "xterm" }))["windows"].clone();
    let titles: Vec<_> = windows
        .as_array()
        .unwrap()
        .iter()
        .map(|window| (&window["title"], &window["focused"]))
        .collect();
    assert_eq!(titles, [(&json!("first"), &json!(true)), (&json!("second"), &json!(false))]);

    // The whole screen, shrunk to a budget, and stored.
    let whole = session.call("screenshot", json!({ "max_tokens": 300 }));
    let scale = whole["scale"].as_f64().unwrap();
    assert!((scale - (300.0 * 750.0 / (1280.0 * 800.0_f64)).sqrt()).abs() < 0.001, "{scale}");
    assert_eq!(whole["width"], (1280.0 * scale).round() as u64);
    for (format, magic) in [("png", &b"\x89PNG"[..]), ("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF")]
    {
        let result = session.call("screenshot", json!({ "format": format, "region": region }));
        let bytes = STANDARD.decode(result["data"].as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(magic), "{format}");
        assert_eq!((&result["format"], &result["x"]), (&json!(format), &json!(place.0)));
    }
    session.call("screenshot", json!({ "path": "shots/screen.png" }));
    let stored = decoded(&std::fs::read(session.home.root().join("shots/screen.png")).unwrap());
    assert_eq!((stored.0, stored.1), (1280, 800));
    session.refused("screenshot", json!({ "path": "shots/screen.png" }), "E_EXISTS");

    session.refused("screenshot", json!({ "window_id": "0x99" }), "E_NO_MATCH");
    session.refused("focus_window", json!({ "window_id": "second" }), "E_INVALID_PARAMS");
    let outside = json!({ "x": 5000, "y": 0, "width": 5, "height": 5 });
    session.refused("screenshot", json!({ "region": outside }), "E_INVALID_PARAMS");
}

#[test]
fn each_window_is_asked_about_once_a_session() {
    let Some(mut desktop) = desktop("each_window_is_asked_about_once_a_session") else { return };
    desktop.terminal("one", &[], "sleep 1000");
    let display = [("DISPLAY", desktop.display.as_str())];
    let denied = Session::start("", &display, |_| "Deny");
    let id = denied.window("one")["id"].clone();
    denied.refused("screenshot", json!({}), "E_DENIED");
    denied.refused("focus_window", json!({ "window_id": id }), "E_DENIED");
    denied.refused("text_insert", json!({ "text": "hello", "window_id": id }), "E_DENIED");
    let questions = denied.questions();
    assert!(
        questions[0].contains("screenshot wants to use the desktop: desktop/view/screen"),
        "{questions:?}"
    );
    let text = &questions[2];
    assert!(
        text.contains("desktop/input/XTerm/")
            && text.contains("| hello")
            && text.contains("\"one\""),
        "{text}"
    );

    let allowed = Session::start("", &display, |_| "Allow for this session");
    allowed.call("focus_window", json!({ "window_id": id }));
    allowed.call("text_insert", json!({ "text": "hello", "window_id": id }));
    allowed.call("key_press", json!({ "key": "ctrl+u" }));
    assert_eq!(allowed.questions().len(), 1, "{:?}", allowed.questions());
    let rule = "[policy.deny]\nadmin = [\"desktop/input/xterm/*\"]\n[policy.allow]\nadmin = [\"desktop/*\"]\n";
    let ruled = Session::start(rule, &display, |_| "Allow for this session");
    ruled.call("screenshot", json!({}));
    ruled.refused("key_press", json!({ "key": "a", "window_id": id }), "E_DENIED");
}
