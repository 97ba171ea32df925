//! Code that a formatter has rewritten since it was quoted: the token tier.

use patch::{FailureCode, Options, OutcomeKind, Patch, Strategy, plan};

#[track_caller]
fn applied(text: &str, old: &str, new: &str) -> String {
    match plan(text, &[Patch::new(old, new)], &Options::default()) {
        Ok(plan) => {
            assert_eq!(plan.outcomes[0].strategy, Strategy::Tokens);
            assert_eq!(plan.outcomes[0].kind, OutcomeKind::Applied);
            plan.apply(text)
        }
        Err(report) => panic!("{report}"),
    }
}

#[test]
fn a_changed_string_on_its_own_line_keeps_the_quotes_of_the_file() {
    let text = "\
def check(self):
    raise NotImplementedError(
        \"limit is not implemented for reindex\"
    )
";
    let old = "raise NotImplementedError(\n    'limit is not implemented for reindex'\n)\n";
    let new = old.replace("limit", "tolerance");
    assert_eq!(applied(text, old, &new), text.replace("limit", "tolerance"));
    // Other quotes or escapes inside could change the value, so the author's quotes stay.
    let new = old.replace("'limit is", "'\"limit\" is");
    assert!(applied(text, old, &new).contains("'\"limit\" is not implemented for reindex'"));
}

#[test]
fn a_bracket_on_its_own_line_is_not_replaced_by_another_mark() {
    let text = "\
type Registerer interface {
	Register() error
	Unregister()
}

// Default is the one in use.
type Default struct {
";
    let old = "\tUnregister() }\n\n// Default is the one in use.\n";
    let new = "\treplaced();\n\n// Default is the one in use.\n";
    assert_eq!(applied(text, old, new), text.replace("\tUnregister()\n}\n", "\treplaced();\n"));
}

#[test]
fn the_result_elsewhere_makes_a_place_doubtful() {
    let text = "\
test('first', async t => {
  const result = await fetch(server, {
    method: 'POST',
    body: '1234567890',
  })
})
test('second', async t => {
  const result = await fetch(server, {
    method: 'POST',
    body: '1234567890',
    headers: {
      'Content-Type': 'x/foo'
    }
  })
})
";
    let old = "\
  const result = await fetch(server, {
    method: 'POST',
    body: '1234567890',
    headers: { 'Content-Type': 'x/foo' }
  })
";
    let new = old.replace("    headers: { 'Content-Type': 'x/foo' }\n", "");
    let patch = Patch::new(old, new);
    let report =
        plan(text, std::slice::from_ref(&patch), &Options::default()).expect_err("doubtful");
    assert_eq!(report.failures[0].code, FailureCode::Ambiguous, "{report}");
    // A line number says that the second is meant.
    let plan = plan(text, &[patch.at_line(8)], &Options::default()).expect("the hinted place");
    assert!(!plan.apply(text).contains("x/foo"));
}

#[test]
fn a_copy_at_another_depth_is_not_taken_for_rewritten_code() {
    // The author's block is gone; a copy, deeper and wrapped, is left.
    let text = "\
function rest(t, req) {
  for (const id of ids) {
    switch (id) {
      case 4:
        t.assert.ok(
          !req.validate({ foo: 'bar' })
        )
        break
    }
  }
}
";
    let old = "    case 4:\n      t.assert.ok(!req.validate({ foo: 'bar' }))\n      break\n";
    let new = old.replace("break", "return");
    let report = plan(text, &[Patch::new(old, &*new)], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::Ambiguous, "{report}");
    assert_eq!(report.failures[0].candidates[0].start_line, 4);
    // A quote without indentation says nothing of its depth, and a line number says which is meant.
    let dedented = "case 4:\n  t.assert.ok(!req.validate({ foo: 'bar' }))\n  break\n";
    let expected = text.replace("break", "return");
    assert_eq!(applied(text, dedented, &dedented.replace("break", "return")), expected);
    let hinted = plan(text, &[Patch::new(old, &*new).at_line(4)], &Options::default());
    assert_eq!(hinted.expect("its place").apply(text), expected);
}

#[test]
fn a_line_that_shares_only_marks_with_another_is_a_line_of_its_own() {
    let text = "\
namespace Catch {
    struct Data
    {
        Data() = delete;
        Data( Of::Type _type, Lazy const& _lazy );
        std::string message;
    };
}
";
    let old = "    struct Data\n    {\n        Data() = delete;\n        Data(Of::Type _type, Lazy const& _lazy);\n";
    let new = old.replace("        Data() = delete;\n", "    inserted();\n");
    let expected = text.replace("        Data() = delete;\n", "    inserted();\n");
    assert_eq!(applied(text, old, &new), expected);
}

#[test]
fn blanks_beside_removed_tokens_are_as_in_new_text() {
    let text = "int f( int a )\n{\n    return g( a ) = b;\n    h( a, b, c );\n}\n";
    let old = "int f(int a)\n{\n    return g(a) = b;\n    h(a, b, c);\n}\n";
    for (from, to, made) in [
        (" = b;", ";", text.replace(" = b;", ";")),
        ("(a, b, c)", "(a, c)", text.replace("( a, b, c )", "( a, c )")),
        ("(a, b, c)", "(b, c)", text.replace("( a, b, c )", "( b, c )")),
        ("(a, b, c)", "(a, b)", text.replace("( a, b, c )", "( a, b )")),
    ] {
        assert_eq!(applied(text, old, &old.replace(from, to)), made, "{to}");
    }
}

#[test]
fn a_bracket_in_prose_does_not_hide_another_nesting() {
    let text = "Some words (see #4322).\n\nfrom a import b\n\nclass A(b):\n    def f(self):\n        pass\n";
    let old = text.replace("class A", "    class A").replace("import b", "import  b");
    let new = old.replace("class A", "class C");
    let report = plan(text, &[Patch::new(&*old, &*new)], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::NoMatch, "{report}");
}

#[test]
fn a_renamed_variable_keeps_the_files_blanks() {
    let text = "def f(items)\n  rows = []\n  items.each { |item| rows << item }\nend\n";
    let old = "def f(items)\n  rows=[]\n  items.each { |item| rows << item }\nend\n";
    assert_eq!(
        applied(text, old, &old.replace("rows=", "lines=")),
        text.replace("rows =", "lines =")
    );
}

/// Found by `truth --seed 101` in hyper's `src/ffi/macros.rs`.
#[test]
fn a_last_line_that_stands_behind_the_match_is_not_joined_with_the_one_before() {
    let text = "\
macro_rules! ffi_fn {
    ($a:expr) => {
        match $a {
            Ok(v) => v,
            Err(_) => {
                $default
            }
        }};
    };

    ($b:expr) => {};
}
";
    let old = "\
            Err(_) => {
                $default
            }
        }
    };
";
    let new = format!("{old}    inserted();\n");
    let report = plan(text, &[Patch::new(old, new.as_str())], &Options::default()).unwrap_err();
    assert_eq!(report.failures[0].code, FailureCode::NoMatch, "{report}");
}
