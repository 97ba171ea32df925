//! Known answers: cases in which other engines damage files, and harder ones.

use patch::{FailureCode, Options, OutcomeKind, Patch, Strategy, plan};

/// The text after the patch, and the tier that found the place.
fn applied(text: &str, patch: Patch) -> (String, Strategy) {
    match plan(text, std::slice::from_ref(&patch), &Options::default()) {
        Ok(plan) => (plan.apply(text), plan.outcomes[0].strategy),
        Err(report) => panic!("{report}\n{patch:?}\n{text}"),
    }
}

#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: &str, strategy: Strategy) {
    assert_eq!(applied(text, Patch::new(old, new)), (expected.to_owned(), strategy));
}

#[track_caller]
fn refused(text: &str, old: &str, new: &str, code: FailureCode) {
    refused_patch(text, Patch::new(old, new), code);
}

#[track_caller]
fn refused_patch(text: &str, patch: Patch, code: FailureCode) {
    match plan(text, &[patch], &Options::default()) {
        Ok(plan) => panic!("{:?} made\n{}", plan.outcomes, plan.apply(text)),
        Err(report) => assert_eq!(report.failures[0].code, code, "{report}"),
    }
}

#[track_caller]
fn kind(text: &str, patch: Patch) -> OutcomeKind {
    let plan =
        plan(text, &[patch], &Options::default()).unwrap_or_else(|report| panic!("{report}"));
    let kind = plan.outcomes[0].kind;
    assert_eq!(kind == OutcomeKind::Applied, !plan.is_unchanged());
    kind
}

const TWINS: &str = "def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n";

#[test]
fn exact() {
    check("a = 1\nb = 2\n", "b = 2", "b = 3", "a = 1\nb = 3\n", Strategy::Exact);
    check("foo(bar, baz)\n", "bar", "$1 \\0 $& {}", "foo($1 \\0 $& {}, baz)\n", Strategy::Exact);
    check("a\nb\nc\n", "b\n", "", "a\nc\n", Strategy::Exact);
    check(
        "x = compute(a, b)  # note\n",
        "compute(a, b)",
        "run(a)",
        "x = run(a)  # note\n",
        Strategy::Exact,
    );
    check("a", "a", "b", "b", Strategy::Exact);
    check("\n", "\n", "x\n", "x\n", Strategy::Exact);
}

#[test]
fn duplicates_are_refused() {
    refused(TWINS, "    x = 1\n", "    x = 2\n", FailureCode::Ambiguous);
    refused("aaa\n", "aa", "b", FailureCode::Ambiguous);
    refused("  foo()\n      foo()\n", "    foo()\n", "    bar()\n", FailureCode::Ambiguous);
    refused(
        "if a:\n  foo()\nif b:\n\tfoo()\n",
        "    foo()\n",
        "    bar()\n",
        FailureCode::Ambiguous,
    );
    refused("foo( a )\nfoo(  a  )\n", "foo(   a   )\n", "bar()\n", FailureCode::Ambiguous);
    refused("say “a”\nsay „a“\n", "say \"a\"", "x", FailureCode::Ambiguous);
}

#[test]
fn ambiguity_names_lines_and_what_would_settle_it() {
    let report = plan(TWINS, &[Patch::new("    x = 1\n", "    x = 2\n")], &Options::default())
        .expect_err("ambiguous");
    let failure = &report.failures[0];
    let lines: Vec<usize> =
        failure.candidates.iter().map(|candidate| candidate.start_line).collect();
    assert_eq!(lines, [2, 6]);
    assert_eq!(failure.candidates[0].unique_line.as_deref(), Some("def a():"));
    assert_eq!(failure.candidates[1].unique_line.as_deref(), Some("def b():"));
    assert_eq!(failure.candidates[1].text, "    x = 1\n");
    assert!(failure.hint.as_deref().is_some_and(|hint| hint.contains("start_line")));
}

#[test]
fn hints_rank_candidates() {
    let patch = Patch::new("    x = 1\n", "    x = 2\n");
    let second = TWINS.replacen("def b():\n    x = 1", "def b():\n    x = 2", 1);
    assert_eq!(applied(TWINS, patch.clone().at_line(6)).0, second);
    // A number that is off by a line may as well be off by what came in above.
    refused_patch(TWINS, patch.clone().at_line(7), FailureCode::Ambiguous);
    refused_patch(TWINS, patch.clone().at_line(4), FailureCode::Ambiguous);
    refused_patch(TWINS, patch.clone().at_line(900), FailureCode::Ambiguous);
    refused_patch(
        TWINS,
        Patch { start_line: Some(6), end_line: Some(2), ..patch },
        FailureCode::Ambiguous,
    );
    // A hint never makes another text match, and a stale one does not hinder.
    refused_patch(TWINS, Patch::new("    y = 1\n", "").at_line(2), FailureCode::NoMatch);
    let plan = plan(TWINS, &[Patch::new("def b", "def c").at_line(1)], &Options::default())
        .expect("unique");
    assert_eq!(plan.outcomes[0].hint_off_by, Some(4));
    assert_eq!((plan.outcomes[0].start_line, plan.outcomes[0].end_line), (5, 5));
}

#[test]
fn line_endings() {
    check("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n", Strategy::LineEndings);
    check("a\r\nb\r\nc\r\n", "b", "b\nb2", "a\r\nb\r\nb2\r\nc\r\n", Strategy::Exact);
    check("a\nb\n", "a\r\nb\r\n", "a\r\nx\r\n", "a\nx\n", Strategy::LineEndings);
    check("a\nb\r\nc\rd", "b\nc\n", "b\nx\nc\n", "a\nb\r\nx\r\nc\rd", Strategy::LineEndings);
    check("a\nb\nc\r\n", "a\nb", "a\nx", "a\nx\nc\r\n", Strategy::Exact);
    check("a\r\nb", "a\nb\n", "a\nc\n", "a\r\nc", Strategy::LineEndings);
    check("a\nb", "b\n", "c\n", "a\nc", Strategy::LineEndings);
    check("a\nb", "b", "c\n", "a\nc\n", Strategy::Exact);
    check("a\nb", "a\nb\n", "a\nb\nc\n", "a\nb\nc", Strategy::LineEndings);
    // What only line endings tell apart cannot be told apart by a reader.
    refused("x\r\ny\r\nq\nx\ny\n", "x\ny\n", "z\n", FailureCode::Ambiguous);
    // The CR of a CRLF is never cut off.
    check("a\r\nfoo\r\n", "\nfoo", "\nbar", "a\r\nbar\r\n", Strategy::LineEndings);
    // A patch about line endings says so.
    check("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n", Strategy::Exact);
}

#[test]
fn byte_order_mark() {
    check("\u{feff}a = 1\nb\n", "a = 1\n", "a = 2\n", "\u{feff}a = 2\nb\n", Strategy::Exact);
    check(
        "\u{feff}    a = 1\n    b\n",
        "a = 1\nb\n",
        "a = 2\nb\n",
        "\u{feff}    a = 2\n    b\n",
        Strategy::Indentation,
    );
    check("a = 1\nb\n", "\u{feff}a = 1\n", "\u{feff}a = 2\n", "a = 2\nb\n", Strategy::Unicode);
}

#[test]
fn blanks_at_line_ends() {
    check("a  \nb\t\nc\n", "a\nb\n", "a\nx\n", "a  \nx\nc\n", Strategy::TrailingBlanks);
    check("a\nb\nc\n", "a  \nb\n", "a  \nx\n", "a\nx\nc\n", Strategy::TrailingBlanks);
    check("a\n   \nb\n", "a\n\nb\n", "a\n\nc\n", "a\n   \nc\n", Strategy::TrailingBlanks);
}

#[test]
fn indentation() {
    check(
        "class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n    return 1\n",
        "def f(self):\n    if x:\n        return 2\n    return 1\n",
        "class A:\n    def f(self):\n        if x:\n            return 2\n        return 1\n",
        Strategy::Indentation,
    );
    check(
        "if a {\n\tb()\n\tif c {\n\t\td()\n\t}\n}\n",
        "    b()\n    if c {\n        d()\n    }\n",
        "    b()\n    if c {\n        e()\n        while f {\n            g()\n        }\n    }\n",
        "if a {\n\tb()\n\tif c {\n\t\te()\n\t\twhile f {\n\t\t\tg()\n\t\t}\n\t}\n}\n",
        Strategy::Indentation,
    );
    check(
        "\tx()\n",
        "x()\ny()".split('\n').next().expect("x()"),
        "x()\nif z {\n    y()\n}",
        "\tx()\nif z {\n    y()\n}\n",
        Strategy::Exact,
    );
    check(
        "f {\n\tx()\n\tz()\n}\n",
        "  x()\n  z()\n",
        "  x()\n  if q {\n    y()\n  }\n  z()\n",
        "f {\n\tx()\n\tif q {\n\t\ty()\n\t}\n\tz()\n}\n",
        Strategy::Indentation,
    );
    check(
        "f:\n  a:\n    b\n",
        "    a:\n        b\n",
        "    a:\n        c\n",
        "f:\n  a:\n    c\n",
        Strategy::Indentation,
    );
    check(
        "a:\n\tcc -o x\n\tstrip x\n",
        "    cc -o x\n    strip x\n",
        "    cc -O2 -o x\n    strip x\n",
        "a:\n\tcc -O2 -o x\n\tstrip x\n",
        Strategy::Indentation,
    );
}

#[test]
fn nesting_matters() {
    let python = "if a:\n    x()\n    y()\n";
    refused(python, "if a:\n    x()\ny()\n", "if a:\n    x()\nz()\n", FailureCode::NoMatch);
    refused(python, "if a:\n    x()\n        y()\n", "", FailureCode::NoMatch);
    refused(
        "for i in a:\n    for j in b:\n        f(i)\n    g(j)\n",
        "for i in a:\n    for j in b:\n        f(i)\n        g(j)\n",
        "pass\n",
        FailureCode::NoMatch,
    );
    refused("- a\n  - b\n- c\n", "- a\n  - b\n  - c\n", "", FailureCode::NoMatch);
}

#[test]
fn first_line_without_indentation() {
    check(
        "class A {\r\n    int f() {\r\n        return 1;\r\n    }\r\n}\r\n",
        "int f() {\n        return 1;\n    }",
        "int f() {\n        return 2;\n    }",
        "class A {\r\n    int f() {\r\n        return 2;\r\n    }\r\n}\r\n",
        Strategy::LineEndings,
    );
    check(
        "class A {\n    int f() {  \n        return 1;\n    }\n}\n",
        "int f() {\n        return 1;\n    }",
        "int f() {\n        return 2;\n    }",
        "class A {\n    int f() {  \n        return 2;\n    }\n}\n",
        Strategy::FirstLine,
    );
}

#[test]
fn unicode() {
    check(
        "say “hello” now\n",
        "say \"hello\" now\n",
        "say \"goodbye\" now\n",
        "say “goodbye” now\n",
        Strategy::Unicode,
    );
    check(
        "print(“a”) # x\n",
        "print(\"a\")",
        "print(\"b\")",
        "print(“b”) # x\n",
        Strategy::Unicode,
    );
    check("a – b\n", "a - b\n", "a - c\n", "a – c\n", Strategy::Unicode);
    check(
        "caf\u{e9} = 1\n",
        "cafe\u{301} = 1\n",
        "cafe\u{301} = 2\n",
        "caf\u{e9} = 2\n",
        Strategy::Unicode,
    );
    check("x\u{a0}= 1\n", "x = 1\n", "x = 2\n", "x\u{a0}= 2\n", Strategy::Unicode);
    check("it's \"so\"\n", "it’s “so”\n", "it’s “not”\n", "it's \"not\"\n", Strategy::Unicode);
    check(
        "    wait… done\n    go\n",
        "wait... done\ngo\n",
        "wait... over\ngo\n",
        "    wait… over\n    go\n",
        Strategy::Unicode,
    );
}

#[test]
fn case_and_joined_lines_never_match() {
    refused("Value = 1\n", "value = 1\n", "x\n", FailureCode::NoMatch);
    refused("STRASSE\n", "straße\n", "x\n", FailureCode::NoMatch);
    refused("foo\nbar\n", "foo bar\n", "x\n", FailureCode::NoMatch);
    refused("foo bar\n", "foo\nbar\n", "x\n", FailureCode::NoMatch);
    refused("foo bar\n\n", "foo\nbar\n", "x\n", FailureCode::NoMatch);
}

#[test]
fn inner_blanks() {
    check(
        "int  a  = 1;\nint  bb = 2;\n",
        "int a = 1;\nint bb = 2;\n",
        "int a = 1;\nint bb = 3;\n",
        "int  a  = 1;\nint  bb = 3;\n",
        Strategy::InnerBlanks,
    );
    refused("s = \"a  b\"\n", "s = \"a b\"\n", "s = \"c\"\n", FailureCode::NoMatch);
    refused("s = 'a b'\n", "s = 'a  b'\n", "s = 'c'\n", FailureCode::NoMatch);
    refused("ab\n", "a b\n", "c\n", FailureCode::NoMatch);
}

#[test]
fn blank_lines() {
    check("a()\n\n\nb()\n", "a()\nb()\n", "a()\nc()\n", "a()\n\n\nc()\n", Strategy::BlankLines);
    check("a()\nb()\n", "a()\n\nb()\n", "a()\n\nc()\n", "a()\nc()\n", Strategy::BlankLines);
    check(
        "x()\na()\nb()\n",
        "\na()\nb()\n\n\n",
        "\na()\nc()\n\n\n",
        "x()\na()\nc()\n",
        Strategy::BlankLines,
    );
    check("a()\n\nb()\nc()\n", "a()\nb()\nc()\n", "c()\n", "c()\n", Strategy::BlankLines);
}

#[test]
fn escapes() {
    check(
        "say(\"a\")\n",
        "say(\\\"a\\\")\n",
        "say(\\\"b\\\")\n",
        "say(\"b\")\n",
        Strategy::Escapes,
    );
    check("a\n  b\nc\n", "a\\n  b\\n", "a\\n  d\\n", "a\n  d\nc\n", Strategy::Escapes);
    check(
        "if (a < b && c) {\n",
        "if (a &lt; b &amp;&amp; c) {\n",
        "if (a &lt; b) {\n",
        "if (a < b) {\n",
        Strategy::Escapes,
    );
    refused("say(\"a\")\n", "say(\\\"a\\\")\n", "say(\"b\")\n", FailureCode::NoMatch);
    // What is escaped in the file stays so.
    check("s = \"a\\nb\"\n", "\"a\\nb\"", "\"a\\nc\"", "s = \"a\\nc\"\n", Strategy::Exact);
}

#[test]
fn wrappers() {
    check(
        "a = 1\nb = 2\n",
        "```py\nb = 2\n```",
        "```py\nb = 3\n```",
        "a = 1\nb = 3\n",
        Strategy::Exact,
    );
    check(
        "def f():\n    return 1\n",
        "1\tdef f():\n2\t    return 1\n",
        "1\tdef f():\n2\t    return 2\n",
        "def f():\n    return 2\n",
        Strategy::Exact,
    );
    // A file that really has them.
    check("1 | a\n2 | b\n", "1 | a\n2 | b\n", "1 | a\n2 | c\n", "1 | a\n2 | c\n", Strategy::Exact);
}

#[test]
fn a_changed_line_keeps_its_ending_when_its_neighbour_goes() {
    let text = "begin\r\n  puts one unless two\nend\r\nrest\n";
    let (old, new) = ("begin\n  puts one unless two\nend\nrest\n", "begin\nend_all\nrest\n");
    check(text, old, new, "begin\r\nend_all\r\nrest\n", Strategy::LineEndings);
}

#[test]
fn nothing_to_do() {
    assert_eq!(kind("a\n", Patch::new("a", "a")), OutcomeKind::Unchanged);
    assert_eq!(
        kind("    a()\n    b()\n", Patch::new("a()\nb()\n", "a()  \nb()\n")),
        OutcomeKind::Applied
    );
    refused("a\n", "b", "b", FailureCode::NoMatch);
}

#[test]
fn already_there() {
    // A line that is there proves nothing of one that is not; the history does.
    let (text, patch) =
        ("def f():\n    return 22\n", Patch::new("    return 11\n", "    return 22\n"));
    refused_patch(text, patch.clone(), FailureCode::NoMatch);
    let known = |asked: &Patch| *asked == patch;
    let options = Options { applied_before: Some(&known), ..Options::default() };
    let again = plan(text, std::slice::from_ref(&patch), &options).expect("known");
    assert_eq!(again.outcomes[0].kind, OutcomeKind::AlreadyApplied);
    let text = "def f():\n    totals = 1\n    return 22\n";
    let patch = Patch::new("    totals = 1\n    return 11\n", "    totals = 1\n    return 22\n");
    assert_eq!(kind(text, patch), OutcomeKind::AlreadyApplied);
    // A short patch that repeats what it quotes, with a blank that is part of an indentation.
    let text = "foo(b,  c)\nif ready:\n    \n  }\n    \n";
    let patch = [Patch::new(" }", " }a\né e\u{301}")];
    let once = plan(text, &patch, &Options::default()).expect("one place").apply(text);
    let twice = plan(&once, &patch, &Options::default());
    assert_eq!(twice.map_or(once.clone(), |plan| plan.apply(&once)), once);
    // An insertion that was sent again.
    assert_eq!(
        kind("import a\nimport b\n", Patch::new("import a\n", "import a\nimport b\n")),
        OutcomeKind::AlreadyApplied
    );
    assert_eq!(
        kind("import a\r\nimport b\r\n", Patch::new("import a\n", "import a\nimport b\n")),
        OutcomeKind::AlreadyApplied
    );
    assert_eq!(
        kind("    a()\n    bb()\n    c()\n", Patch::new("a()\nc()\n", "a()\nbb()\nc()\n")),
        OutcomeKind::AlreadyApplied
    );
    let text = "if ready:\n  }\nreturn value(x)\nlog(x)\n";
    assert_eq!(
        kind(text, Patch::new("\n}\nreturn value(x)\n", "\n}\nreturn value(x)\nlog(x)\n")),
        OutcomeKind::AlreadyApplied
    );
    // A twin that was replaced before, told by the hint.
    assert_eq!(kind("y\nx\n", Patch::new("x", "y").at_line(1)), OutcomeKind::AlreadyApplied);
    // A rough twin is left of what was replaced before.
    let text = "def f():\n    return 22222222\n\nif x:\n        return 1\n";
    refused(text, "\treturn 1\n", "    return 22222222\n", FailureCode::Ambiguous);
    // A deletion that was sent again, beside a line that is like the deleted one.
    let text = "/*\n * Example of the routes:\n *   [\n *     a,\n *   ]\n */\n";
    refused(
        text,
        " * Example of the routes:\n * [\n",
        " * Example of the routes:\n",
        FailureCode::Ambiguous,
    );
    // A fence that is part of the file, beside a text without it.
    let text = "```yaml\nkramdown_2:\n  syntax: none\n```\n\n```yaml\nsite: 1\nkramdown:\n  syntax: coderay\n  options:\n```\n";
    let (old, new) = (
        "```yaml\nkramdown:\n  syntax: coderay\n```\n",
        "```yaml\nkramdown_2:\n  syntax: none\n```\n",
    );
    refused(text, old, new, FailureCode::Ambiguous);
    // Too little to tell.
    refused("b\n", "a", "b", FailureCode::NoMatch);
}

/// What a tolerant match has written is recognised where the patch matches inside of it.
#[test]
fn a_result_of_a_tolerant_match_is_not_patched_again() {
    for (text, old, new) in [
        ("    foo(b, c)\n", " foo(b, c)", " foo(b, c)a\n    "),
        ("    foo(b, c)\n", " foo(b, c)", " foo(b, c)a\n  b"),
        ("    if ready:\n", "f ready:\n", "if ready:"),
        ("foo(b, c)\n", "  foo(b, c)", "“q”\n    foo(b, c)"),
        ("“q”\n", "\"q", "\"q\"q\""),
        ("“q”\n", "“\n", "“q”\nreturn value_of(x)\n"),
        ("“q”\na\n", "\na\n\n", "\na\n\n\na\n"),
        ("a  \n", "\na ", "\na \na  "),
        ("  a\n    if ready:\n", "\n\tif ready:\n", "\n\tif ready:\n\ta\nfoo(b, c)\n"),
        ("“q”\n  }\n", "  “q”\n   ", "  “q”\n   \ta\nreturn value_of(x)\n"),
        ("    foo(b, c)\n", "       foo(b, c)", "a\n    if ready:\nfoo(b,  c)"),
    ] {
        let patch = Patch::new(old, new);
        let (once, _) = applied(text, patch.clone());
        assert_ne!(once, text, "{old:?}");
        assert_eq!(kind(&once, patch), OutcomeKind::AlreadyApplied, "{once:?} {old:?} {new:?}");
    }
    // Not a result: what the patch adds is not there, or only the indentation of a line is changed.
    let text = "  a:\n  first(x)\n  second(y)\n";
    check(
        text,
        "  first(x)\n",
        "    first(x)\n",
        &text.replace("  first", "    first"),
        Strategy::Exact,
    );
    // Lines of two other depths: neither is more likely.
    refused("\tfirst(x)\n\n  first(x)\n", " first(x)", " second(x)", FailureCode::Ambiguous);
    // New text that the match would cut.
    refused("\"q\"\nif ready:f ready:\n", "“q”\ni", "if ready:", FailureCode::Ambiguous);
}

#[test]
fn empty_texts() {
    check("", "", "a\n", "a\n", Strategy::Exact);
    check("\u{feff}", "", "a\n", "\u{feff}a\n", Strategy::Exact);
    refused("a\n", "", "b\n", FailureCode::Guard);
    refused("", "a", "b", FailureCode::NoMatch);
    refused("\n", "a", "b", FailureCode::NoMatch);
    assert_eq!(kind("a\r\n", Patch::new("", "a\n")), OutcomeKind::AlreadyApplied);
}

#[test]
fn guards() {
    refused("a()\nb()\nc()\n", "a()\nb()\n", "a()\n// ... existing code ...\n", FailureCode::Guard);
    refused("a()\n", "a()\n", "<<<<<<< HEAD\na()\n=======\nb()\n>>>>>>> x\n", FailureCode::Guard);
    refused("  f {\n    a\n  }\n  g\n", "f {\n  a\n", "f {\n  b\n}\n", FailureCode::Guard);
    // In the exact tier a doubled line may be meant.
    assert_eq!(applied("a\n}\n}\nb\n", Patch::new("a\n}", "c\n}")).0, "c\n}\n}\nb\n");
}

#[test]
fn several_patches() {
    let text = "a\nb\nc\nd\n";
    let swap = [Patch::new("a", "d"), Patch::new("d", "a")];
    assert_eq!(plan(text, &swap, &Options::default()).expect("a plan").apply(text), "d\nb\nc\na\n");
    let twins = [Patch::new("a", "x"), Patch::new("a", "x")];
    let done = plan(text, &twins, &Options::default()).expect("a plan");
    assert_eq!(done.apply(text), "x\nb\nc\nd\n");
    assert!(done.outcomes[1].notes[0].contains("patch 1"));
    let touching = [Patch::new("a\n", "1\n"), Patch::new("b\n", "2\n")];
    assert_eq!(
        plan(text, &touching, &Options::default()).expect("a plan").apply(text),
        "1\n2\nc\nd\n"
    );
    let overlap =
        plan(text, &[Patch::new("a\nb", "x"), Patch::new("b\nc", "y")], &Options::default())
            .expect_err("overlap");
    assert_eq!(overlap.failures.len(), 2);
    assert!(overlap.failures.iter().all(|failure| failure.code == FailureCode::Overlap));
    assert_eq!(
        (overlap.failures[0].with.as_slice(), overlap.failures[1].with.as_slice()),
        ([1].as_slice(), [0].as_slice())
    );
}

#[test]
fn all_failures_at_once() {
    let patches = [Patch::new("nothing", "x"), Patch::new("a", "b"), Patch::new("l", "x")];
    let report = plan("a\nl\nl\n", &patches, &Options::default()).expect_err("two failures");
    let codes: Vec<_> =
        report.failures.iter().map(|failure| (failure.patch, failure.code)).collect();
    assert_eq!(codes, [(0, FailureCode::NoMatch), (2, FailureCode::Ambiguous)]);
}

#[test]
fn what_another_patch_makes_is_not_there() {
    let patches = [Patch::new("one", "two three"), Patch::new("two three", "four")];
    let report = plan("one\n", &patches, &Options::default()).expect_err("refused");
    assert_eq!((report.failures[0].patch, report.failures[0].with.as_slice()), (1, [0].as_slice()));
    assert!(report.failures[0].message.contains("patch 1"));
}

#[test]
fn replace_all() {
    let all = |old: &str, new: &str| Patch { replace_all: true, ..Patch::new(old, new) };
    assert_eq!(applied("a b a\r\na\n", all("a", "cc")).0, "cc b cc\r\ncc\n");
    assert_eq!(applied("x\r\ny\r\nx\r\ny\r\n", all("x\ny\n", "z\n")).0, "z\r\nz\r\n");
    assert_eq!(applied("aaa", all("aa", "b")).0, "ba");
    refused_patch("  a\n", all("    a\n", "b"), FailureCode::NoMatch);
}

#[test]
fn syntax_errors_refuse_tolerant_matches_only() {
    let errors = |text: &str| text.matches('(').count().abs_diff(text.matches(')').count());
    let options = Options { syntax_errors: Some(&errors), ..Options::default() };
    let tolerant = Patch::new("f(a)\ng(b)\n", "f(a\ng(b)\n");
    let report = plan("    f(a)\n    g(b)\n", &[tolerant], &options).expect_err("refused");
    assert_eq!(report.failures[0].code, FailureCode::Guard);
    assert!(plan("f(a)\n", &[Patch::new("f(a)", "f(a")], &options).is_ok());
}

#[test]
fn hostile_sizes_end_soon() {
    let long = "ab ".repeat(300_000);
    refused(&long, "a", "b", FailureCode::Ambiguous);
    refused_patch(&long, Patch::new("a", "b").at_line(1), FailureCode::Ambiguous);
    let all =
        plan(&long, &[Patch { replace_all: true, ..Patch::new("a", "c") }], &Options::default())
            .expect("all");
    assert_eq!(all.apply(&long), long.replace('a', "c"));
    let equal = "    x = 1\n".repeat(100_000);
    refused(&equal, "  x = 1\n", "y\n", FailureCode::Ambiguous);
    let hinted = applied(&equal, Patch::new("    x = 1\n", "    y\n").at_line(50_000)).0;
    assert_eq!(hinted.lines().position(|line| line == "    y"), Some(49_999));
    let hinted = applied(&equal, Patch::new("  x = 1\n", "  y\n").at_line(50_000)).0;
    assert_eq!(hinted.lines().position(|line| line == "    y"), Some(49_999));
}

#[test]
fn a_comma_that_both_sides_add_is_added_once() {
    let text = "options = {\n    \"verbose\": True,\n    \"threads\": 8\n}\n";
    let old = "options = {\n    \"verbose\": True\n    \"threads\": 8\n}\n";
    let new = "options = {\n    \"verbose\": False,\n    \"threads\": 9\n}\n";
    check(text, old, new, new, Strategy::Tokens);
    // Only the comma is new, and it is there.
    let new = "options = {\n    \"verbose\": True,\n    \"threads\": 9\n}\n";
    check(text, old, new, new, Strategy::Tokens);
}

#[test]
fn new_text_from_the_margin_goes_as_deep_as_the_place() {
    let text = "class A {\n    close() {\n        this.stop();\n    }\n}\n";
    let old = "close()  {\n        this.stop();\n    }\n";
    // Of these lines, none says that the new ones are as deep as the file's.
    check(
        text,
        old,
        "finish() {\n    this.end();\n}\n",
        "class A {\n    finish() {\n        this.end();\n    }\n}\n",
        Strategy::InnerBlanks,
    );
    // One that stays says so.
    check(
        text,
        old,
        "finish() {\n        this.end();\n    }\n",
        "class A {\n    finish() {\n        this.end();\n    }\n}\n",
        Strategy::InnerBlanks,
    );
}

#[test]
fn a_number_that_another_patch_shows_to_be_off_chooses_nothing() {
    let text = format!("title\n{}", "def f():\n    x = 1\n    return x\n\n".repeat(12));
    let twin = |line| Patch::new("    x = 1\n", "    x = 2\n").at_line(line);
    let title = |line| Patch::new("title\n", "Title\n").at_line(line);
    let planned = |patches: &[Patch]| plan(&text, patches, &Options::default());
    // With a number that is right, or nearly, the other number is too.
    for line in [1, 2] {
        let done = planned(&[title(line), twin(15)]).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(done.outcomes[1].start_line, 15);
    }
    // Four lines above: line 15 was another function's, which is four lines above by now.
    let Err(report) = planned(&[title(5), twin(15)]) else { panic!("applied") };
    assert_eq!(report.failures[0].code, FailureCode::Ambiguous, "{report}");
    assert_eq!(report.failures[0].patch, 1);
    // A number that names no place by itself, and one by the same shift.
    let done = planned(&[title(6), twin(20)]).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(done.outcomes[1].start_line, 15);
    // The last number above counts: that one is right.
    let text = format!("{}def h():\n{}", &text[..39], &text[48..]);
    let near = Patch::new("def h():\n", "def k():\n").at_line(6);
    let done = plan(&text, &[title(4), near, twin(15)], &Options::default());
    let done = done.unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(done.outcomes[2].start_line, 15);
}

#[test]
fn brackets_that_look_alike_do_not_say_that_new_text_has_the_files_indentation() {
    let text = "\
impl A {
    pub fn or_default(self) -> T {
        match self {
            Entry::Vacant(entry) => entry.insert(Default::default()),
        }
    }
}
";
    // Quoted with an indentation of two; one closing bracket is removed.
    let old = "      Entry::Vacant(entry) => entry.insert(Default::default()),\n    }\n  }\n}\n";
    let new = "      Entry::Vacant(other) => other.insert(Default::default()),\n    }\n}\n";
    let expected = "\
impl A {
    pub fn or_default(self) -> T {
        match self {
            Entry::Vacant(other) => other.insert(Default::default()),
        }
}
";
    check(text, old, new, expected, Strategy::Indentation);
}

#[test]
fn a_spread_is_no_omission() {
    let text = "const a = struct({\n  ...previous.yields,\n  items: array(item),\n})\n";
    let old = "const a = struct({\n  ...previous.fields,\n  items: array(item),\n})\n";
    let new = "  ...previous.fields,\n  items: array(item),\n})\n";
    let report = plan(text, &[Patch::new(old, new)], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::NoMatch, "{report}");
}

#[test]
fn a_fence_of_the_document_is_no_wrapper() {
    let text = "title\n\n```yaml  # note\nread:\n  - url: x\n```\n\nend\n";
    let old = "```yaml\nread:\n  - url: x\n```\n";
    let new = "```yaml\nread:\n  - url: x\n```\nmore\n";
    let report = plan(text, &[Patch::new(old, new)], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::NoMatch, "{report}");

    // Its language is another one by now; the mark of an elision belongs to the example.
    let text = "title\n\n  ```rus\n  fn index() {\n    first();\n    ...\n    last();\n  }\n  ```\n\nend\n";
    let old = "  ```rust\n  fn index() {\n    first();\n    ...\n    last();\n  }\n  ```\n";
    let new = "  ```rust\n  fn index() {\n    first();\n    ...\n    next();\n  }\n  ```\n";
    let report = plan(text, &[Patch::new(old, new)], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::NoMatch, "{report}");
}

#[test]
fn a_result_whose_end_begins_old_text_again_is_not_made_twice() {
    let text = "head\n\n    \nbegin(one)\nvalue\nvalue  \n";
    let old = "  \n      \n  begin(one)\n  value";
    let new = "  \n      \n  begin(one)\n  values\nbegin(one)";
    let patch = [Patch::new(old, new)];
    let once = plan(text, &patch, &Options::default()).expect("its place").apply(text);
    let report = plan(&once, &patch, &Options::default()).expect_err("it is there");
    assert_eq!(report.failures[0].code, FailureCode::Ambiguous, "{report}");
}
