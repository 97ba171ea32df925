//! The official conformance suite.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use tests::Home;

use crate::transports::Listening;

/// Why checks fail: they look for tools, resources and prompts of the suite's own, which no tool of ours
/// can stand for.
const WITHOUT_FIXTURE: &[(&str, &[&str])] = &[
    (
        "results with pictures, sound or resources: no tool returns them",
        &[
            "tools-call-audio",
            "tools-call-embedded-resource",
            "tools-call-image",
            "tools-call-mixed-content",
        ],
    ),
    ("a resource that is not text: none is", &["resources-read-binary"]),
    (
        "prompts with two arguments, a resource or a picture: there are none",
        &["prompts-get-embedded-resource", "prompts-get-with-args", "prompts-get-with-image"],
    ),
    ("a prompt that asks: none does", &["sep-2322-non-tool-incomplete"]),
    (
        "requests for the client's model or its roots: no tool makes any during a call",
        &[
            "sep-2322-list-roots-incomplete",
            "sep-2322-multiple-inputs-incomplete",
            "sep-2322-respect-client-capabilities",
            "sep-2322-sampling-incomplete",
            "sep-2575-missing-capability-http-400",
            "sep-2575-server-rejects-undeclared-capability",
            "tools-call-sampling",
        ],
    ),
    (
        "forms with other fields: approvals have one, `answer`",
        &[
            "elicitation-sep1034-general",
            "elicitation-sep1330-general",
            "sep-2322-elicitation-incomplete",
        ],
    ),
    ("a tool that asks twice: none does", &["sep-2322-multi-round-r1"]),
    (
        "tools that are listed under the suite's names",
        &[
            "json-schema-2020-12-tool-found",
            "sep-2575-http-server-no-independent-requests-on-stream",
            "sep-2575-server-no-log-without-loglevel",
        ],
    ),
    ("a tool that logs three messages: no call does", &["tools-call-with-logging"]),
    (
        "parameters that are sent as headers: no tool has any",
        &[
            "sep-2243-server-decode-base64",
            "sep-2243-server-no-xmcp-tool",
            "sep-2243-server-reject-invalid-param-chars",
            "sep-2243-server-reject-param-mismatch",
            "sep-2243-server-validate-param-match",
        ],
    ),
    (
        "tools that ask while they are a task: an approval comes before it",
        &[
            "sep-2663-mrtr-synchronous-before-task-creation",
            "sep-2663-tasks-get-status-input-required",
            "tasks-mrtr-partial-fulfillment",
            "tasks-mrtr-tasks-update-resumes",
            "tasks-result-type-complete-on-non-task-responses",
        ],
    ),
    (
        "a tool that needs tasks, or fails in the protocol: none does",
        &[
            "sep-2663-server-returns-missing-capability-when-required",
            "sep-2663-tasks-get-status-failed",
        ],
    ),
];

/// Checks of the suite that pass.
const MIN_PASSED: usize = 165;

#[test]
fn the_conformance_suite_finds_only_what_needs_its_fixtures() {
    let (Some(node), Some(suite)) = (tests::component("node"), tests::component("mcp-conformance"))
    else {
        tests::skip("the_conformance_suite", "mcp-conformance");
        return;
    };
    let home = Home::new();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[policy.allow]\nrun = [\"sleep *\", \"echo *\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    for (name, text) in [
        ("static.txt", "static\n"),
        ("123.txt", "of 123\n"),
        ("greet-World.txt", "Hello, World!"),
        ("greet-sep-2243.txt", "Hello, sep-2243!"),
        ("greet-legacy-hint.txt", "Hello, legacy-hint!"),
        ("greet-rt.txt", "Hello, rt!"),
    ] {
        std::fs::write(home.root().join(name), text).unwrap();
    }
    let server = Listening::start(&home);
    let mut command = Command::new(node);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/conformance.mjs")).arg(suite);
    command.args([&server.url, &server.token, &format!("file://{}", home.root().display())]);
    let outcome = command.output().unwrap();
    let stdout = String::from_utf8(outcome.stdout).unwrap();
    let reports: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed = reports.iter().flat_map(|report| report["failed"].as_array().unwrap());
    let known: BTreeSet<&str> =
        WITHOUT_FIXTURE.iter().flat_map(|(_, checks)| checks.iter().copied()).collect();
    let mut found = BTreeSet::new();
    for check in failed {
        let id = check["id"].as_str().unwrap();
        assert!(known.contains(id), "{check}");
        found.insert(id);
    }
    let passing: Vec<_> = known.difference(&found).collect();
    assert!(passing.is_empty(), "these pass now: {passing:?}");
    let passed = reports.iter().map(|report| report["passed"].as_array().unwrap().len());
    let passed: usize = passed.sum();
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    assert!(passed >= MIN_PASSED, "only {passed} checks passed: {stderr}");
}
