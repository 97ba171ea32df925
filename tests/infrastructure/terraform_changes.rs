//! What changed between a plan and its apply, and applies that fail in the middle.

use std::path::PathBuf;

use serde_json::json;

use crate::session::Session;
use crate::terraform::{CONFIGURATION, RUN_ALL, addresses, applied, is_here, session};

fn serial(session: &Session) -> u64 {
    let state = std::fs::read(session.home.root().join("infra/terraform.tfstate")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&state).unwrap()["serial"].as_u64().unwrap()
}

#[test]
fn a_configuration_that_changed_is_not_applied() {
    if !is_here("a_configuration_that_changed_is_not_applied") {
        return;
    }
    let session = session(|_| "Allow once");
    session.write("infra/script.sh", "echo\n");
    applied(&session);
    let before = serial(&session);
    for (path, text) in [("infra/script.sh", "echo changed\n"), ("infra/other.tf", "# new\n")] {
        session.call("iac_plan", json!({ "path": "infra", "vars": { "size": 2 } }));
        session.write(path, text);
        let error = session.refused("iac_apply", json!({ "path": "infra" }), "E_CONFLICT");
        assert!(error.message.contains(path), "{error:?}");
    }
    assert!(session.questions().is_empty(), "nobody is asked about a plan that does not fit");
    assert_eq!(serial(&session), before);
}

#[test]
fn a_configuration_that_changes_during_the_approval_is_not_applied() {
    if !is_here("a_configuration_that_changes_during_the_approval_is_not_applied") {
        return;
    }
    let file = std::sync::Arc::new(std::sync::OnceLock::<PathBuf>::new());
    let of_answer = file.clone();
    let session = session(move |question| {
        if let Some(file) = of_answer.get().filter(|_| question.contains("infrastructure/apply")) {
            std::fs::write(file, "# changed\n").unwrap();
        }
        "Allow once"
    });
    applied(&session);
    file.set(session.home.root().join("infra/main.tf")).unwrap();
    let before = serial(&session);
    session.call("iac_plan", json!({ "path": "infra", "vars": { "size": 2 } }));
    session.refused("iac_apply", json!({ "path": "infra" }), "E_CONFLICT");
    assert_eq!(serial(&session), before);
}

#[test]
fn a_state_that_changed_is_not_applied_to() {
    if !is_here("a_state_that_changed_is_not_applied_to") {
        return;
    }
    let session = session(|_| "Allow once");
    applied(&session);
    let plan = session.call("iac_plan", json!({ "path": "infra", "vars": { "size": 2 } }));
    // Somebody else applies something.
    let other = std::process::Command::new("terraform")
        .args(["apply", "-input=false", "-auto-approve", "-var=size=3"])
        .current_dir(session.home.root().join("infra"))
        .env("CHECKPOINT_DISABLE", "1")
        .output()
        .unwrap();
    assert!(other.status.success());
    let before = serial(&session);
    let error = session.refused(
        "iac_apply",
        json!({ "path": "infra", "plan": plan["plan"] }),
        "E_CONFLICT",
    );
    assert!(error.message.contains("serial"), "{error:?}");
    assert_eq!(serial(&session), before);
}

#[test]
fn only_the_stored_plan_itself_is_applied() {
    if !is_here("only_the_stored_plan_itself_is_applied") {
        return;
    }
    let session = session(|_| "Allow once");
    let plan =
        session.call("iac_plan", json!({ "path": "infra" }))["plan"].as_str().unwrap().to_owned();
    session.write("other/main.tf", CONFIGURATION);
    session.refused("iac_apply", json!({ "path": "other", "plan": plan }), "E_CONFLICT");
    session.refused("iac_apply", json!({ "path": "infra", "plan": "0".repeat(64) }), "E_NO_MATCH");
    session.refused("iac_apply", json!({ "path": "infra", "plan": "../../x" }), "E_INVALID_PARAMS");
    session.refused("iac_apply", json!({ "path": "other" }), "E_NO_MATCH");
    let folder = find(&session.home.outside().join("state"), &format!("{plan}.tfplan")).unwrap();
    let mut bytes = std::fs::read(&folder).unwrap();
    bytes.push(0);
    std::fs::write(&folder, bytes).unwrap();
    session.refused("iac_apply", json!({ "path": "infra", "plan": plan }), "E_CONFLICT");
    assert!(!session.home.root().join("infra/terraform.tfstate").exists());
}

#[test]
fn an_apply_that_fails_says_what_was_done() {
    if !is_here("an_apply_that_fails_says_what_was_done") {
        return;
    }
    let session = Session::start(RUN_ALL, |_| "Allow once");
    session.write(
        "infra/main.tf",
        r#"
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "exit 3"
  }
}
resource "terraform_data" "c" {
  depends_on = [terraform_data.b]
}
"#,
    );
    session.call("iac_plan", json!({ "path": "infra" }));
    let result = session.call("iac_apply", json!({ "path": "infra" }));
    assert_eq!(result["success"], false, "{result}");
    assert_eq!(addresses(&result["done"]), ["terraform_data.a"]);
    assert_eq!(addresses(&result["failed"]), ["terraform_data.b"]);
    assert_eq!(result["not_done"], json!(["terraform_data.c"]));
    assert!(
        result["diagnostics"][0]["message"].as_str().unwrap().contains("exit status 3"),
        "{result}"
    );
    // What was done is in the state, and the plan is used up.
    session.refused("iac_apply", json!({ "path": "infra" }), "E_CONFLICT");
    let rest = session.call("iac_plan", json!({ "path": "infra" }));
    assert_eq!(
        rest["changes"][0]["reason"], "the last apply of it failed: it is tainted",
        "{rest}"
    );
}

#[test]
fn a_cancelled_apply_writes_its_state() {
    if !is_here("a_cancelled_apply_writes_its_state") {
        return;
    }
    let session = Session::start(RUN_ALL, |_| "Allow once");
    session.write(
        "infra/main.tf",
        r#"
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "touch started; sleep 100"
  }
}
"#,
    );
    session.call("iac_plan", json!({ "path": "infra" }));
    let params = json!({ "command": "tandem.iac_apply", "arguments": [{ "path": "infra" }] });
    let call = session.client.start_request("workspace/executeCommand", params).unwrap();
    let folder = session.home.root().join("infra");
    tests::wait_for("the provisioner", || folder.join("started").exists().then_some(()));
    session.client.cancel(call.id).unwrap();
    // The answer says that it was cancelled, or what was done.
    let _ = call.wait(tests::RESPONSE_TIMEOUT);
    tests::wait_for("the state", || {
        let state = std::fs::read_to_string(folder.join("terraform.tfstate")).ok()?;
        let is_whole = state.contains("\"name\": \"a\"") && state.contains("\"tainted\"");
        (is_whole && !folder.join(".terraform.tfstate.lock.info").exists()).then_some(())
    });
}

#[test]
fn local_modules_count() {
    if !is_here("local_modules_count") {
        return;
    }
    let session = Session::start(RUN_ALL, |_| "Allow once");
    session.write("modules/one/main.tf", "resource \"terraform_data\" \"x\" {\n  input = 1\n}\n");
    session.write("infra/main.tf", "module \"one\" {\n  source = \"../modules/one\"\n}\n");
    let plan = session.call("iac_plan", json!({ "path": "infra", "init": true }));
    assert_eq!(addresses(&plan["changes"]), ["module.one.terraform_data.x"], "{plan}");
    session.write("modules/one/main.tf", "resource \"terraform_data\" \"x\" {\n  input = 2\n}\n");
    let error = session.refused("iac_apply", json!({ "path": "infra" }), "E_CONFLICT");
    assert!(error.message.contains("modules/one/main.tf"), "{error:?}");
}

fn find(folder: &std::path::Path, name: &str) -> Option<PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
}
