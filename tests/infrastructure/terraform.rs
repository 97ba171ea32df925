//! Plans and applies of real Terraform. `terraform_data` needs no provider, so nothing is downloaded.

use std::io::Write;

use serde_json::{Value, json};

use crate::session::Session;

pub(crate) const RUN_ALL: &str = "[policy.allow]\nrun = [\"terraform *\"]\n";

pub(crate) const CONFIGURATION: &str = r#"
variable "size" {
  type    = number
  default = 1
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "hunter2-secret"
}
resource "terraform_data" "server" {
  input            = { size = var.size, password = var.secret }
  triggers_replace = [var.size]
}
resource "terraform_data" "label" {
  input = "label ${var.size}"
}
resource "terraform_data" "spare" {
  count = var.size > 1 ? 0 : 1
}
output "label" {
  value = terraform_data.label.input
}
"#;

/// Whether Terraform is here. No package registry carries it, so it is the one program without which tests are left
/// out in CI as well; they say so.
pub(crate) fn is_here(test: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("terraform").is_file());
    if !found {
        // Past the test runner, which hides what a passing test prints.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: `terraform` is not on the PATH, and no registry has it"
        );
    }
    found
}

/// A session with the configuration in `infra`, in which `answer` decides.
pub(crate) fn session(answer: impl Fn(&str) -> &'static str + Send + Sync + 'static) -> Session {
    let session = Session::start(RUN_ALL, answer);
    session.write("infra/main.tf", CONFIGURATION);
    session
}

/// Applies the configuration for the first time.
pub(crate) fn applied(session: &Session) {
    session.call("iac_plan", json!({ "path": "infra" }));
    let result = session.call("iac_apply", json!({ "path": "infra" }));
    assert_eq!(result["success"], true, "{result}");
    session.questions();
}

pub(crate) fn addresses(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["address"].as_str().unwrap()).collect()
}

fn change<'r>(result: &'r Value, address: &str) -> &'r Value {
    let changes = result["changes"].as_array().unwrap();
    changes.iter().find(|change| change["address"] == address).unwrap()
}

#[test]
fn a_plan_shows_what_would_change_and_its_apply_does_exactly_that() {
    if !is_here("a_plan_shows_what_would_change_and_its_apply_does_exactly_that") {
        return;
    }
    let session = session(|_| "Allow once");
    let first = session.call("iac_plan", json!({ "path": "infra", "tool": "terraform" }));
    assert_eq!(
        first["totals"],
        json!({ "delete": 0, "replace": 0, "update": 0, "create": 3, "read": 0, "forget": 0 })
    );
    assert!(session.questions().is_empty(), "a rule allows it");
    let result = session.call("iac_apply", json!({ "path": "infra", "plan": first["plan"] }));
    assert_eq!(
        (&result["success"], result["done"].as_array().unwrap().len()),
        (&json!(true), 3),
        "{result}"
    );
    let question = session.question();
    assert!(
        question.contains("wants to change infrastructure: infrastructure/apply/infra/"),
        "{question}"
    );
    assert!(question.contains("3 to create") && !question.contains("hunter2"), "{question}");

    let second = session.call("iac_plan", json!({ "path": "infra", "vars": { "size": 2 } }));
    assert_eq!(
        addresses(&second["changes"]),
        ["terraform_data.spare[0]", "terraform_data.server", "terraform_data.label"]
    );
    let server = change(&second, "terraform_data.server");
    assert_eq!(server["action"], "replace");
    assert_eq!(server["reason"], "triggers_replace[0] forces the replacement");
    let spare = change(&second, "terraform_data.spare[0]");
    assert_eq!(
        (&spare["action"], &spare["reason"]),
        (&json!("delete"), &json!("its index is beyond `count`"))
    );
    let label = change(&second, "terraform_data.label");
    let input = json!({ "name": "input", "before": "\"label 1\"", "after": "\"label 2\"" });
    assert!(label["attributes"].as_array().unwrap().contains(&input), "{label}");
    assert_eq!(second["outputs"][0]["after"], "\"label 2\"");
    assert!(!second.to_string().contains("hunter2"), "{second}");

    let result = session.call("iac_apply", json!({ "path": "infra", "auto_approve": true }));
    assert_eq!(result["success"], true, "{result}");
    assert!(result["note"].as_str().unwrap().contains("auto_approve"), "{result}");
    let question = session.question();
    let destroys = question.find("DESTROY terraform_data.spare[0]").unwrap();
    let replaces = question.find("REPLACE terraform_data.server").unwrap();
    let updates = question.find("update terraform_data.label").unwrap();
    assert!(destroys < replaces && replaces < updates, "{question}");

    let third = session.call("iac_plan", json!({ "path": "infra", "vars": { "size": 2 } }));
    assert_eq!((&third["changes"], &third["note"]), (&json!([]), &json!("nothing would change")));
    // Only the stored plans hold what a state holds.
    assert_eq!(session.state_files_with("hunter2", ".tfplan"), Vec::<String>::new());
}

#[test]
fn without_approval_nothing_is_applied() {
    if !is_here("without_approval_nothing_is_applied") {
        return;
    }
    let session =
        session(
            |question| {
                if question.contains("infrastructure/apply") { "Deny" } else { "Allow once" }
            },
        );
    session.call("iac_plan", json!({ "path": "infra" }));
    session.refused("iac_apply", json!({ "path": "infra", "auto_approve": true }), "E_DENIED");
    assert!(!session.home.root().join("infra/terraform.tfstate").exists());
}

#[test]
fn planning_needs_approval_of_what_runs() {
    if !is_here("planning_needs_approval_of_what_runs") {
        return;
    }
    let session = Session::start("", |_| "Deny");
    session.write("infra/main.tf", CONFIGURATION);
    session.refused("iac_plan", json!({ "path": "infra", "network": true }), "E_DENIED");
    let question = session.question();
    assert!(question.contains("terraform plan") && question.contains("any host"), "{question}");
}

#[test]
fn mistakes_of_a_configuration_have_their_place() {
    if !is_here("mistakes_of_a_configuration_have_their_place") {
        return;
    }
    let session = session(|_| "Allow once");
    session.write("infra/main.tf", "resource \"terraform_data\" \"a\" {\n  input = var.gone\n}\n");
    let result = session.call("iac_plan", json!({ "path": "infra" }));
    assert_eq!(result["success"], false, "{result}");
    let first = &result["diagnostics"][0];
    assert_eq!(
        (&first["severity"], &first["file"], &first["line"]),
        (&json!("error"), &json!("main.tf"), &json!(2)),
        "{first}"
    );
    session.write("infra/main.tf", "module \"a\" {\n  source = \"./gone\"\n}\n");
    let result = session.call("iac_plan", json!({ "path": "infra" }));
    assert!(result["note"].as_str().unwrap().contains("init: true"), "{result}");
}

#[test]
fn what_cannot_be_planned_says_why() {
    let session = Session::start("", |_| "Allow once");
    session.write("infra/main.tf", CONFIGURATION);
    let error =
        session.refused("iac_plan", json!({ "path": "infra", "tool": "pulumi" }), "E_UNSUPPORTED");
    assert!(error.message.contains("anew"), "{error:?}");
    let error =
        session.refused("iac_plan", json!({ "path": "infra", "tool": "helm" }), "E_UNSUPPORTED");
    assert!(error.data["hint"].as_str().unwrap().contains("kube_diff"), "{error:?}");
    session.refused("iac_plan", json!({ "path": "infra", "tool": "make" }), "E_INVALID_PARAMS");
    session.refused("iac_plan", json!({ "path": "../x" }), "E_PATH_FORBIDDEN");
    session.refused(
        "iac_plan",
        json!({ "path": "infra", "vars": { "a=b": 1 } }),
        if on_path() { "E_INVALID_PARAMS" } else { "E_UNAVAILABLE" },
    );
    session.refused("iac_plan", json!({ "path": "infra", "timeout_ms": 0 }), "E_INVALID_PARAMS");
    assert!(session.questions().is_empty());
}

fn on_path() -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("terraform").is_file() || folder.join("tofu").is_file())
}
