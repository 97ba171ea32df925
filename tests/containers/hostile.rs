//! Daemons that break their protocol: each ends one call, in time and in little memory.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::session::{Session, daemon};

/// A daemon that answers requests whose line contains a text by `answer`, and others as if there were nothing.
struct FakeDaemon {
    _folder: tempfile::TempDir,
    socket: PathBuf,
}

impl FakeDaemon {
    fn start(
        part: &'static str,
        answer: impl Fn(&mut UnixStream) + Send + Sync + Clone + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("docker.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, answer) = (stream.unwrap(), answer.clone());
                std::thread::spawn(move || {
                    let line = read_request(&stream);
                    if line.contains(part) {
                        return answer(&mut stream);
                    }
                    let _ = stream
                        .write_all(&response("404 Not Found", r#"{"message":"no such thing"}"#));
                });
            }
        });
        Self { _folder: folder, socket }
    }

    fn host(&self) -> String {
        format!("unix://{}", self.socket.display())
    }
}

/// Reads a request, and as much of its body as there is at once.
fn read_request(stream: &UnixStream) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut line) = (String::new(), String::new());
    let _ = reader.read_line(&mut first);
    while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
        line.clear();
    }
    first
}

fn response(status: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The peak memory of the server's process in KiB.
fn peak_memory(session: &Session) -> u64 {
    let status = format!("/proc/{}/status", session.client.process().unwrap().id());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn build(session: &Session) -> (tests::ToolError, Duration) {
    session.write("Dockerfile", "FROM scratch\nCOPY a /a\nCOPY a /b\n");
    session.write("a", "a");
    let started = Instant::now();
    let error =
        session.try_call("docker_build", json!({ "tag": "x", "timeout_ms": 2_000 })).unwrap_err();
    (error, started.elapsed())
}

const PROGRESS: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
    {\"stream\":\"Step 1/3 : FROM scratch\\n\"}\n{\"stream\":\"Step 2/3 : COPY a /a\\n\"}\n";

/// Writes until the other side has enough.
fn flood(stream: &mut UnixStream, piece: &[u8]) {
    let whole = piece.repeat((1 << 16) / piece.len() + 1);
    let mut sent = 0_u64;
    while sent < 1_000_000_000 && stream.write_all(&whole).is_ok() {
        sent += whole.len() as u64;
    }
}

#[test]
fn hostile_builds_end_in_time_and_in_little_memory() {
    type Answer = fn(&mut UnixStream);
    let cases: [(&str, Answer, &str, &str); 8] = [
        (
            "silence",
            |_| std::thread::sleep(Duration::from_secs(60)),
            "E_TIMEOUT",
            "no answer within 2000 ms",
        ),
        (
            "silence in the middle",
            |stream| {
                let _ = stream.write_all(PROGRESS.as_bytes());
                std::thread::sleep(Duration::from_secs(60));
            },
            "E_TIMEOUT",
            "the build was in step 2 (line 2)",
        ),
        (
            "no HTTP",
            |stream| drop(stream.write_all(b"\x16\x03\x01 what\r\n\r\n")),
            "E_IO",
            "no HTTP",
        ),
        (
            "no JSON",
            |stream| {
                let _ = stream.write_all(format!("{PROGRESS}<html>oops</html>\n").as_bytes());
            },
            "E_IO",
            "is no message of a build",
        ),
        (
            "an endless message",
            |stream| {
                let _ = stream.write_all(format!("{PROGRESS}{{\"stream\":\"").as_bytes());
                flood(stream, b"x");
            },
            "E_IO",
            "longer than 1048576 bytes",
        ),
        (
            "endless headers",
            |stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
                flood(stream, b"X-Y: z\r\n");
            },
            "E_IO",
            "no HTTP",
        ),
        (
            "success without an image",
            |stream| drop(stream.write_all(PROGRESS.as_bytes())),
            "E_IO",
            "without an image",
        ),
        (
            "an id that is a path",
            |stream| {
                let _ = stream.write_all(
                    format!("{PROGRESS}{{\"aux\":{{\"ID\":\"../../containers/json?\"}}}}\n")
                        .as_bytes(),
                );
            },
            "E_IO",
            "has no id",
        ),
    ];
    for (name, answer, code, message) in cases {
        let fake = FakeDaemon::start("/build?", answer);
        let session = Session::start(&fake.host(), "", |_| "Allow once");
        let before = peak_memory(&session);
        let (error, time) = build(&session);
        // The daemon may close its socket before it has read all of the context.
        let is_cut =
            error.code == "E_UNAVAILABLE" && error.message.contains("ended the connection");
        assert!(is_cut || error.code == code, "{name}: {error:?}");
        assert!(is_cut || error.message.contains(message), "{name}: {error:?}");
        assert!(time < Duration::from_secs(8), "{name}: {time:?}");
        let after = peak_memory(&session);
        assert!(after < before + 60_000, "{name}: {before} KiB, then {after} KiB");
    }
}

#[test]
fn hostile_answers_end_in_time_and_in_little_memory() {
    type Answer = fn(&mut UnixStream);
    let cases: [(&str, &str, Value, &str, Answer, &str); 5] = [
        (
            "a list of a gigabyte",
            "docker_ps",
            json!({}),
            "/containers/json",
            |stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[");
                flood(stream, b"{},");
            },
            "E_TOO_LARGE",
        ),
        (
            "another shape",
            "docker_images",
            json!({}),
            "/images/json",
            |stream| drop(stream.write_all(&response("200 OK", "{\"a\":1}"))),
            "E_IO",
        ),
        ("nothing", "docker_ps", json!({}), "/containers/json", |_| (), "E_UNAVAILABLE"),
        (
            "a container without an id",
            "docker_logs",
            json!({ "container": "x" }),
            "/containers/x/json",
            |stream| {
                drop(stream.write_all(&response("200 OK", "{}")));
            },
            "E_IO",
        ),
        (
            "an error of a gigabyte",
            "docker_ps",
            json!({}),
            "/containers/json",
            |stream| {
                let _ = stream.write_all(b"HTTP/1.1 500 No\r\nConnection: close\r\n\r\n");
                flood(stream, b"no ");
            },
            "E_IO",
        ),
    ];
    for (name, tool, params, part, answer, code) in cases {
        let fake = FakeDaemon::start(part, answer);
        let session = Session::start(&fake.host(), "", |_| "Allow once");
        let before = peak_memory(&session);
        let started = Instant::now();
        session.refused(tool, params, code);
        assert!(started.elapsed() < Duration::from_secs(8), "{name}: {:?}", started.elapsed());
        let after = peak_memory(&session);
        assert!(after < before + 80_000, "{name}: {before} KiB, then {after} KiB");
    }
}

#[test]
fn a_daemon_that_is_not_there_or_dies_is_reported() {
    let absent = Session::start("unix:///nonexistent/docker.sock", "", |_| "Allow once");
    let error = absent.refused("docker_ps", json!({}), "E_UNAVAILABLE");
    assert!(error.data["hint"].as_str().unwrap().contains("apt-get install docker.io"));
    let remote = Session::start("tcp://127.0.0.1:2375", "", |_| "Allow once");
    let error = remote.refused("docker_ps", json!({}), "E_UNAVAILABLE");
    assert!(error.message.contains("only the person's settings can allow"), "{error:?}");
    let stale = tempfile::tempdir().unwrap();
    let socket = stale.path().join("docker.sock");
    drop(UnixListener::bind(&socket).unwrap());
    let refused = Session::start(&format!("unix://{}", socket.display()), "", |_| "Allow once");
    let error = refused.refused("docker_ps", json!({}), "E_UNAVAILABLE");
    assert!(error.data["hint"].as_str().unwrap().contains("systemctl start docker"));

    // A real one that is killed in the middle of a build.
    let Some(mut daemon) = daemon("a daemon that dies") else { return };
    let session = Session::with_base(&daemon);
    session.write("s/Dockerfile", "FROM base\nRUN echo begun; sleep 60\n");
    let error = std::thread::scope(|scope| {
        let build =
            scope.spawn(|| session.try_call("docker_build", json!({ "context": "s", "tag": "s" })));
        tests::wait_for("the step", || {
            daemon.api("GET", "/containers/json", "").contains("begun").then_some(())
        });
        daemon.kill();
        build.join().unwrap().unwrap_err()
    });
    assert_eq!(error.code, "E_UNAVAILABLE", "{error:?}");
    assert!(error.message.contains("the build was in step 2 (line 2)"), "{error:?}");
    session.refused("docker_ps", json!({}), "E_UNAVAILABLE");
}

#[test]
fn a_remote_daemon_is_used_where_the_settings_name_it() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1_000]);
            let _ = stream.write_all(&response("200 OK", "[]"));
        }
    });
    let settings = format!("[containers]\nhost = \"tcp://127.0.0.1:{port}\"\n");
    let session = Session::start("", &settings, |_| "Allow once");
    assert_eq!(session.call("docker_ps", json!({}))["total"], 0);
    let questions = session.questions();
    assert!(
        questions[0].contains(&format!("127.0.0.1:{port}")) && questions[0].contains("unencrypted"),
        "{questions:?}"
    );
    // Its paths are not ours.
    session.write("a", "a");
    session.refused("docker_run", json!({ "image": "x", "volumes": ["a:/a"] }), "E_UNSUPPORTED");
}
