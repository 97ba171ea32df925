//! A Wayland session: the portal of these tests answers as that of a desktop does.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dbus::{Connection, Kind, Message, MethodCall, Value, Wait, parse_addresses};
use serde_json::json;

use crate::session::{ALLOW, Session, desktop};

const PATH: &str = "/org/freedesktop/portal/desktop";

/// What the portal answers to a request for a picture.
struct Answer {
    response: u32,
    uri: String,
}

/// A portal on a bus, until the flag is set.
fn portal(address: &str, answer: Answer, is_over: Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    let address = parse_addresses(address);
    let (ready, started) = std::sync::mpsc::channel();
    let serving = std::thread::spawn(move || {
        let wait =
            |time| Wait { until: Instant::now() + Duration::from_secs(time), interrupt: &is_over };
        let mut connection = Connection::connect(&address, wait(10)).unwrap();
        let name = MethodCall {
            destination: "org.freedesktop.DBus".to_owned(),
            path: "/org/freedesktop/DBus".to_owned(),
            interface: "org.freedesktop.DBus",
            member: "RequestName",
            body: vec!["org.freedesktop.portal.Desktop".into(), 0_u32.into()],
        };
        connection.call(name, wait(10)).unwrap();
        ready.send(()).unwrap();
        while !is_over.load(Ordering::Relaxed) {
            let Ok(call) = connection.receive(wait(60)) else { continue };
            if call.member.as_deref() != Some("Screenshot") {
                continue;
            }
            let token = call.body[1].items().iter().find_map(|option| match option {
                Value::Entry(entry) if entry.0.as_str() == Some("handle_token") => entry.1.as_str(),
                _ => None,
            });
            let sender = call.sender.as_deref().unwrap().trim_start_matches(':').replace('.', "_");
            let request = format!("{PATH}/request/{sender}/{}", token.unwrap());
            connection.send(call.reply(vec![Value::Path(request.clone())]), wait(10)).unwrap();
            let uri =
                Value::Entry(Box::new(("uri".into(), Value::text(answer.uri.as_str()).variant())));
            let response = Message {
                kind: Kind::Signal,
                path: Some(request),
                interface: Some("org.freedesktop.portal.Request".to_owned()),
                member: Some("Response".to_owned()),
                body: vec![answer.response.into(), Value::Array("{sv}".to_owned(), vec![uri])],
                ..Message::default()
            };
            connection.send(response, wait(10)).unwrap();
        }
    });
    started.recv().unwrap();
    serving
}

#[test]
fn pictures_of_a_wayland_screen_come_from_the_portal() {
    let Some(mut desktop) = desktop("pictures_of_a_wayland_screen_come_from_the_portal") else {
        return;
    };
    desktop.report_elements();
    let address = format!("unix:path={}/bus", desktop.folder().display());
    let environment =
        [("WAYLAND_DISPLAY", "wayland-0"), ("DBUS_SESSION_BUS_ADDRESS", address.as_str())];
    let session = Session::start(ALLOW, &environment, |_| "Deny");
    // Without a portal, the reason is given; windows and input there are none.
    let message = session.refused("screenshot", json!({}), "E_UNAVAILABLE");
    assert!(message.contains("Wayland") && message.contains("portal"), "{message}");
    session.refused("list_windows", json!({}), "E_UNAVAILABLE");

    let file: PathBuf = desktop.folder().join("the screen.png");
    let words = [
        "/usr/bin/pango-view",
        "--font=DejaVu Sans 20px",
        "--text=Wayland works",
        "--margin=12",
        "-qo",
    ];
    let words: Vec<&str> = words.into_iter().chain([file.to_str().unwrap()]).collect();
    assert!(desktop.command(&words).status().unwrap().success());
    let uri = format!("file://{}", file.display()).replace(' ', "%20");
    let with = |answer: Answer, check: &dyn Fn()| {
        let is_over = Arc::new(AtomicBool::new(false));
        let serving = portal(&address, answer, Arc::clone(&is_over));
        check();
        is_over.store(true, Ordering::Relaxed);
        serving.join().unwrap();
    };
    with(Answer { response: 0, uri: uri.clone() }, &|| {
        let whole = session.call("screenshot", json!({}));
        assert!(whole["width"].as_u64().unwrap() > 100, "{whole}");
        let region = json!({ "x": 5, "y": 5, "width": 20, "height": 10 });
        let part = session.call("screenshot", json!({ "region": region }));
        assert_eq!((&part["width"], &part["x"]), (&json!(20), &json!(5)));
        let read = session.call("ocr", json!({}));
        assert_eq!(read["text"], "Wayland works");
    });
    with(Answer { response: 1, uri: uri.clone() }, &|| {
        session.refused("screenshot", json!({}), "E_DENIED");
    });
    for wrong in ["file:///dev/zero", "file:///nowhere.png", "http://example.org/a.png"] {
        with(Answer { response: 0, uri: wrong.to_owned() }, &|| {
            session.refused("screenshot", json!({}), "E_UNAVAILABLE");
        });
    }
}
