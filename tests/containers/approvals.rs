//! What a person reads before something risky happens, and that exactly this happens.

use serde_json::{Value, json};

use crate::session::{Session, daemon};

/// The question of a call that is denied, without what differs from run to run.
fn question(session: &Session, tool: &str, params: Value) -> String {
    session.refused(tool, params, "E_DENIED");
    let questions = session.questions();
    assert_eq!(questions.len(), 1, "{questions:?}");
    let root = session.home.root();
    let mut text = questions[0].replace(root.to_str().unwrap(), "ROOT");
    for (start, length) in [("#", 12), ("sha256:", 12)] {
        let mut from = 0;
        while let Some(at) = text[from..].find(start) {
            let at = from + at + start.len();
            let is_hex =
                |part: &str| part.len() == length && part.chars().all(|c| c.is_ascii_hexdigit());
            if text.get(at..at + length).is_some_and(is_hex) {
                text.replace_range(at..at + length, "…");
            }
            from = at;
        }
    }
    text
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
    }
}

#[test]
fn risky_requests_say_what_they_are() {
    let Some(daemon) = daemon("approvals") else { return };
    let building = Session::with_base(&daemon);
    let session = Session::start(&daemon.host(), "", |_| "Deny");
    session.write("src/a", "a");
    session.write("app/Dockerfile", "FROM base\nRUN make\n");
    let run = |more: Value| {
        let mut params = json!({ "image": "base", "command": ["make", "all"] });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let text = question(&session, "docker_run", params);
        has(
            &text,
            &[
                "docker_run wants to use the container daemon: container/run/base #….",
                "| image: base (sha256:…)",
                "| command: [\"make\",\"all\"]",
                "| user: root in the container",
            ],
        );
        text
    };
    let plain = run(json!({}));
    has(
        &plain,
        &[
            "| network: none",
            "| limits: 2048 MB of memory, ",
            "512 processes",
            "| it is removed when its command has ended",
        ],
    );
    assert!(!plain.contains("machine/"), "{plain}");
    let privileged = run(json!({ "privileged": true }));
    has(
        &privileged,
        &[
            "docker_run wants to give a container power over this machine: machine/privileged.",
            "root in the container is root on this machine",
            "| privileged: yes",
        ],
    );
    has(
        &run(json!({ "network": "host" })),
        &[
            "power over this machine: machine/network.",
            "every service that listens on localhost",
            "| network: the machine's own",
        ],
    );
    has(
        &run(json!({ "devices": ["/dev/kvm"] })),
        &[
            "power over this machine: machine/device/dev/kvm.",
            "uses /dev/kvm (rwm) directly",
            "| device: /dev/kvm",
        ],
    );
    let socket = format!("{}:/var/run/docker.sock", daemon.socket.display());
    has(
        &run(json!({ "volumes": [socket] })),
        &[
            "power over this machine: machine/daemon-socket.",
            "it has root's power over this machine",
            "| mount: the daemon's socket ",
        ],
    );
    has(
        &run(json!({ "volumes": ["src:/src"] })),
        &[
            "| mount: ROOT/src is /src (read and write; .git and editors' folders read only)",
            "It would also write src.",
        ],
    );
    has(
        &run(json!({ "volumes": ["data:/data"] })),
        &["container/volume/data", "| mount: the volume data is /data (read and write)"],
    );
    has(
        &run(json!({ "ports": ["0.0.0.0:8080:80"] })),
        &[
            "power over this machine: machine/port/0.0.0.0:8080.",
            "Other machines reach the container",
            "reach over the network: any host",
        ],
    );
    has(
        &run(json!({ "detach": true, "keep": true, "env": { "A": "b" } })),
        &["| variable: A=b", "| it stays when the session ends"],
    );
    let pulled =
        question(&session, "docker_run", json!({ "image": "registry.example/x:1", "pull": true }));
    has(
        &pulled,
        &[
            "| command: that of the image",
            "downloads registry.example/x:1, as the registry has it then",
        ],
    );
    let build = question(
        &session,
        "docker_build",
        json!({ "context": "app", "tag": "base", "build_args": { "A": "b" }, "network": true }),
    );
    has(
        &build,
        &[
            "| context: app, 1 file of 19 bytes",
            "| image: base, which now names sha256:… and will name the new image",
            "| argument: A=b",
            "| network: any host",
            "| app/Dockerfile:\n| FROM base\n| RUN make",
            "Commands of the build reach any host.",
        ],
    );
    daemon.api("POST", "/containers/create?name=theirs", r#"{"Image":"base","Cmd":["sleep","100"],"HostConfig":{"Privileged":true,"NetworkMode":"host","Binds":["/etc:/etc:ro"]}}"#);
    let exec = question(
        &session,
        "docker_exec",
        json!({ "container": "theirs", "command": ["rm", "-rf", "/x"] }),
    );
    has(
        &exec,
        &[
            "container/exec/theirs ",
            "| command: [\"rm\",\"-rf\",\"/x\"]",
            "it is privileged",
            "it uses the machine's network",
            "it may read /etc as /etc",
        ],
    );
    drop(building);
}

#[test]
fn what_was_approved_is_what_happens() {
    let Some(daemon) = daemon("changes after an approval") else { return };
    let building = Session::with_base(&daemon);
    // While the person reads, the Dockerfile, the image or the mount changes.
    let root = std::sync::Arc::new(std::sync::Mutex::new(None::<std::path::PathBuf>));
    let seen = root.clone();
    let host = daemon.host();
    let socket = daemon.socket.clone();
    let session = Session::start(&host, "", move |question| {
        let root = seen.lock().unwrap().clone().unwrap();
        if question.contains("docker_build") {
            std::fs::write(root.join("app/Dockerfile"), "FROM base\nRUN rm -rf /\n").unwrap();
        } else if question.contains("swapped") {
            std::fs::rename(root.join("swapped"), root.join("was")).unwrap();
            std::os::unix::fs::symlink("/etc", root.join("swapped")).unwrap();
        } else {
            let mut stream = std::os::unix::net::UnixStream::connect(&socket).unwrap();
            std::io::Write::write_all(&mut stream, b"POST /images/other/tag?repo=app&tag=1 HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n").unwrap();
            let _ = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
        }
        "Allow once"
    });
    *root.lock().unwrap() = Some(session.home.root());
    session.write("app/Dockerfile", "FROM base\n");
    session.refused("docker_build", json!({ "context": "app", "tag": "app:1" }), "E_CONFLICT");
    session.write("swapped/a", "a");
    let moved = session
        .try_call(
            "docker_run",
            json!({ "image": "base", "volumes": ["swapped:/m:ro"], "command": ["ls", "/m"] }),
        )
        .unwrap_err();
    assert!(["E_CONFLICT", "E_PATH_FORBIDDEN"].contains(&moved.code.as_str()), "{moved:?}");
    for (tag, text) in [("app:1", "FROM base\nENV A=1\n"), ("other", "FROM base\nENV A=2\n")] {
        building.write("i/Dockerfile", text);
        assert_eq!(
            building.call("docker_build", json!({ "context": "i", "tag": tag }))["success"],
            true
        );
    }
    session.refused("docker_run", json!({ "image": "app:1", "command": ["env"] }), "E_CONFLICT");
    assert!(!daemon.api("GET", "/containers/json?all=1", "").contains("app:1"));
}

#[test]
fn an_approval_for_the_session_covers_the_same_request_only() {
    let Some(daemon) = daemon("approvals for the session") else { return };
    drop(Session::with_base(&daemon));
    let session = Session::start(&daemon.host(), "", |_| "Allow for this session");
    let run = |command: &str| {
        session.call("docker_run", json!({ "image": "base", "command": ["echo", command] }))
    };
    run("a");
    run("a");
    assert_eq!(session.questions().len(), 1);
    run("b");
    assert_eq!(session.questions().len(), 1);
    // Rules of the settings cover containers, and not what gives them power.
    let session =
        Session::start(&daemon.host(), "[policy.allow]\nadmin = [\"container/*\"]\n", |_| "Deny");
    session.call("docker_run", json!({ "image": "base", "command": ["true"] }));
    assert!(session.questions().is_empty());
    session.refused(
        "docker_run",
        json!({ "image": "base", "command": ["true"], "privileged": true }),
        "E_DENIED",
    );
}
