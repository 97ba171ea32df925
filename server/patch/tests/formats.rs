//! Each format as specified, and with the mistakes that models make.

use patch::formats::{Change, FilePatches, FormatError, parse};
use patch::{FailureCode, Options, Patch, plan};

fn updates(input: &str) -> Vec<(Option<String>, Vec<Patch>)> {
    parse(input)
        .unwrap_or_else(|error| panic!("{error}"))
        .into_iter()
        .map(|file| match file.change {
            Change::Update(patches) => (file.path, patches),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn one(input: &str) -> (Option<String>, Vec<Patch>) {
    let mut all = updates(input);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// A patch without the other reading of its context.
fn as_marked(patch: &Patch) -> Patch {
    Patch { unmarked: None, ..patch.clone() }
}

fn file(path: &str, change: Change) -> FilePatches {
    FilePatches { path: Some(path.into()), change, executable: false }
}

#[test]
fn search_replace() {
    let (path, patches) = one(
        "Here is it:\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n\n```python\n<<<<<<< SEARCH\ny\n=======\n>>>>>>> REPLACE\n```\n",
    );
    assert_eq!(path.as_deref(), Some("src/a.py"));
    assert_eq!(patches, [Patch::new("x = 1\n", "x = 2\n"), Patch::new("y\n", "")]);
    let (path, patches) = one(
        "<<<<<<< SEARCH\n:start_line:10\n:end_line:11\n-------\na\n=======\nb\n>>>>>>> REPLACE",
    );
    assert_eq!((path, &patches[0].old_text[..]), (None, "a\n"));
    assert_eq!((patches[0].start_line, patches[0].end_line), (Some(10), Some(11)));
    assert_eq!(
        parse("new.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n"),
        Ok(vec![file("new.txt", Change::Create("hello\n".into()))])
    );
    let (path, _) =
        one("**`src/a b.rs`**:\n<<<<<<< SEARCH\r\na\r\n=======\r\nb\r\n>>>>>>> REPLACE\r\n");
    assert_eq!(path.as_deref(), Some("src/a b.rs"));
}

#[test]
fn search_replace_that_could_be_read_in_two_ways() {
    for broken in [
        "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\na\n=======\nb\n",
        "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
        ">>>>>>> REPLACE\n<<<<<<< SEARCH\n",
    ] {
        assert!(matches!(parse(broken), Err(FormatError::Line { .. })), "{broken}");
    }
    let (_, patches) =
        one("<<<<<<< SEARCH\nTitle\n\\=======\n=======\nName\n\\=======\n>>>>>>> REPLACE\n");
    assert_eq!(patches[0], Patch::new("Title\n=======\n", "Name\n=======\n"));
}

#[test]
fn unified() {
    let (path, patches) = one(
        "--- a/src/x.c\t2020-01-01\n+++ b/src/x.c\n@@ -3,99 +3,1 @@ int f()\n a\n-b\n+c\n\n d\n@@ -20 +20 @@\n-e\n+f\n\\ No newline at end of file\n",
    );
    assert_eq!(path.as_deref(), Some("src/x.c"));
    let first = Patch {
        heading: Some("int f()".into()),
        ..Patch::new("a\nb\n\nd\n", "a\nc\n\nd\n").at_line(3)
    };
    assert_eq!(as_marked(&patches[0]), first);
    assert_eq!(patches[1], Patch::new("e\n", "f").at_line(20));
    // Bare hunks, lost marks, a fence around, an SQL comment that looks like a header.
    let (path, patches) = one("```diff\n@@ @@\n one\ntwo\n--- three\n+-- four\n```\n");
    assert_eq!(
        (path, patches.iter().map(as_marked).collect()),
        (None, vec![Patch::new("one\ntwo\n-- three\n", "one\ntwo\n-- four\n")]),
    );
}

#[test]
fn unified_files() {
    assert_eq!(
        parse(
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\ndiff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\ndiff --git a/p b/q\nsimilarity index 100%\nrename from p\nrename to q\n"
        ),
        Ok(vec![
            file("n", Change::Create("a\nb\n".into())),
            file("o", Change::Delete(vec![Patch::new("a\n", "").at_line(1)])),
            file("p", Change::Move { to: "q".into(), patches: vec![] }),
        ])
    );
    let files =
        updates("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n");
    assert_eq!(files.len(), 2);
    assert_eq!(files[1], (Some("y".into()), vec![Patch::new("c\n", "d\n").at_line(1)]));
}

#[test]
fn envelope() {
    let input = "*** Begin Patch\n*** Add File: a/new.py\n+x = 1\n+\n+y = 2\n*** Delete File: old.py\n*** Update File: m.py\n*** Move to: n.py\n@@ class A:\n@@     def f(self):\n-        return 1\n+        return 2\n@@\n a\n+b\n*** End of File\n*** End Patch\n";
    let files = parse(input).expect("an envelope");
    assert_eq!(files[0], file("a/new.py", Change::Create("x = 1\n\ny = 2\n".into())));
    assert_eq!(files[1], file("old.py", Change::Delete(vec![])));
    let Change::Move { to, patches } = &files[2].change else { panic!("{files:?}") };
    assert_eq!(to, "n.py");
    assert_eq!(patches[0].within, ["class A:", "def f(self):"]);
    assert_eq!(as_marked(&patches[1]), Patch { at_end: true, ..Patch::new("a\n", "a\nb\n") });
    assert!(parse("*** Begin Patch\nnonsense\n*** End Patch\n").is_err());
    assert!(parse("*** Begin Patch\n*** Update File: a\n*** End Patch\n").is_err());
    assert!(parse("*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n").is_err());
}

#[test]
fn anchors_decide_between_twins_only() {
    let text = "class A:\n    def f(self):\n        return 1\n    def g(self):\n        return 1\nclass B:\n    def f(self):\n        return 1\n";
    let patch = |within: &[&str]| Patch {
        within: within.iter().map(|&line| line.to_owned()).collect(),
        ..Patch::new("        return 1\n", "        return 2\n")
    };
    let at = |within: &[&str]| {
        plan(text, &[patch(within)], &Options::default())
            .ok()
            .map(|plan| plan.outcomes[0].start_line)
    };
    assert_eq!(at(&["class B:", "def f(self):"]), Some(8));
    assert_eq!(at(&["def g(self):"]), Some(5));
    assert_eq!(at(&["class B:"]), Some(8));
    assert_eq!(at(&["class A:", "def f(self):"]), Some(3));
    assert_eq!(at(&["def f(self):"]), None);
    assert_eq!(at(&["class C:"]), None);
}

#[test]
fn an_anchor_that_is_a_whole_line_is_not_the_beginning_of_another() {
    let text = "\
run({
    usage: new Usage({ none }),
    made: embed(input),
    other: {
        usage: new Usage({
            tokens: 1,
        }),
    },
});
";
    let patch = |anchor: &str| Patch {
        within: vec![anchor.to_owned()],
        ..Patch::new("    made: embed(input),\n", "    made: embed(other),\n")
    };
    let report = plan(text, &[patch("usage: new Usage({")], &Options::default());
    assert_eq!(report.expect_err("the anchor is below").failures[0].code, FailureCode::Ambiguous);
    // The beginning of a line is enough where no line is the whole anchor.
    assert!(plan(text, &[patch("usage: new")], &Options::default()).is_ok());
}

#[test]
fn a_fence_is_no_file() {
    for input in [
        "src/a.rs\n```rust\nfn a() {}\n```\n",
        "```\nx\n```",
        "```\n```",
        "pip install x",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        "I would change the code.",
        "",
    ] {
        assert_eq!(parse(input), Err(FormatError::Unknown), "{input}");
    }
}

fn assert_refused(input: &str) {
    assert!(matches!(parse(input), Err(FormatError::Line { .. })), "{input}: {:?}", parse(input));
}

#[test]
fn every_line_is_accounted_for() {
    // A fence in the context of a README is context.
    let (_, patches) =
        one("--- a/R.md\n+++ b/R.md\n@@ -1,5 +1,5 @@\n ```sh\n-old\n+new\n ```\n tail\n-x\n+y\n");
    assert_eq!(
        as_marked(&patches[0]),
        Patch::new("```sh\nold\n```\ntail\nx\n", "```sh\nnew\n```\ntail\ny\n").at_line(1)
    );
    // What looks like a header at the end of a hunk is a change.
    let (_, patches) = one("--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@\n a\n--- i;\n+++ i;\n");
    assert_eq!(as_marked(&patches[0]), Patch::new("a\n-- i;\n", "a\n++ i;\n").at_line(1));
    assert_refused(
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d\n",
    );
    assert_refused(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    );
    assert_refused("*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n");
    assert_refused(
        "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d\n",
    );
    assert_refused("diff --git a/x b/x\n--- a/x\n+++ b/x\n+lost\n@@ -1 +1 @@\n-c\n+d\n");
    assert_refused("diff --git a/x b/x\nGIT binary patch\nliteral 3\n");
    // Words after a diff are none of it.
    let (_, patches) = one("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d\n\nThis changes c.\n");
    assert_eq!(patches, [Patch::new("c\n", "d\n").at_line(1)]);
    let (_, patches) =
        one("```diff\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-c\n+d\n```\nThis changes c.\n");
    assert_eq!(patches, [Patch::new("c\n", "d\n").at_line(1)]);
}

#[test]
fn context_without_marks() {
    let text = "def f():\n    x = 1\n    y = 2\n";
    let input = "*** Begin Patch\n*** Update File: a.py\n@@\n    x = 1\n+    z = 3\n    y = 2\n*** End Patch\n";
    let (_, patches) = one(input);
    let plan = plan(text, &patches, &Options::default()).expect("a place");
    assert_eq!(plan.apply(text), "def f():\n    x = 1\n    z = 3\n    y = 2\n");
    let (_, patches) = one("--- a/a.tex\n+++ b/a.tex\n@@ -1,3 +1,3 @@\n a\n\\section{B}\n-c\n+d\n");
    assert_eq!(
        as_marked(&patches[0]),
        Patch::new("a\n\\section{B}\nc\n", "a\n\\section{B}\nd\n").at_line(1)
    );
}

#[test]
fn the_mode_of_a_new_file() {
    let made = parse(
        "diff --git a/x.sh b/x.sh\nnew file mode 100755\n--- /dev/null\n+++ b/x.sh\n@@ -0,0 +1 @@\n+ls\n",
    );
    let made = made.expect("a diff").remove(0);
    assert_eq!((made.change, made.executable), (Change::Create("ls\n".into()), true));
}

#[test]
fn names_of_files() {
    let names = |input: &str| parse(input).expect("a diff").remove(0);
    let (path, _) = one("--- x.c.orig\n+++ x.c\n@@ -1 +1 @@\n-c\n+d\n");
    assert_eq!(path.as_deref(), Some("x.c"));
    let (path, _) =
        one("--- \"a/\\303\\274ber.c\"\n+++ \"b/\\303\\274ber.c\"\n@@ -1 +1 @@\n-c\n+d\n");
    assert_eq!(path.as_deref(), Some("über.c"));
    let copy = names("diff --git a/p b/q\nsimilarity index 100%\ncopy from p\ncopy to q\n");
    assert_eq!(copy, file("p", Change::Copy { to: "q".into(), patches: vec![] }));
    let (path, patches) =
        one("src/a.py\n<source>\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n</source>\n");
    assert_eq!(
        (path.as_deref(), &patches[..]),
        (Some("src/a.py"), &[Patch::new("x\n", "y\n")][..])
    );
}

#[test]
fn headings_and_anchors_are_obeyed() {
    let text = "def a():\n    return 1\n\ndef b():\n    return 2\n";
    let at = |input: &str| {
        let (_, patches) = one(input);
        plan(text, &patches, &Options::default()).ok().map(|plan| plan.outcomes[0].start_line)
    };
    let envelope = |head: &str| {
        format!(
            "*** Begin Patch\n*** Update File: a\n@@ {head}\n-    return 1\n+    return 3\n*** End Patch\n"
        )
    };
    assert_eq!(at(&envelope("def a():")), Some(2));
    assert_eq!(at(&envelope("def b():")), None);
    assert_eq!(at(&envelope("def c():")), None);
    let unified = |head: &str| format!("@@ -2 +2 @@ {head}\n-    return 1\n+    return 3\n");
    assert_eq!(at(&unified("def a():")), Some(2));
    assert_eq!(at(&unified("def b():")), None);
    // A text of nothing but a byte order mark has no lines to be below.
    let (_, patches) =
        one("*** Begin Patch\n*** Update File: a\n@@ x\n-\u{feff}\n+y\n*** End Patch\n");
    assert!(plan("\u{feff}", &patches, &Options::default()).is_err());
    // A heading that is not in this version of the file says nothing.
    assert_eq!(at(&unified("def c():")), Some(2));
}

#[test]
fn added_lines_alone() {
    let text = "def a():\n    x = 1\n\ndef b():\n    y = 1\n";
    let made = |input: &str| {
        let (_, patches) = one(input);
        plan(text, &patches, &Options::default()).ok().map(|plan| plan.apply(text))
    };
    let envelope =
        |lines: &str| made(&format!("*** Begin Patch\n*** Update File: a\n{lines}*** End Patch\n"));
    assert_eq!(
        envelope("@@ def b():\n+    z = 2\n"),
        Some("def a():\n    x = 1\n\ndef b():\n    z = 2\n    y = 1\n".into())
    );
    let at_end = Some(format!("{text}z = 2\n"));
    assert_eq!(envelope("@@\n+z = 2\n*** End of File\n"), at_end);
    assert_eq!(made("--- a/a\n+++ b/a\n@@ -5,0 +6 @@\n+z = 2\n"), at_end);
    // Without either nothing says where.
    assert_eq!(envelope("@@\n+z = 2\n"), None);
    assert_eq!(made("--- a/a\n+++ b/a\n@@ -3,0 +4 @@\n+z = 2\n"), None);
    assert_eq!(envelope("@@ def c():\n+    z = 2\n"), None);
}

#[test]
fn a_path_in_a_fence_of_its_own() {
    let block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n";
    let (path, _) = one(&format!("```python\nsrc/a.py\n```\n```python\n{block}"));
    assert_eq!(path.as_deref(), Some("src/a.py"));
    // What stands in a fence with more in it is no path.
    let (path, _) = one(&format!("```\nmake\nsrc/a.py\n```\n```python\n{block}"));
    assert_eq!(path, None);
}

#[test]
fn blanks_before_the_line_of_a_section() {
    let (path, patches) =
        one("*** Begin Patch\n  *** Update File: a.txt\n@@\n-a\n+b\n*** End Patch\n");
    assert_eq!(path.as_deref(), Some("a.txt"));
    assert_eq!(as_marked(&patches[0]), Patch::new("a\n", "b\n"));
    // In a hunk it is a line of the file.
    let (_, patches) = one(
        "*** Begin Patch\n*** Update File: a.md\n@@\n *** Update File: b\n-a\n+b\n*** End Patch\n",
    );
    assert_eq!(patches[0].old_text, "*** Update File: b\na\n");
}
