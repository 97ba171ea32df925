//! Elements of windows, and what is done with them.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Desktop, wait_for};

use crate::session::{Session, desktop};

/// A form with a field, a check box, a list and two buttons. What was entered is written to the file of the title.
fn form(desktop: &mut Desktop, title: &str) -> std::path::PathBuf {
    let file = desktop.folder().join(title);
    let line = format!(
        "yad --title={title} --form --text='Please fill in' --field=Name --field=Gift:CHK --field=Size:CB '' FALSE \
         'Small!Medium!Large' --button=Order:0 --button=Cancel:1 >'{}'",
        file.display()
    );
    desktop.run(&["/bin/sh", "-c", &line]);
    file
}

/// A session with a bus on which programs report their elements.
fn accessible(test: &str) -> Option<(Desktop, Session)> {
    let mut desktop = desktop(test)?;
    desktop.report_elements();
    let session = Session::on(&desktop);
    Some((desktop, session))
}

/// The element with this type and text.
fn element<'r>(result: &'r Value, kind: &str, text: &str) -> &'r Value {
    let elements = result["elements"].as_array().unwrap();
    let is_it = |element: &&Value| element["element_type"] == kind && element["text"] == text;
    elements.iter().find(is_it).unwrap_or_else(|| panic!("{kind} {text}: {result}"))
}

/// What GLib's own client reads of an object; the text between the brackets of its tuple.
fn gdbus(
    desktop: &Desktop,
    (name, path): (&str, &str),
    method: &str,
    arguments: &[&str],
) -> Option<String> {
    let address = desktop.accessibility_bus();
    let mut words = vec![
        "/usr/bin/gdbus",
        "call",
        "--address",
        &address,
        "--dest",
        name,
        "--object-path",
        path,
        "--method",
        method,
    ];
    words.extend(arguments);
    let output = desktop.command(&words).stdout(Stdio::piped()).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// The references `(':1.1', '/path')` in GLib's text of a list.
fn references(text: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = text.split('\'').collect();
    let names: Vec<&str> = words.iter().copied().skip(1).step_by(2).collect();
    names
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[name, path]| ((*name).to_owned(), (*path).to_owned()))
        .collect()
}

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";

/// Role, name and place of all visible elements below one, by another client and one call after the other.
fn walk(desktop: &Desktop, of: (&str, &str), found: &mut BTreeSet<String>) {
    let method = |name: &str| gdbus(desktop, of, &format!("{ACCESSIBLE}.{name}"), &[]).unwrap();
    let states: Vec<u32> = method("GetState")
        .trim_matches(|c| "([,])".contains(c))
        .split(", ")
        .map(|number| number.trim_start_matches("uint32 ").parse().unwrap())
        .collect();
    // Showing and visible.
    if states[0] & (1 << 25) == 0 || states[0] & (1 << 30) == 0 {
        return;
    }
    let role = method("GetRoleName");
    let get = "org.freedesktop.DBus.Properties.Get";
    let name = gdbus(desktop, of, get, &[ACCESSIBLE, "Name"]).unwrap();
    let place = gdbus(desktop, of, "org.a11y.atspi.Component.GetExtents", &["0"]).unwrap();
    let quoted = |text: &str| text.split('\'').nth(1).unwrap_or_default().to_owned();
    found.insert(format!(
        "{} {:?} {}",
        quoted(&role),
        quoted(&name),
        place.trim_matches(|c| "(,)".contains(c))
    ));
    for (name, path) in references(&method("GetChildren")) {
        walk(desktop, (&name, &path), found);
    }
}

#[test]
fn all_visible_elements_of_a_window_are_listed() {
    let Some((mut desktop, session)) = accessible("all_visible_elements_of_a_window_are_listed")
    else {
        return;
    };
    form(&mut desktop, "order");
    let window = session.window("order");
    let id = &window["id"];
    let result = wait_for("the elements", || {
        let result =
            session.call("detect_elements", json!({ "window_id": id, "element_types": ["all"] }));
        (result["method"] == "accessibility").then_some(result)
    });
    let start = |name: &str| window[name].as_i64().unwrap();
    let own: BTreeSet<String> = result["elements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|element| {
            let place = &element["bounding_box"];
            // The other client has the name alone, without the content of a field.
            let name =
                if element["element_type"] == "input" { &Value::Null } else { &element["text"] };
            format!(
                "{} {:?} {}, {}, {}, {}",
                element["role"].as_str().unwrap(),
                name.as_str().unwrap_or_default(),
                place["x"].as_i64().unwrap() + start("x"),
                place["y"].as_i64().unwrap() + start("y"),
                place["width"],
                place["height"]
            )
        })
        .collect();
    let root = "/org/a11y/atspi/accessible/root";
    let registry = ("org.a11y.atspi.Registry", root);
    let programs = gdbus(&desktop, registry, &format!("{ACCESSIBLE}.GetChildren"), &[]).unwrap();
    let mut other = BTreeSet::new();
    for (name, path) in references(&programs) {
        let windows =
            gdbus(&desktop, (&name, &path), &format!("{ACCESSIBLE}.GetChildren"), &[]).unwrap();
        references(&windows)
            .iter()
            .for_each(|(name, path)| walk(&desktop, (name, path), &mut other));
    }
    assert!(other.len() >= 12, "{other:?}");
    assert_eq!(own, other);

    let listed = session.call("detect_elements", json!({ "window_id": id }));
    let kinds: Vec<_> = listed["elements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|element| {
            (element["element_type"].as_str().unwrap(), element["text"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("text", "Please fill in"),
            ("text", "Name"),
            ("input", "Name"),
            ("checkbox", "Gift"),
            ("text", "Size"),
            ("select", "Small"),
            ("button", "Order"),
            ("button", "Cancel"),
        ]
    );
    // Without a window, the coordinates are of the screen.
    let buttons = session.call("detect_elements", json!({ "element_types": ["button"] }));
    let x =
        |result: &Value| element(result, "button", "Order")["bounding_box"]["x"].as_i64().unwrap();
    assert_eq!(x(&buttons), x(&listed) + start("x"));
    let filtered = session.call("detect_elements", json!({ "window_id": id, "text": "cAnc" }));
    assert_eq!(filtered["elements"].as_array().unwrap().len(), 1, "{filtered}");
}

#[test]
fn a_form_is_filled_in_by_its_elements() {
    let Some((mut desktop, session)) = accessible("a_form_is_filled_in_by_its_elements") else {
        return;
    };
    let file = form(&mut desktop, "order");
    let id = session.window("order")["id"].as_str().unwrap().to_owned();
    let detect = || session.call("detect_elements", json!({ "window_id": id }));
    let found = wait_for("the elements", || {
        let found = detect();
        (found["method"] == "accessibility").then_some(found)
    });
    let act = |element: &Value, more: Value| {
        let mut params = more;
        params["element"] = element["id"].clone();
        session.try_call("element_act", params)
    };
    let (field, gift) = (element(&found, "input", "Name"), element(&found, "checkbox", "Gift"));

    // The same conditions as for keys.
    desktop.terminal("other", &[], "sleep 1000");
    session.focused("other");
    let error = act(gift, json!({})).unwrap_err();
    assert!(
        error.code == "E_CONFLICT" && error.message.contains("does not have the focus"),
        "{error:?}"
    );
    session.focused("order");

    let set = act(field, json!({ "text": "Ann Üm" })).unwrap();
    assert_eq!(set["value"], "Ann Üm");
    let checked = act(gift, json!({ "action": "click" })).unwrap();
    assert_eq!(checked["states"], json!(["checked"]), "{checked}");
    assert_eq!(act(gift, json!({ "action": "fly" })).unwrap_err().code, "E_INVALID_PARAMS");
    let focused = act(field, json!({ "action": "focus" })).unwrap();
    assert_eq!(focused["states"], json!(["focused"]), "{focused}");
    session.call("key_press", json!({ "key": "End", "window_id": id }));
    session.call("text_insert", json!({ "text": "er", "window_id": id }));
    let typed = wait_for("the typed text", || {
        let now = element(&detect(), "input", "Name").clone();
        (now["value"] == "Ann Ümer").then_some(now)
    });
    assert_eq!(typed["id"], field["id"]);

    // An element that has become another one, or has gone.
    let (place, _) = gift["id"].as_str().unwrap().rsplit_once('#').unwrap();
    let message =
        session.refused("element_act", json!({ "element": format!("{place}#0000") }), "E_CONFLICT");
    assert!(message.contains("has become the check box \"Gift\""), "{message}");
    let button = element(&found, "button", "Order")["id"].clone();
    session.call("mouse_click", json!({ "element": button }));
    let order = wait_for("the order", || {
        let order = std::fs::read_to_string(&file).ok()?;
        (!order.is_empty()).then_some(order)
    });
    assert_eq!(order, "Ann Ümer|TRUE|Small|\n");
    session.refused("mouse_click", json!({ "element": button }), "E_NO_MATCH");
    session.refused("element_act", json!({ "element": button }), "E_NO_MATCH");
    session.refused("element_act", json!({ "element": "Order" }), "E_INVALID_PARAMS");
    session.refused(
        "mouse_click",
        json!({ "element": button, "x": 1, "y": 1 }),
        "E_INVALID_PARAMS",
    );
}

#[test]
fn an_editor_is_used_up_to_the_saved_file() {
    let Some((mut desktop, session)) = accessible("an_editor_is_used_up_to_the_saved_file") else {
        return;
    };
    desktop.run(&["/usr/bin/l3afpad"]);
    let editor = session.focused("(Untitled)");
    let text = "Minutes of the meeting\nAll agreed on blue.\n";
    session.call("text_insert", json!({ "text": text, "window_id": editor }));
    let found =
        session.call("detect_elements", json!({ "window_id": editor, "element_types": ["input"] }));
    assert_eq!(found["elements"][0]["text"], text.trim_end(), "{found}");
    session.call("key_press", json!({ "key": "ctrl+s", "window_id": editor }));
    let dialog = session.focused("Save As");
    let save = session.call(
        "wait_for_screen",
        json!({ "window_id": dialog, "element_type": "button", "text": "save as" }),
    );
    let fields =
        session.call("detect_elements", json!({ "window_id": dialog, "element_types": ["input"] }));
    let name = element(&fields, "input", "Name:");
    let file = desktop.folder().join("minutes.txt");
    session.call("element_act", json!({ "element": name["id"], "text": file.to_str().unwrap() }));
    // The button is disabled until the dialog has taken the name.
    let press = json!({ "element": save["element"]["id"] });
    wait_for("the button", || session.try_call("element_act", press.clone()).ok());
    let saved = wait_for("the file", || {
        let saved = std::fs::read_to_string(&file).ok()?;
        (!saved.is_empty()).then_some(saved)
    });
    assert_eq!(saved.trim_end(), text.trim_end());
    session.window("minutes.txt");
    let read = session.call("ocr", json!({ "window_id": editor }))["text"].clone();
    assert!(read.as_str().unwrap().contains("agreed on blue."), "{read}");
}

#[test]
fn a_program_that_hangs_or_reports_nothing_is_read_from_its_picture() {
    let test = "a_program_that_hangs_or_reports_nothing_is_read_from_its_picture";
    let Some((mut desktop, session)) = accessible(test) else { return };
    form(&mut desktop, "order");
    let window = session.window("order");
    let id = &window["id"];
    let detect = |method: &str| {
        session.try_call("detect_elements", json!({ "window_id": id, "method": method }))
    };
    // The program is waited for, then its first pictures: a window that gets the focus changes its colors.
    session.call(
        "wait_for_screen",
        json!({ "window_id": id, "element_type": "button", "text": "Cancel" }),
    );
    session.call("wait_for_screen", json!({ "window_id": id, "stable_ms": 300 }));
    let reported = detect("accessibility").unwrap();
    // What the picture shows is found in it, and says of itself that it is a guess.
    let guessed = detect("picture").unwrap();
    assert_eq!(guessed["method"], "picture");
    for name in ["Order", "Cancel"] {
        let (real, guess) = (element(&reported, "button", name), element(&guessed, "button", name));
        assert!(
            guess["confidence"].as_f64().unwrap() < 1.0 && guess.get("id").is_none(),
            "{guess}"
        );
        for side in ["x", "y", "width", "height"] {
            let side = |element: &Value| element["bounding_box"][side].as_i64().unwrap();
            assert!((side(real) - side(guess)).abs() <= 4, "{real} {guess}");
        }
    }

    let signal = |name: &str| {
        let words = ["-c", &format!("kill -{name} {}", window["pid"])];
        assert!(std::process::Command::new("sh").args(words).status().unwrap().success());
    };
    signal("STOP");
    // Reading the picture takes as long as Tesseract needs, which is no matter of the program.
    let begun = Instant::now();
    assert_eq!(detect("accessibility").unwrap_err().code, "E_UNAVAILABLE");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let hung = detect("auto").unwrap();
    assert_eq!(
        (&hung["method"], &hung["notes"]),
        (&json!("picture"), &json!(["its program does not answer"]))
    );
    assert_eq!(element(&hung, "button", "Order")["text"], "Order");
    let button = &element(&reported, "button", "Order")["id"];
    session.refused("element_act", json!({ "element": button }), "E_TIMEOUT");
    signal("CONT");

    desktop.terminal(
        "terminal",
        &["-fa", "DejaVu Sans Mono", "-fs", "14"],
        "echo 'No elements'; sleep 1000",
    );
    let terminal = session.window("terminal")["id"].clone();
    let result = session.call("detect_elements", json!({ "window_id": terminal }));
    assert_eq!(result["notes"], json!(["its program reports no elements"]));
    let screen = session.call("detect_elements", json!({}));
    assert!(screen["notes"][0].as_str().unwrap().contains("reports no elements"), "{screen}");
}

#[test]
fn without_a_bus_the_reason_is_given() {
    let Some(mut desktop) = desktop("without_a_bus_the_reason_is_given") else { return };
    let session = Session::on(&desktop);
    desktop.terminal("terminal", &[], "sleep 1000");
    let id = session.window("terminal")["id"].clone();
    let params = json!({ "window_id": id, "method": "accessibility" });
    let message = session.refused("detect_elements", params, "E_UNAVAILABLE");
    assert!(message.contains("no accessibility bus"), "{message}");
    let result = session.call("detect_elements", json!({ "window_id": id }));
    assert_eq!(result["method"], "picture");
    session.refused("element_act", json!({ "element": "1.5/3#00ff" }), "E_UNAVAILABLE");
    session.refused("detect_elements", json!({ "path": "none.png" }), "E_FILE_NOT_FOUND");
    session.refused(
        "detect_elements",
        json!({ "data": "!", "method": "accessibility" }),
        "E_INVALID_PARAMS",
    );
}
