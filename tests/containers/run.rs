//! Running containers.

use std::time::Instant;

use serde_json::json;
use tests::wait_for;

use crate::session::{Session, daemon};

#[test]
fn a_command_returns_its_output_and_exit_code() {
    let Some(daemon) = daemon("commands in containers") else { return };
    let session = Session::with_base(&daemon);
    let ran = session.call(
        "docker_run",
        json!({ "image": "base", "command": ["sh", "-c", "echo out $WHO; echo err >&2; pwd; id -u; exit 3"],
            "env": { "WHO": "me" }, "workdir": "/tmp", "user": "7" }),
    );
    assert_eq!(ran["stdout"], "out me\n/tmp\n7\n");
    assert_eq!(ran["stderr"], "err\n");
    assert_eq!(ran["exit_code"], 3);
    assert_eq!(ran["status"], "exited");
    // It was removed.
    assert!(ran.get("container").is_none());
    assert_eq!(session.call("docker_ps", json!({}))["total"], 0);
    assert!(!daemon.api("GET", "/containers/json?all=1", "").contains("base"));

    // The default limits, and no network.
    let limits = session.shell(
        "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; \
         cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null; grep NoNewPrivs /proc/self/status; ip -o link | wc -l",
    );
    assert_eq!(limits["stdout"], "2147483648\n512\nNoNewPrivs:\t1\n1\n");
    // A container that needs more memory than it may have.
    let params = json!({ "image": "base", "memory_mb": 16, "command": ["sh", "-c", "x=a; while :; do x=$x$x; done"] });
    let ran = session.call("docker_run", params);
    assert_eq!((&ran["exit_code"], &ran["out_of_memory"]), (&json!(137), &json!(true)));

    // One that does not end in time is removed.
    let started = Instant::now();
    let error = session.refused(
        "docker_run",
        json!({ "image": "base", "command": ["sh", "-c", "echo begun; sleep 100"], "timeout_ms": 1_000 }),
        "E_TIMEOUT",
    );
    assert_eq!(error.data["details"]["stdout"], "begun\n");
    assert!(started.elapsed().as_secs() < 10);
    assert_eq!(session.call("docker_ps", json!({}))["total"], 0);
    session.refused("docker_run", json!({ "image": "nothing:7" }), "E_UNAVAILABLE");
    let error = session.refused(
        "docker_run",
        json!({ "image": "base", "command": ["/no/program"] }),
        "E_INVALID_PARAMS",
    );
    assert!(error.message.contains("/no/program"), "{error:?}");
    assert_eq!(session.call("docker_ps", json!({}))["total"], 0);
}

#[test]
fn containers_end_with_the_session_unless_they_are_kept() {
    let Some(daemon) = daemon("the end of containers") else { return };
    let session = Session::with_base(&daemon);
    let start = |name: &str, keep: bool| {
        let params = json!({ "image": "base", "name": name, "keep": keep, "detach": true, "command": ["sleep", "1000"] });
        session.call("docker_run", params)
    };
    let gone = start("gone", false);
    assert_eq!(gone["status"], "running");
    start("kept", true);
    let listed = session.call("docker_ps", json!({}));
    let names: Vec<_> =
        listed["containers"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["kept", "gone"]);
    assert_eq!(listed["containers"][0]["image"], "base");
    // Somebody else's: listed on request, and touched after approval only.
    let foreign = daemon.api(
        "POST",
        "/containers/create?name=foreign",
        r#"{"Image":"base","Cmd":["sleep","1000"]}"#,
    );
    assert!(foreign.contains("201 Created"), "{foreign}");
    daemon.api("POST", "/containers/foreign/start", "");
    assert_eq!(session.call("docker_ps", json!({}))["total"], 2);
    let all = session.call("docker_ps", json!({ "all": true }));
    assert_eq!((&all["total"], &all["containers"][0]["ours"]), (&json!(3), &json!(false)));
    session.questions();
    session.call("docker_logs", json!({ "container": "gone" }));
    assert_eq!(session.questions(), Vec::<String>::new());
    session.call("docker_logs", json!({ "container": "foreign" }));
    assert!(session.questions()[0].contains("This workspace has not started it."));
    let stopped =
        session.call("docker_stop", json!({ "container": "foreign", "grace_seconds": 0 }));
    assert_eq!((&stopped["removed"], &stopped["exit_code"]), (&json!(false), &json!(137)));
    assert_eq!(session.questions().len(), 1);
    // A command in a container.
    let ran = session.call(
        "docker_exec",
        json!({ "container": "gone", "command": ["sh", "-c", "echo $X; echo e >&2; exit 4"], "env": { "X": "in" } }),
    );
    assert_eq!(
        (&ran["stdout"], &ran["stderr"], &ran["exit_code"]),
        (&json!("in\n"), &json!("e\n"), &json!(4))
    );
    session.refused(
        "docker_exec",
        json!({ "container": "foreign", "command": ["true"] }),
        "E_UNAVAILABLE",
    );
    session.refused(
        "docker_exec",
        json!({ "container": "nobody", "command": ["true"] }),
        "E_NO_MATCH",
    );
    session.refused(
        "docker_exec",
        json!({ "container": "../images", "command": ["true"] }),
        "E_INVALID_PARAMS",
    );
    let error = session.refused(
        "docker_exec",
        json!({ "container": "gone", "command": ["sleep", "9"], "timeout_ms": 300 }),
        "E_TIMEOUT",
    );
    assert!(error.message.contains("may still run"), "{error:?}");

    session.client.shutdown(std::time::Duration::from_secs(30)).unwrap();
    wait_for("the end of the containers", || {
        let left = daemon.api("GET", "/containers/json?all=1", "");
        (left.contains("/kept") && !left.contains("/gone")).then_some(())
    });
    assert!(daemon.api("GET", "/containers/kept/json", "").contains("\"Running\":true"));
}

#[test]
fn ports_are_published_on_this_machine_only() {
    let Some(daemon) = daemon("ports of containers") else { return };
    let session = Session::with_base(&daemon);
    let started = session.call(
        "docker_run",
        json!({ "image": "base", "detach": true, "ports": ["8080:80"], "command": ["sleep", "100"] }),
    );
    let listed = session.call("docker_ps", json!({}));
    assert_eq!(listed["containers"][0]["ports"], json!(["127.0.0.1:8080->80/tcp"]));
    let question = &session.questions()[0];
    assert!(
        question.contains("| port: 127.0.0.1:8080 leads to 80/tcp in the container"),
        "{question}"
    );
    assert!(question.contains("any host"), "{question}");
    let stopped =
        session.call("docker_stop", json!({ "container": started["name"], "grace_seconds": 0 }));
    assert_eq!(stopped["removed"], true);
    assert_eq!(session.call("docker_ps", json!({}))["total"], 0);
}
