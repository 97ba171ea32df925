//! Every tool times every hostile path.

use std::collections::BTreeMap;

use super::discovery::names;
use super::paths::{Class, hostile};
use super::samples::{Attack, Role, attacks};
use super::stage::{Outcome, SHARED, Stage};

/// Calls the registered tools with all paths that `wanted` picks. The figures: calls by outcome.
fn attack(stage: &Stage, wanted: fn(&Attack, Class) -> bool) -> BTreeMap<String, usize> {
    let paths = hostile(&stage.root(), &stage.around());
    let tools = names();
    let mut figures = BTreeMap::new();
    let mut wrong = Vec::new();
    for sample in attacks().iter().filter(|sample| tools.contains(&sample.tool)) {
        stage.reset();
        for (class, path) in paths.iter().filter(|(class, _)| wanted(sample, *class)) {
            let shown: String = path.chars().take(80).collect();
            let told = format!("{} {}: {class:?} {shown:?}", sample.tool, sample.place);
            let outcome = stage.call(&sample.tool, &(sample.params)(path));
            stage.check_outside(&told);
            if let Some(expected) = verdict(sample.role, *class, &outcome) {
                let got = outcome.as_ref().map_or_else(
                    |error| format!("{}: {}", error.code, error.message),
                    |value| value.to_string().chars().take(200).collect(),
                );
                wrong.push(format!("{told}: {expected}, but {got}"));
            }
            let outcome_name =
                outcome.as_ref().map_or_else(|error| error.code.clone(), |_| "done".to_owned());
            *figures.entry(outcome_name).or_default() += 1;
            if outcome.is_ok() && sample.role.mutates() {
                stage.check_inside(&told);
                stage.reset();
            }
        }
        stage.check_alive(&sample.tool);
        stage.check_inside(&sample.tool);
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    figures
}

/// What should have happened, where something else did.
fn verdict(role: Role, class: Class, outcome: &Outcome) -> Option<&'static str> {
    let code = outcome.as_ref().err().map(|error| error.code.as_str());
    let want = |held: bool, told: &'static str| (!held).then_some(told);
    if let Role::Inside(inner) = role {
        // How such a text is read is the tool's affair: as long as nothing is done.
        let leads_out = matches!(class, Class::Out | Class::ThroughLink | Class::NotPath);
        let may_do = !leads_out || *inner == Role::Tree;
        return want(may_do || code.is_some(), "must fail");
    }
    let one_of = |codes: &[&str]| code.is_some_and(|code| codes.contains(&code));
    let follows = role.follows_links();
    match (class, role) {
        // An editor without show support may fail with that error first.
        (Class::Out | Class::ThroughLink, Role::Show) => want(
            one_of(&["E_PATH_FORBIDDEN", "E_UNSUPPORTED", "E_NO_EDITOR"]),
            "must be E_PATH_FORBIDDEN",
        ),
        (Class::NotPath, Role::Show) => want(code.is_some(), "must fail"),
        (Class::Out | Class::ThroughLink, _) => {
            want(one_of(&["E_PATH_FORBIDDEN"]), "must be E_PATH_FORBIDDEN")
        }
        (Class::NotPath, _) => want(one_of(&["E_INVALID_PARAMS"]), "must be E_INVALID_PARAMS"),
        (Class::LinkOut | Class::Loop, Role::Make) => {
            want(one_of(&["E_PATH_FORBIDDEN", "E_EXISTS"]), "must be E_PATH_FORBIDDEN or E_EXISTS")
        }
        (Class::LinkOut | Class::Loop, Role::Show) => want(code.is_some(), "must fail"),
        // An entry may be reported as the link it is; what it leads to stays unread in any case.
        (Class::LinkOut | Class::Loop, Role::Example) => None,
        (Class::LinkOut | Class::Loop, _) if follows => {
            want(one_of(&["E_PATH_FORBIDDEN"]), "must be E_PATH_FORBIDDEN")
        }
        (Class::Special, Role::Read | Role::Change) => {
            want(one_of(&["E_UNSUPPORTED"]), "must be E_UNSUPPORTED")
        }
        (Class::Special, Role::Make | Role::Tree | Role::Run) => want(code.is_some(), "must fail"),
        (Class::Root, Role::Take) => {
            want(one_of(&["E_PATH_FORBIDDEN"]), "must be E_PATH_FORBIDDEN")
        }
        _ => None,
    }
}

fn print(what: &str, figures: &BTreeMap<String, usize>) {
    let total: usize = figures.values().sum();
    let told: Vec<_> = figures.iter().map(|(code, count)| format!("{code} {count}")).collect();
    println!("| {what} | {total} calls | 0 escapes | {} |", told.join(", "));
}

/// The person approves everything: the sandbox must hold without the policy.
#[test]
fn no_path_of_any_tool_escapes_the_workspace() {
    let stage = Stage::new(true);
    let figures = attack(&stage, |_, class| class != Class::Guarded);
    print("hostile paths, all leave given", &figures);
}

#[test]
fn files_that_programs_run_are_not_written_without_approval() {
    let stage = Stage::new(false);
    let paths = hostile(&stage.root(), &stage.around());
    let tools = names();
    let mut figures = BTreeMap::new();
    let mut mutating = attacks();
    mutating.retain(|sample| sample.role.mutates() && tools.contains(&sample.tool));
    for sample in &mutating {
        stage.reset();
        for (class, path) in &paths {
            if *class != Class::Guarded {
                continue;
            }
            let told = format!("{} {}: {path}", sample.tool, sample.place);
            let outcome = stage.call(&sample.tool, &(sample.params)(path));
            let error = outcome.expect_err(&told);
            // A missing path may be reported as missing; nothing may be created.
            let is_right = match error.code.as_str() {
                "E_DENIED" => true,
                "E_FILE_NOT_FOUND" | "E_PATH_NOT_FOUND" => !stage.root().join(path).exists(),
                "E_EXISTS" => sample.role.plain() == Role::Make,
                "E_NO_MATCH" | "E_INVALID_PARAMS" | "E_UNSUPPORTED" => {
                    sample.role.plain() == Role::Change
                }
                _ => false,
            };
            assert!(is_right, "{told}: {} {}", error.code, error.message);
            *figures.entry(error.code).or_default() += 1;
            stage.check_outside(&told);
        }
        let tasks = std::fs::read(stage.root().join(".vscode/tasks.json")).unwrap();
        assert_eq!(tasks, b"inside\n", "{}", sample.tool);
        for made in [".git", ".GIT", ".Git", ".idea", ".tandem", "x.code-workspace", ".git."] {
            assert!(!stage.root().join(made).exists(), "{}: {made}", sample.tool);
        }
    }
    print("guarded names, nobody to ask", &figures);
}

/// A tool that changes a file with a second name outside leaves the other name's content alone.
#[test]
fn a_hard_link_outside_keeps_its_content() {
    let stage = Stage::new(true);
    let old = SHARED.trim_end();
    for (tool, params) in [
        (
            "apply_edit",
            serde_json::json!({ "path": "hard.txt", "old_text": old, "new_text": "hacked" }),
        ),
        ("write_file", serde_json::json!({ "path": "hard.txt", "content": "hacked\n" })),
        (
            "edit_file",
            serde_json::json!({ "path": "hard.txt", "old_content": old, "new_content": "hacked" }),
        ),
    ] {
        if !names().contains(tool) {
            continue;
        }
        stage.reset();
        stage.call(tool, &params).unwrap_or_else(|error| panic!("{tool}: {}", error.data));
        let inside = std::fs::read_to_string(stage.root().join("hard.txt")).unwrap();
        assert_eq!(inside, "hacked\n", "{tool}");
        stage.check_outside(tool);
    }
}
