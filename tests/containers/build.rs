//! Builds by a real daemon.

use serde_json::{Value, json};

use crate::session::{Session, daemon};

fn lines(steps: &Value) -> Vec<(u64, bool)> {
    let steps = steps.as_array().unwrap();
    steps.iter().map(|step| (step["line"].as_u64().unwrap(), step["cached"] == true)).collect()
}

#[test]
fn builds_report_steps_caches_and_the_line_that_failed() {
    let Some(daemon) = daemon("builds") else { return };
    let session = Session::with_base(&daemon);
    let build = || {
        session.call(
            "docker_build",
            json!({ "context": "app", "tag": "app:1", "build_args": { "WHO": "you" } }),
        )
    };
    session.write("app/text", "some text\n");
    session.write("app/Dockerfile", "FROM base\nARG WHO\n\nCOPY text /text\n# The next lines are one instruction.\nRUN echo \"for $WHO\" && \\\n    cat /txt\n");
    let failed = build();
    assert_eq!(failed["success"], false);
    let diagnostic = &failed["diagnostics"][0];
    assert_eq!(diagnostic["path"], "app/Dockerfile");
    assert_eq!(diagnostic["line"], 6);
    assert!(
        diagnostic["message"].as_str().unwrap().contains("returned a non-zero code: 1"),
        "{diagnostic}"
    );
    assert_eq!(lines(&failed["steps"]), [(1, false), (2, false), (4, false), (6, false)]);
    let printed = failed["steps"][3]["output"].as_str().unwrap();
    // Standard output and standard error come by two pipes.
    assert!(printed.contains("for you") && printed.contains("cat: can't open '/txt'"), "{printed}");
    assert!(failed.get("image_id").is_none());

    session.write("app/Dockerfile", "FROM base\nARG WHO\n\nCOPY text /text\n# The next lines are one instruction.\nRUN echo \"for $WHO\" && \\\n    cat /text >/copy\nCMD [\"cat\", \"/copy\"]\n");
    let built = build();
    assert_eq!(built["success"], true, "{built}");
    assert_eq!(lines(&built["steps"]), [(1, false), (2, true), (4, true), (6, false), (8, false)]);
    assert!(built["image_id"].as_str().unwrap().starts_with("sha256:"));
    let layers = built["layers"].as_array().unwrap();
    let sizes: u64 = layers.iter().map(|layer| layer["size"].as_u64().unwrap()).sum();
    assert_eq!(built["size"], sizes);
    assert!(layers[0]["created_by"].as_str().unwrap().contains("cat /text >/copy"), "{layers:?}");
    assert_eq!(layers[0]["size"], 10);
    assert_eq!(lines(&build()["steps"]), [(1, false), (2, true), (4, true), (6, true), (8, true)]);

    let ran = session.call("docker_run", json!({ "image": "app:1" }));
    assert_eq!((&ran["stdout"], &ran["exit_code"]), (&json!("some text\n"), &json!(0)));
    let images = session.call("docker_images", json!({ "filter": "APP" }));
    assert_eq!(images["images"][0]["tags"], json!(["app:1"]));
    assert_eq!(images["images"][0]["id"], built["image_id"]);
    // Mistakes that the daemon's parser finds, and files that are missing.
    for (text, line, message) in [
        ("FROM base\n\nRUNN x\n", 3, "unknown instruction: RUNN"),
        ("FROM base\nCOPY\n", 2, "requires at least two arguments"),
        ("FROM base\nCOPY nothing /x\n", 2, "nothing"),
    ] {
        session.write("app/Dockerfile", text);
        let failed = build();
        assert_eq!(failed["diagnostics"][0]["line"], line, "{failed}");
        assert!(
            failed["diagnostics"][0]["message"].as_str().unwrap().contains(message),
            "{failed}"
        );
    }
    // A step that prints what looks like a step.
    session.write(
        "app/Dockerfile",
        "FROM base\nRUN printf 'Step 3/4 : CMD pretended\\n' && false\nCMD x\n",
    );
    assert_eq!(build()["diagnostics"][0]["line"], 2);
}

#[test]
fn the_context_is_what_dockerignore_and_rules_leave_of_the_folder() {
    let Some(daemon) = daemon("the context of builds") else { return };
    let session = Session::with_base(&daemon);
    let outside = session.home.outside().join("secret");
    std::fs::write(&outside, "hunter2").unwrap();
    tests::user_config(&session.home, "[policy.deny]\nread = [\"*.key\"]\n");
    // The next call reads the settings.
    session.call("get_file_info", json!({ "path": "." }));
    session.write("c/.dockerignore", "# comment\nnotes\n**/*.log\n!keep.log\n");
    for file in ["a.txt", "notes/n.txt", "x.log", "keep.log", "sub/y.log", "my.key", "sub/run"] {
        session.write(&format!("c/{file}"), file);
    }
    let root = session.home.root();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(root.join("c/sub/run"), executable).unwrap();
    std::fs::hard_link(root.join("c/my.key"), root.join("c/other-name")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("c/out")).unwrap();
    std::os::unix::fs::symlink("a.txt", root.join("c/in")).unwrap();
    let long = format!("{}deep", "long-folder-name/".repeat(9));
    session.write(&format!("c/{long}"), "deep");
    session.write("c/Dockerfile", "FROM base\nCOPY . /c\nRUN cd /c && find . | sort && cat in && stat -c %a sub/run && ls -l out\n");
    let built = session.call("docker_build", json!({ "context": "c", "tag": "c" }));
    let printed = built["steps"][2]["output"].as_str().unwrap();
    let listed: Vec<&str> = printed.lines().filter(|line| line.starts_with("./")).collect();
    for there in ["./a.txt", "./keep.log", "./in", "./out", "./sub/run", &format!("./{long}")] {
        assert!(listed.contains(&there), "{there}: {printed}");
    }
    for gone in ["notes", "x.log", "y.log", "my.key", "other-name"] {
        assert!(!listed.iter().any(|line| line.contains(gone)), "{gone}: {printed}");
    }
    assert!(printed.contains("\na.txt755\n") || printed.contains("a.txt755"), "{printed}");
    // The link is a link: nothing of its target was sent.
    assert!(printed.contains(&format!("out -> {}", outside.display())), "{printed}");
    assert_eq!(built["context"]["hidden"], 2);
    // `notes` is entered, since an exception could be in it.
    assert_eq!(built["context"]["ignored"], 4);
    // A link to the Dockerfile is not followed either, and a context outside of the roots is none.
    std::fs::write(session.home.outside().join("Dockerfile"), "FROM base\n").unwrap();
    std::os::unix::fs::symlink(session.home.outside(), root.join("elsewhere")).unwrap();
    for context in ["elsewhere", "..", session.home.outside().to_str().unwrap()] {
        session.refused(
            "docker_build",
            json!({ "context": context, "tag": "c" }),
            "E_PATH_FORBIDDEN",
        );
    }
    session.refused(
        "docker_build",
        json!({ "context": "c", "dockerfile": "elsewhere/Dockerfile", "tag": "c" }),
        "E_PATH_FORBIDDEN",
    );
    session.refused(
        "docker_build",
        json!({ "context": "c", "dockerfile": "base/Dockerfile", "tag": "c" }),
        "E_INVALID_PARAMS",
    );
    session.refused(
        "docker_build",
        json!({ "context": "c", "dockerfile": "c/no", "tag": "c" }),
        "E_FILE_NOT_FOUND",
    );
}

#[test]
fn nothing_is_downloaded_without_network() {
    let Some(daemon) = daemon("downloads of builds") else { return };
    let session = Session::with_base(&daemon);
    for (text, line) in [
        ("FROM base AS one\nFROM nowhere.example/x:1\n", 2),
        ("ARG V=2\nFROM base\nCOPY --from=tools:$V a b\n", 3),
        ("FROM base\nCOPY --from=tools:3 a b\n", 2),
        ("FROM base\nADD https://example.com/x /x\n", 2),
        ("FROM $UNKNOWN\n", 1),
    ] {
        session.write("d/Dockerfile", text);
        let error =
            session.refused("docker_build", json!({ "context": "d", "tag": "d" }), "E_UNAVAILABLE");
        assert!(error.message.contains(&format!("d/Dockerfile:{line}: ")), "{error:?}");
        assert_eq!(session.questions(), Vec::<String>::new());
    }
    // A command of a build has no network.
    session.write("d/Dockerfile", "FROM base\nRUN ip -o link | grep -v ' lo:' | wc -l\n");
    let built = session.call("docker_build", json!({ "context": "d", "tag": "d" }));
    assert_eq!(built["steps"][1]["output"], "0", "{built}");
}
