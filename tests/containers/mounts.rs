//! What of the machine containers see.

use serde_json::{Value, json};

use crate::session::{Session, daemon};

fn run(session: &Session, volumes: &[&str], line: &str) -> Value {
    let params = json!({ "image": "base", "volumes": volumes, "command": ["sh", "-c", line] });
    session.call("docker_run", params)
}

#[test]
fn mounts_show_what_is_inside_the_roots_and_no_more() {
    let Some(daemon) = daemon("mounts") else { return };
    let session = Session::with_base(&daemon);
    let root = session.home.root();
    let outside = session.home.outside().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "hunter2").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    std::os::unix::fs::symlink("src", root.join("inner")).unwrap();
    session.write("src/a.txt", "a");
    session.write("src/.env", "SECRET=1");
    session.write("src/keys/k", "SECRET=2");
    session.write(".git/config", "[core]\n");
    session.write(".git/hooks/x", "");
    tests::user_config(&session.home, "[policy.deny]\nread = [\".env\", \"keys/\"]\n");
    // The next call reads the settings.
    session.call("get_file_info", json!({ "path": "." }));

    let ran = run(
        &session,
        &["src:/src:ro"],
        "cat /src/a.txt; cat /src/.env /src/keys/k; ls -a /src; touch /src/b",
    );
    let (stdout, stderr) = (ran["stdout"].as_str().unwrap(), ran["stderr"].as_str().unwrap());
    assert!(stdout.starts_with("a") && !stdout.contains("SECRET"), "{stdout}");
    assert!(stderr.contains("Read-only file system") && stderr.contains("keys/k"), "{stderr}");
    let ran = run(
        &session,
        &[".:/w"],
        "echo new >/w/src/new; echo bad >>/w/.git/config; echo bad >/w/.git/hooks/y; mv /w/.git /w/git; ls /w/link/secret",
    );
    assert_eq!(session.read("src/new"), "new\n");
    assert_eq!(session.read(".git/config"), "[core]\n");
    assert!(!root.join(".git/hooks/y").exists() && root.join(".git").exists(), "{ran}");
    assert_eq!(ran["stdout"], "", "the link leads nowhere in the container: {ran}");
    // A file, a link that stays inside, and a guarded place for reading.
    assert_eq!(run(&session, &["src/a.txt:/a"], "cat /a")["stdout"], "a");
    assert_eq!(run(&session, &["inner:/i:ro"], "cat /i/a.txt")["stdout"], "a");
    assert_eq!(run(&session, &[".git:/g:ro"], "cat /g/config")["stdout"], "[core]\n");

    session.questions();
    let outside = outside.to_str().unwrap();
    for volume in [
        format!("{outside}:/x"),
        "link:/x".to_owned(),
        "link/secret:/x:ro".to_owned(),
        "../:/x".to_owned(),
        "/:/x".to_owned(),
        "/etc:/x:ro".to_owned(),
        ".git:/x".to_owned(),
        ".git/hooks:/x:rw".to_owned(),
        format!("{}:/x", daemon.folder().display()),
    ] {
        session.refused(
            "docker_run",
            json!({ "image": "base", "volumes": [volume] }),
            "E_PATH_FORBIDDEN",
        );
    }
    for volume in ["src", "src:x", "src:/", "src:/a/../b", "src:/x:z", "src:/x:ro:rw", ":/x"] {
        session.refused(
            "docker_run",
            json!({ "image": "base", "volumes": [volume] }),
            "E_INVALID_PARAMS",
        );
    }
    session.refused(
        "docker_run",
        json!({ "image": "base", "volumes": ["src/.env:/x:ro"] }),
        "E_DENIED",
    );
    session.refused(
        "docker_run",
        json!({ "image": "base", "volumes": ["src/gone:/x"] }),
        "E_FILE_NOT_FOUND",
    );
    assert_eq!(session.questions(), Vec::<String>::new());
}

#[test]
fn guarded_places_that_a_container_creates_are_removed() {
    let Some(daemon) = daemon("guarded places") else { return };
    let session = Session::with_base(&daemon);
    let root = session.home.root();
    session.write("src/a", "a");
    // The person allows the container, and not what it leaves.
    let answer = |session: &Session| {
        let questions = session.questions();
        questions.iter().filter(|question| question.contains("created files that editors")).count()
    };
    let ran = run(&session, &["src:/src"], "mkdir /src/.vscode; echo x >/src/.vscode/tasks.json");
    assert_eq!(answer(&session), 1);
    assert_eq!(ran["created_guarded"][0]["path"], "src/.vscode");
    assert_eq!(ran["created_guarded"][0]["kept"], root.join("src/.vscode").exists());
    // One that runs on is judged at the next call.
    session.call(
        "docker_run",
        json!({ "image": "base", "volumes": ["src:/src"], "detach": true, "name": "on",
            "command": ["sh", "-c", "mkdir -p /src/x/.idea; echo y >/src/x/.idea/y; echo done; sleep 100"], "ready": { "pattern": "done" } }),
    );
    let logs = session.call("docker_logs", json!({ "container": "on" }));
    let stopped = session.call("docker_stop", json!({ "container": "on", "grace_seconds": 0 }));
    assert_eq!(answer(&session), 1, "{logs} {stopped}");
}
