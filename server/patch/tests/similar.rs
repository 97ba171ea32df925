//! The similarity tier: typing mistakes are matched, copies of a deleted text are not.

use patch::{FailureCode, Fuzzy, Options, Patch, Strategy, plan};

const CODE: &str = "import os\n\ndef load(path):\n    with open(path) as handle:\n        content = handle.read()\n    if not content:\n        raise ValueError(path)\n    return content.strip()\n\ndef other():\n    pass\n";

fn run(text: &str, old: &str, new: &str) -> Result<(String, Strategy), FailureCode> {
    plan(text, &[Patch::new(old, new)], &Options::default())
        .map(|plan| (plan.apply(text), plan.outcomes[0].strategy))
        .map_err(|report| report.failures[0].code)
}

#[test]
fn a_slip_in_a_kept_line() {
    let old = "    with open(path) as hanlde:\n        content = handle.read()\n    if not content:\n        raise ValueError(path)\n";
    let new = old.replace("ValueError", "OSError");
    assert_eq!(
        run(CODE, old, &new),
        Ok((CODE.replace("ValueError", "OSError"), Strategy::Similarity))
    );
    let off = Options { fuzzy: Fuzzy::Off, ..Options::default() };
    let report = plan(CODE, &[Patch::new(old, new)], &off).expect_err("off");
    assert_eq!(report.failures[0].candidates[0].start_line, 4);
    assert_eq!(report.failures[0].candidates[0].end_line, 7);
    assert_eq!(
        report.failures[0].candidates[0].difference.as_deref(),
        Some(
            "line 1: \"…th open(path) as handle:\" where the patch has \"…th open(path) as hanlde:\""
        )
    );
}

#[test]
fn a_slip_in_a_changed_line() {
    let old = "    if not content:\n        raise ValueEror(path)\n    return content.strip()\n";
    let new = old.replace("ValueEror(path)", "ValueEror(path, 1)");
    assert_eq!(
        run(CODE, old, &new),
        Ok((CODE.replace("ValueError(path)", "ValueError(path, 1)"), Strategy::Similarity))
    );
    // The very word that is mistaken is changed too.
    let new = old.replace("ValueEror", "OSError");
    assert_eq!(run(CODE, old, &new), Err(FailureCode::Guard));
}

#[test]
fn two_letters_of_a_short_word_are_no_slip() {
    let text = CODE.replace("content", "uint");
    let old = "        unit = handle.read()\n    if not uint:\n        raise ValueError(path)\n    return uint.strip()\n";
    let new = old.replace("ValueError", "OSError");
    assert_eq!(run(&text, old, &new), Err(FailureCode::NoMatch));
}

#[test]
fn comments_that_were_not_quoted() {
    let text = "def function(argument):\n    before = prepared(argument)\n    between = before + 1  # one\n    finish(between)\n    return combined(between, before)\n";
    let old = text.replace("  # one", "");
    let new = old.replace("+ 1", "+ 2");
    assert_eq!(run(text, &old, &new), Ok((text.replace("+ 1", "+ 2"), Strategy::Similarity)));
    let text = "def f(a):\n    b = a + 1  # one\n    return b\n";
    let (old, new) =
        ("def f(a):\n    b = a + 1\n    return b\n", "def f(a):\n    b = a + 2\n    return b\n");
    assert_eq!(run(text, old, new), Err(FailureCode::NoMatch));
    let line = |at: usize| format!("    first_{at} = compute(second_{at})\n");
    let old: String = (0..8).map(line).collect();
    let text = old.replace("    first_4", "    # the fourth\n    first_4");
    let new = old.replace("second_6", "third_6");
    assert_eq!(
        run(&text, &old, &new),
        Ok((text.replace("second_6", "third_6"), Strategy::Similarity))
    );
    // In a short text a comment may be all that tells a twin.
    assert_eq!(
        run("a()\n# one\nbb(c)\ndd(e)\n", "a()\nbb(c)\ndd(e)\n", "x\n"),
        Err(FailureCode::NoMatch)
    );
}

#[test]
fn a_twin_that_differs_by_a_comment_is_not_taken_for_a_place_that_has_changed() {
    // The first block was meant; one of its words has changed since. The second differs from the quote by
    // a comment only.
    let block = |second: &str| {
        format!(
            "    headers: {{\n      {second}\n      'X-Forwarded-For': '127.0.0.1',\n      'X-Forwarded-Host': header('host'),\n    }}\n"
        )
    };
    let text = format!(
        "one({{\n{}}})\n\ntwo({{\n{}}})\n",
        block("...request.headers(),"),
        block("...request.header(), // when all is forwarded")
    );
    let old = block("...request.header(),");
    let new = old.replace("headers:", "fields:");
    assert_eq!(run(&text, &old, &new), Err(FailureCode::NoMatch));
}

#[test]
fn a_comment_that_names_a_bracket_is_not_left_out() {
    let text = "    }, // end of the first\n    item_of_the_list: compute_something(argument_one),\n    other_item_of_the_list: compute(argument_two),\n";
    let old = text.replace(" // end of the first", "");
    assert_eq!(run(text, &old, &old.replace("two", "three")), Err(FailureCode::NoMatch));
}

#[test]
fn a_removal_is_not_done_while_the_line_is_there() {
    let text = "    first = compute(a)\n    second = compute(b)\n    third = \"a  b\"\n";
    let old = "    first = compute(a)\n    second = compute(b)\n    third = \"a b\"\n";
    assert_eq!(
        run(text, old, "    first = compute(a)\n    second = compute(b)\n"),
        Err(FailureCode::NoMatch)
    );
}

#[test]
fn twins_of_what_is_gone() {
    for (old, new) in [
        (
            "def save(path):\n    with open(path) as handle:\n        content = handle.read()\n    if not content:\n        raise ValueError(path)\n    return content.strip()\n",
            "x\n",
        ),
        (&*CODE.replace("ValueError", "TypeError"), "x\n"),
        (&*CODE.replace("not content", "content"), "x\n"),
        (&*CODE.replace("path", "paths"), "x\n"),
        (
            &*CODE.replace(
                "        raise ValueError(path)\n",
                "        raise ValueError(path)\n        log(path)\n",
            ),
            "x\n",
        ),
        (&*CODE.replace("        content = handle.read()\n", ""), "x\n"),
    ] {
        assert_eq!(run(CODE, old, new), Err(FailureCode::NoMatch), "{old}");
    }
}

#[test]
fn two_that_are_near() {
    let text = format!("{CODE}\n{}", CODE.replace("path", "file"));
    let old = "    with open(path) as hanlde:\n        content = handle.read()\n    if not content:\n        raise ValueError(path)\n";
    assert_eq!(run(&text, old, "x\n"), Err(FailureCode::NoMatch));
}

#[test]
fn nesting_is_kept() {
    let old = "    with open(path) as hanlde:\n        content = handle.read()\n        if not content:\n            raise ValueError(path)\n";
    assert_eq!(run(CODE, old, "x\n"), Err(FailureCode::NoMatch));
}

#[test]
fn too_little_to_go_by() {
    assert_eq!(
        run("value = compute(a)\n", "value = comupte(a)\n", "x\n"),
        Err(FailureCode::NoMatch)
    );
}

#[test]
fn a_context_line_in_another_case_is_no_stale_one() {
    let lines = |name: &str, last: &str| {
        format!(
            "    FirstOfAll,\n    SecondOfAll,\n    {name},\n    FourthOfAll,\n    FifthOfAll,\n    {last},\n"
        )
    };
    let text = format!("enum Kind {{\n{}}}\n", lines("OpenSubWindow", "Last"));
    let patch = Patch::new(lines("OPENSUBWINDOW", "Last"), lines("OPENSUBWINDOW", "Renamed"));
    let planned = plan(&text, &[patch], &Options::default());
    assert!(planned.is_err(), "{planned:?}");
    // A line with nothing in common with it is one that was changed.
    let patch = Patch::new(lines("Quit", "Last"), lines("Quit", "Renamed"));
    let planned = plan(&text, &[patch], &Options::default());
    assert!(planned.is_ok(), "{planned:?}");
}

#[test]
fn a_comma_or_semicolon_that_a_kept_line_lost() {
    // In comments and the like no tokens tell it.
    let text = "/// struct A;\n/// struct Score(i32);\n/// fn score(of: A) -> Score {\n///   of.into()\n/// }\n";
    let old = text.replace("i32);", "i32)");
    let new = old.replace("of.into", "of.as_score");
    let expected = text.replace("of.into", "of.as_score");
    assert_eq!(run(text, &old, &new), Ok((expected, Strategy::Similarity)));
    // A changed line does not say whether the file keeps its mark.
    let new = old.replace("i32)", "i64)");
    assert_eq!(run(text, &old, &new), Err(FailureCode::NoMatch));
}

#[test]
fn short_words_do_not_make_a_stale_line_a_copy() {
    let lines = |line: &str, last: &str| {
        format!(
            "fn run() {{\n    first(a);\n    {line}\n    third(c);\n    fourth(d);\n    {last}\n}}\n"
        )
    };
    let text = lines("// combines the state", "fifth(e);");
    let (old, new) =
        (lines("moved_on(other);", "fifth(e);"), lines("moved_on(other);", "sixth(e);"));
    let expected = lines("// combines the state", "sixth(e);");
    assert_eq!(run(&text, &old, &new), Ok((expected, Strategy::Similarity)));
    // The only word of the line resembles the quoted one.
    let (text, old, new) = (
        lines("auth();", "fifth(e);"),
        lines("math();", "fifth(e);"),
        lines("math();", "sixth(e);"),
    );
    assert_eq!(run(&text, &old, &new), Err(FailureCode::NoMatch));
}
