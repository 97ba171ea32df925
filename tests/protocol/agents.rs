//! The catalog, and runbooks.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "\
//- /app.py
print(1)
//- /.tandem/runbooks/release.md
---
title: Release
description: Cut a release
tags: [release]
---
# Releasing

## Check

```tandem
git_status {}
read_file {\"path\": \"app.py\"}
```

## Publish

```sh
make publish
```

```tandem
nonsense {
```
//- /.tandem/runbooks/incidents/database.md
# The database is down

Look at the connections first.
//- /.claude/skills/review/SKILL.md
---
name: review
description: How this team reviews
---
//- /.claude/agents/tester.md
---
name: tester
description: Writes tests
---
";

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn runbooks_are_listed_read_and_searched() {
    let server = Server::start(FIXTURE);
    let all = server.must("list_runbooks", json!({}));
    assert_eq!(names(&all["runbooks"]), ["database", "release"]);
    assert_eq!(all["runbooks"][1]["path"], ".tandem/runbooks/release.md");
    let tagged = server.must("list_runbooks", json!({ "tag": "Release" }));
    assert_eq!(names(&tagged["runbooks"]), ["release"]);

    let release = server.must("get_runbook", json!({ "name": "release" }));
    let steps = release["steps"].as_array().unwrap();
    let tools: Vec<_> = steps.iter().map(|step| step["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["git_status", "read_file", "run_command"]);
    assert_eq!(steps[2]["arguments"], json!({ "command": "make publish" }));
    assert_eq!(steps[2]["heading"], "Publish");
    assert_eq!(release["problems"][0]["line"], 21);
    // A step can be called as it stands.
    server.must("read_file", steps[1]["arguments"].clone());

    let found = server.must("search_runbooks", json!({ "query": "database connections" }));
    assert_eq!(names(&found["runbooks"]), ["database"]);
    assert_eq!(found["runbooks"][0]["matches"][1]["line"], "Look at the connections first.");
    let error = server.must_fail("get_runbook", json!({ "name": "relaese" }), "E_FILE_NOT_FOUND");
    assert!(error.data["hint"].as_str().unwrap().contains("release"), "{}", error.data);
}

#[test]
fn unsaved_text_of_a_runbook_is_read() {
    let server = Server::start(FIXTURE);
    server.open_text(".tandem/runbooks/release.md", "# Another way\n");
    let release = server.must("get_runbook", json!({ "name": "release" }));
    assert_eq!((&release["title"], &release["steps"]), (&json!("Another way"), &json!([])));
}

#[test]
fn the_catalog_lists_what_there_is() {
    let server = Server::start(FIXTURE);
    let of =
        |category: &str| server.must("catalog", json!({ "category": category }))["entries"].clone();
    assert!(names(&of("agents")).contains(&"tester"));
    assert_eq!(names(&of("skill")), ["review"]);
    assert_eq!(of("skill")[0]["usage"], "read .claude/skills/review/SKILL.md");
    assert!(names(&of("tools")).contains(&"read_file"));
    let found = server.must("catalog", json!({ "query": "cut a release" }));
    assert_eq!(found["entries"][0]["name"], "release");
    server.must_fail("catalog", json!({ "category": "toys" }), "E_INVALID_PARAMS");
}

#[test]
fn hidden_documents_are_not_listed() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            let rules = "[policy.deny]\nread = [\".tandem/runbooks/release.md\"]\n";
            std::fs::write(root.join(".tandem/config.toml"), rules).unwrap();
        })
        .start();
    let all = server.must("list_runbooks", json!({}));
    assert_eq!(names(&all["runbooks"]), ["database"]);
}

#[test]
fn folders_that_lead_out_are_not_read() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.md"), "# Secret\n").unwrap();
    let server = Server::builder("//- /app.py\n")
        .prepare(|root| {
            std::fs::create_dir_all(root.join(".tandem")).unwrap();
            std::os::unix::fs::symlink(outside.path(), root.join(".tandem/runbooks")).unwrap();
            std::fs::create_dir_all(root.join(".claude/agents")).unwrap();
            let link = root.join(".claude/agents/secret.md");
            std::os::unix::fs::symlink(outside.path().join("secret.md"), link).unwrap();
        })
        .start();
    assert_eq!(server.must("list_runbooks", json!({}))["runbooks"], json!([]));
    let agents = server.must("catalog", json!({ "category": "agents" }));
    assert!(!names(&agents["entries"]).contains(&"secret"), "{agents}");
}
