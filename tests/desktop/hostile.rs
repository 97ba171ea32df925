//! A program that reports what no program should.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dbus::{Connection, Message, MethodCall, Value, Wait, parse_addresses};
use serde_json::json;

use crate::session::{Session, desktop};

const FOLDER: &str = "/org/a11y/atspi/accessible";
/// More children than are read.
const MANY: u32 = 20_000;

/// A window of this process on a display, by the core protocol alone. It is closed when the stream is dropped.
fn window(display: &str, title: &str) -> UnixStream {
    let mut stream =
        UnixStream::connect(format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':')))
            .unwrap();
    stream.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut head = [0; 8];
    stream.read_exact(&mut head).unwrap();
    let mut setup = vec![0; usize::from(u16::from_le_bytes([head[6], head[7]])) * 4];
    stream.read_exact(&mut setup).unwrap();
    let number = |at: usize| u32::from_le_bytes(setup[at..at + 4].try_into().unwrap());
    let vendor = usize::from(u16::from_le_bytes([setup[16], setup[17]])).next_multiple_of(4);
    let root = number(32 + vendor + usize::from(setup[21]) * 8);
    let id = number(4) + 1;
    let mut requests = vec![1, 0, 8, 0];
    for word in [id, root, 100 | 100 << 16, 300 | 200 << 16, 1 << 16, 0, 0] {
        requests.extend(word.to_le_bytes());
    }
    // WM_NAME as a STRING of bytes.
    let padded = title.len().next_multiple_of(4);
    requests.extend([18, 0]);
    requests.extend((6 + padded as u16 / 4).to_le_bytes());
    for word in [id, 39, 31, 8, title.len() as u32] {
        requests.extend(word.to_le_bytes());
    }
    requests.extend(title.bytes());
    requests.resize(requests.len() + padded - title.len(), 0);
    requests.extend([8, 0, 2, 0]);
    requests.extend(id.to_le_bytes());
    stream.write_all(&requests).unwrap();
    stream
}

fn reference(name: &str, path: &str) -> Value {
    Value::Struct(vec![name.into(), Value::Path(format!("{FOLDER}/{path}"))])
}

/// What the program answers for one of its objects.
fn answer(own: &str, other: &str, call: &Message) -> Option<Vec<Value>> {
    let path = call.path.as_deref()?.strip_prefix(FOLDER)?.trim_start_matches('/');
    let list = |children: Vec<Value>| Value::Array("(so)".to_owned(), children);
    let children = || match path {
        "root" => vec![reference(own, "frame")],
        "frame" => ["deep0", "wide", "foreign", "odd", "frame", "root", "large"]
            .map(|path| reference(own, path))
            .to_vec(),
        "wide" => (0..MANY).map(|child| reference(own, &format!("child{child}"))).collect(),
        "foreign" => vec![reference(other, "root"), reference(other, "1"), reference("org.x", "1")],
        deep if deep.starts_with("deep") => {
            let depth: u32 = deep.trim_start_matches("deep").parse().unwrap();
            vec![reference(own, &format!("deep{}", depth + 1))]
        }
        _ => Vec::new(),
    };
    Some(vec![match call.member.as_deref()? {
        "GetChildren" => list(children()),
        "GetRoleName" => match path {
            "root" => "application".into(),
            "frame" => "frame".into(),
            "odd" => "push\u{1b}[31m button".repeat(500).as_str().into(),
            _ => "push button".into(),
        },
        "GetState" => Value::Array(
            "u".to_owned(),
            vec![(1_u32 << 25 | 1 << 30 | 1 << 24).into(), 0_u32.into()],
        ),
        "GetExtents" => {
            let place: [i32; 4] = match path {
                "frame" => [100, 100, 300, 200],
                "odd" => [i32::MIN, i32::MAX, -5, 0],
                _ => [0, 0, 1280, 800],
            };
            Value::Struct(place.map(Value::from).to_vec())
        }
        "GetInterfaces" => Value::Array(
            "s".to_owned(),
            vec!["org.a11y.atspi.Text".into(), "org.a11y.atspi.Action".into()],
        ),
        "GetActions" => Value::U32(7),
        "GetText" if path == "large" => "x".repeat(9 << 20).as_str().into(),
        "GetText" => "\u{202e}a\nb\u{7}".into(),
        "Get" => match (call.body.get(1)?.as_str()?, path) {
            ("Name", "frame") => Value::from("evil").variant(),
            ("Name", "large") => Value::from("").variant(),
            ("Name", "wide") => Value::from("y\u{1b}]0;x\u{7}".repeat(1_000).as_str()).variant(),
            ("Name", path) => Value::from(path).variant(),
            // It counts fewer than it has.
            ("ChildCount", _) => Value::I32(i32::from(!path.starts_with("child"))).variant(),
            ("Parent", "frame") => reference(own, "root").variant(),
            ("Parent", "foreign") => reference(other, "1").variant(),
            // A circle.
            ("Parent", _) => reference(own, path).variant(),
            _ => return None,
        },
        _ => return None,
    }])
}

#[test]
fn a_hostile_program_is_bounded_and_cannot_pass_for_another() {
    let Some(mut desktop) = desktop("a_hostile_program_is_bounded_and_cannot_pass_for_another")
    else {
        return;
    };
    desktop.report_elements();
    let session = Session::on(&desktop);
    desktop.run(&["/usr/bin/yad", "--title=victim", "--text=Secret", "--button=Yes:0"]);
    let victim = session.window("victim")["id"].clone();
    let find = |params: serde_json::Value| session.try_call("detect_elements", params).ok();
    let found = tests::wait_for("the victim", || {
        find(json!({ "window_id": victim, "method": "accessibility", "element_types": ["button"] }))
    });
    let other = found["elements"][0]["id"]
        .as_str()
        .unwrap()
        .split('/')
        .next()
        .map(|name| format!(":{name}"))
        .unwrap();

    let _window = window(&desktop.display, "evil");
    let is_over = Arc::new(AtomicBool::new(false));
    let wait = Wait { until: Instant::now() + Duration::from_secs(10), interrupt: &is_over };
    let mut connection =
        Connection::connect(&parse_addresses(&desktop.accessibility_bus()), wait).unwrap();
    let own = connection.name().to_owned();
    let embed = MethodCall {
        destination: "org.a11y.atspi.Registry".to_owned(),
        path: format!("{FOLDER}/root"),
        interface: "org.a11y.atspi.Socket",
        member: "Embed",
        body: vec![reference(&own, "root")],
    };
    connection.call(embed, wait).unwrap();
    let interrupt = Arc::clone(&is_over);
    let name = own.clone();
    let serving = std::thread::spawn(move || {
        while !interrupt.load(Ordering::Relaxed) {
            let wait =
                Wait { until: Instant::now() + Duration::from_secs(60), interrupt: &interrupt };
            let Ok(call) = connection.receive(wait) else { continue };
            let reply = match answer(&name, &other, &call) {
                Some(body) => call.reply(body),
                None => call.refuse("org.freedesktop.DBus.Error.UnknownMethod"),
            };
            if call.member.is_some() && connection.send(reply, wait).is_err() {
                return;
            }
        }
    });
    let id = session.window("evil")["id"].clone();
    let begun = Instant::now();
    let result =
        session.call("detect_elements", json!({ "window_id": id, "method": "accessibility" }));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let elements = result["elements"].as_array().unwrap();
    assert_eq!(elements.len(), 300, "{:.2000}", result.to_string());
    assert!(result["total"].as_u64().unwrap() > 1_000, "{}", result["total"]);
    let notes = result["notes"].to_string();
    assert!(
        notes.contains("deeper than 100 levels") && notes.contains("more than 1000 entries"),
        "{notes}"
    );
    let text = result.to_string();
    assert!(!text.contains('\u{1b}') && !text.contains("\\u001b") && !text.contains('\u{202e}'));
    assert!(!text.contains("Secret") && text.len() < 100_000, "{}", text.len());

    // Its own id for another program's element, and elements without an end of parents.
    let own = own.trim_start_matches(':');
    session.refused(
        "element_act",
        json!({ "element": format!("{own}/foreign#0000") }),
        "E_NO_MATCH",
    );
    session.refused("mouse_click", json!({ "element": format!("{own}/wide#0000") }), "E_NO_MATCH");
    is_over.store(true, Ordering::Relaxed);
    serving.join().unwrap();
}
