//! `diagnostics` of edits, against the problems that another workspace finds in the same files.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use workspace::{Root, Workspace};

use crate::Tools;

const FILES: usize = 6;
/// Lines that a file is made of: names that its neighbours define, or not.
const LINES: &[&str] = &[
    "import os",
    "import no_such_module_here",
    "from m1 import f1, g1",
    "from m2 import f2",
    "from m3 import missing",
    "def f1(): return 1",
    "def g1(a): return a",
    "def f2():\n    unused = 1\n    return 2",
    "print(f1())",
    "print(undefined_name)",
    "print(os.sep, f2)",
    "value = (1,",
    "class C:\n    def f3(self): return other_name",
    "",
];

/// A generator of numbers; the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn text(&mut self) -> String {
        let count = 1 + self.below(7);
        (0..count).map(|_| format!("{}\n", LINES[self.below(LINES.len())])).collect()
    }
}

type Counts = BTreeMap<(String, String, String), i64>;

/// The problems of all files, counted, as `get_diagnostics` finds them.
fn problems(tools: &Tools<'_>) -> Counts {
    let mut counts = Counts::new();
    let found = tools.call("get_diagnostics", json!({ "path": "." }));
    for file in found["files"].as_array().unwrap() {
        for one in file["diagnostics"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let key = (text(&file["path"]), text(&one["code"]), message(one));
            *counts.entry(key).or_default() += 1;
        }
    }
    counts
}

/// A message without its numbers: the line that it names may move.
fn message(one: &Value) -> String {
    one["message"].as_str().unwrap().replace(|c: char| c.is_ascii_digit(), "")
}

fn add(counts: &mut Counts, entries: &Value, sign: i64) {
    for one in entries.as_array().unwrap() {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let key = (text(&one["path"]), text(&one["code"]), message(one));
        *counts.entry(key).or_default() += sign;
    }
}

fn sha(path: &Path) -> String {
    workspace::ContentHash::digest(&std::fs::read(path).unwrap()).to_string()
}

/// Many random edits, some of them dry runs, with other programs writing in between. Each answer must be
/// the difference of what is found before and after, by a workspace that knows of every write.
fn random_edits(edits: usize, check_every: usize) {
    let dir = tempfile::tempdir().unwrap();
    let path = |number: usize| dir.path().join(format!("m{number}.py"));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for number in 0..FILES {
        std::fs::write(path(number), random.text()).unwrap();
    }
    let open = || {
        let workspace = Workspace::new(vec![Root::open(dir.path()).unwrap()]);
        workspace.snapshot().index_on_demand();
        workspace
    };
    let (workspace, reference) = (open(), open());
    let (tools, oracle) = (Tools::new(&workspace), Tools::new(&reference));
    let notify = |number: usize| {
        reference.files_changed([workspace::uri_of_path(&path(number))]);
    };
    let mut checked = 0;
    for round in 0..edits {
        if random.below(8) == 0 {
            // Another program, of which nobody is notified.
            let number = random.below(FILES);
            std::fs::write(path(number), random.text()).unwrap();
            notify(number);
        }
        let number = random.below(FILES);
        let is_checked = round % check_every == 0;
        let before = is_checked.then(|| problems(&oracle));
        let text = random.text();
        // A commit waits for the disk: most edits are made by another program after a dry run.
        let is_dry_run = random.below(8) > 0;
        let params = json!({ "path": format!("m{number}.py"), "content": text,
            "dry_run": is_dry_run, "diagnostics": true });
        let result = tools.call("apply_edit", params);
        if is_dry_run {
            // Another program makes the change that was only planned.
            std::fs::write(path(number), &text).unwrap();
        }
        notify(number);
        let field = &result["diagnostics"];
        if result["changed"] == true {
            let file = &field["files"][0];
            assert_eq!(file["hash"], sha(&path(number)), "{round}: {result}");
        }
        let Some(before) = before else { continue };
        let after = problems(&oracle);
        let is_broken = |counts: &Counts, file: &str| {
            counts.keys().any(|(path, code, _)| path == file && code == "syntax-error")
        };
        let own = format!("m{number}.py");
        let is_unknown = |file: &str| is_broken(&before, file) || is_broken(&after, file);
        let is_pending = field["pending"].as_array().is_some_and(|list| !list.is_empty());
        assert!(is_pending || result["changed"] != true || !is_unknown(&own), "{result}");
        // Names are not known in a broken file, nor what it means for others.
        let is_own_unknown = is_unknown(&own);
        let broken: Vec<String> = (0..FILES)
            .map(|number| format!("m{number}.py"))
            .filter(|file| is_unknown(file))
            .collect();
        let mut difference = after;
        for (key, count) in before {
            *difference.entry(key).or_default() -= count;
        }
        add(&mut difference, &field["introduced"], -1);
        add(&mut difference, &field["fixed"], 1);
        let is_known = |(path, code, _): &(String, String, String)| {
            code == "syntax-error" || !(is_own_unknown || broken.contains(path))
        };
        difference.retain(|key, count| *count != 0 && is_known(key));
        assert!(difference.is_empty(), "{round}: {difference:#?}\n{result:#}");
        checked += 1;
    }
    assert!(checked >= edits / check_every);
}

#[test]
fn no_answer_is_stale() {
    // `EDITS=10000` takes a minute.
    let edits = std::env::var("EDITS").ok().and_then(|edits| edits.parse().ok());
    random_edits(edits.unwrap_or(1_500), 25);
}
