use super::*;
use crate::details::Fix;
use crate::findings::{Failure, Severity};

const FORMATS: &[Format] = &[
    Format::Cargo,
    Format::Nextest,
    Format::Junit,
    Format::Tap,
    Format::GoTest,
    Format::Jest,
    Format::Vitest,
    Format::Unittest,
    Format::Rspec,
    Format::Eslint,
    Format::Ruff,
    Format::Mypy,
    Format::Pyright,
    Format::Sarif,
    Format::Gcc,
    Format::Paths,
    Format::Text,
];

fn read_bytes(format: Format, bytes: &[u8], piece: usize) -> Findings {
    let mut found = Findings::default();
    let pattern = r"^(?P<file>[^:]+):(?P<line>\d+): (?P<severity>\w+): (?P<message>.+)$";
    let mut reader = reader(format, &[Regex::new(pattern).unwrap()]);
    for piece in bytes.chunks(piece) {
        reader.push(piece, &mut found);
    }
    reader.finish(&mut found);
    found
}

fn read(format: Format, text: &str) -> Findings {
    read_bytes(format, text.as_bytes(), 7)
}

fn counts(found: &Findings) -> (u64, u64, u64) {
    (found.passed, found.failed, found.skipped)
}

fn at(failure: &Failure) -> (&str, Option<u32>) {
    (failure.file.as_deref().unwrap_or_default(), failure.line)
}

const LIBTEST: &str = "   Compiling x v0.1.0 (/x)
    Finished `test` profile in 0.7s
     Running unittests src/lib.rs (target/debug/deps/x-f73a538893013b88)

running 4 tests
test tests::b ... ok
test tests::c ... ignored
test tests::d - should panic ... FAILED
test tests::a ... FAILED

failures:

---- tests::d stdout ----
note: test did not panic as expected at src/lib.rs:5:164
---- tests::a stdout ----
hi

thread 'tests::a' (9374) panicked at src/lib.rs:7:58:
assertion `left == right` failed: boom
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::a
    tests::d

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s

error: test failed, to rerun pass `-p x --lib`
     Running tests/crash.rs (target/debug/deps/crash-b193a6eb80ea33bc)

running 2 tests
test y ... ok

thread 'deep' (1) has overflowed its stack
error: test failed, to rerun pass `-p x --test crash`

Caused by:
  process didn't exit successfully: `/x/target/debug/deps/crash-b193` (signal: 6, SIGABRT: process abort signal)
error: 2 targets failed:
    `-p x --lib`
    `-p x --test crash`
";

#[test]
fn libtest_is_read_with_its_programs() {
    let found = read(Format::Cargo, LIBTEST);
    assert_eq!(counts(&found), (2, 3, 1));
    let [panics_not, fails, crashes] = &found.failures[..] else { panic!("{found:?}") };
    assert_eq!(at(panics_not), ("src/lib.rs", Some(5)));
    assert_eq!(at(fails), ("src/lib.rs", Some(7)));
    assert_eq!(fails.message, "assertion `left == right` failed: boom\n  left: 1\n right: 2");
    assert_eq!((fails.output.as_str(), fails.id.as_str()), ("hi", "tests::a"));
    assert_eq!(fails.unit, ["-p", "x", "--lib"]);
    assert_eq!(crashes.name, "deep");
    assert_eq!(crashes.unit, ["-p", "x", "--test", "crash"]);
    assert!(crashes.message.ends_with("crashed: signal: 6, SIGABRT: process abort signal"));
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
}

#[test]
fn compiler_messages_have_a_place_and_a_fix() {
    let message = r##"{"reason":"compiler-message","package_id":"x","manifest_path":"/x/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"x","src_path":"/x/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"message":{"rendered":"warning: unused variable: `a`\n","$message_type":"diagnostic","children":[{"children":[],"code":null,"level":"help","message":"if this is intentional, prefix it with an underscore","rendered":null,"spans":[{"byte_end":20,"byte_start":19,"column_end":14,"column_start":13,"expansion":null,"file_name":"src/lib.rs","is_primary":true,"label":null,"line_end":2,"line_start":2,"suggested_replacement":"_a","suggestion_applicability":"MachineApplicable","text":[]}]}],"level":"warning","message":"unused variable: `a`","spans":[{"byte_end":20,"byte_start":19,"column_end":14,"column_start":13,"expansion":null,"file_name":"src/lib.rs","is_primary":true,"label":null,"line_end":2,"line_start":2,"suggested_replacement":null,"suggestion_applicability":null,"text":[]}],"code":{"code":"unused_variables","explanation":null}}}
"##;
    // A file is compiled for the library and for its tests.
    let found = read(Format::Cargo, &message.repeat(2));
    let [one] = &found.diagnostics[..] else { panic!("{found:?}") };
    assert_eq!((one.line, one.column, one.severity), (Some(2), Some(13), Severity::Warning));
    assert_eq!(one.code.as_deref(), Some("unused_variables"));
    assert!(one.fixable && one.message.contains("`_a`"), "{}", one.message);
    let text = "error: failed to parse manifest at `/x/Cargo.toml`\n\nCaused by:\n  missing name\n";
    let found = read(Format::Cargo, text);
    assert_eq!(found.errors, 1);
    assert!(found.diagnostics[0].message.ends_with("Caused by:\n  missing name"));
}

#[test]
fn nextest_is_read() {
    let text = r#"{"type":"suite","event":"started","test_count":5,"nextest":{"crate":"x","test_binary":"x","kind":"lib"}}
{"type":"test","event":"started","name":"x::x$tests::b"}
{"type":"test","event":"ok","name":"x::x$tests::b","exec_time":0.009}
{"type":"test","event":"ignored","name":"x::x$tests::c"}
{"type":"test","event":"started","name":"x::x$tests::hangs"}
{"type":"test","event":"failed","name":"x::x$tests::d","exec_time":0.004,"stdout":"test tests::d ... FAILED\n\nfailures:\n\n---- tests::d stdout ----\n\nthread 'tests::d' panicked at src/lib.rs:3:4:\nboom\n\nfailures:\n    tests::d\n"}
"#;
    let found = read(Format::Nextest, text);
    assert_eq!(counts(&found), (1, 1, 1));
    assert_eq!(
        (at(&found.failures[0]), &*found.failures[0].message),
        (("src/lib.rs", Some(3)), "boom")
    );
    assert_eq!(found.running, ["x::x$tests::hangs"]);
}

const PYTEST: &str = r#".F.E  [100%]<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4"><testcase classname="" name="tests.test_imp" file="tests/test_imp.py" time="0.000"><error message="collection failure">tests/test_imp.py:1: in &lt;module&gt;
    import nosuch
E   ModuleNotFoundError: No module named 'nosuch'</error></testcase><testcase classname="tests.test_a.TestX" name="test_b[1]" file="tests/test_a.py" line="2" time="0.0" /><testcase classname="tests.test_a.TestX" name="test_b[2]" file="tests/test_a.py" line="2" time="0.0"><failure message="AssertionError: bad n&#10;assert 2 == 1">tests/test_a.py:6: in test_b
    assert n == 1, "bad n"
E   AssertionError: bad n
E   assert 2 == 1</failure><system-out>hello &amp; bye
</system-out></testcase><testcase classname="tests.test_a" name="test_s" file="tests/test_a.py" line="8"><skipped type="pytest.skip" message="x">y</skipped></testcase></testsuite></testsuites>
=== FAILURES ===
"#;

#[test]
fn junit_of_pytest_is_read() {
    let found = read(Format::Junit, PYTEST);
    assert_eq!(counts(&found), (1, 2, 1));
    let [import, fails] = &found.failures[..] else { panic!("{found:?}") };
    assert_eq!((at(import), &*import.id), (("tests/test_imp.py", Some(1)), "tests/test_imp.py"));
    assert_eq!(fails.name, "tests/test_a.py::TestX::test_b[2]");
    assert_eq!(at(fails), ("tests/test_a.py", Some(6)));
    assert_eq!(fails.message, "AssertionError: bad n\nassert 2 == 1");
    assert_eq!(fails.output, "hello & bye");
    assert_eq!(found.broken, None);
}

#[test]
fn junit_of_java_names_what_was_expected() {
    let text = r#"<?xml version="1.0"?><testsuite name="a.BTest" tests="1"><testcase name="adds" classname="a.BTest"><failure message="expected: &lt;1&gt; but was: &lt;2&gt;" type="AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
	at org.junit.jupiter.api.Assertions.fail(Assertions.java:39)
	at a.BTest.adds(BTest.java:12)
]]></failure></testcase></testsuite>"#;
    let found = read(Format::Junit, text);
    let [one] = &found.failures[..] else { panic!("{found:?}") };
    assert_eq!((one.expected.as_deref(), one.found.as_deref()), (Some("1"), Some("2")));
    assert_eq!((one.name.as_str(), one.id.as_str()), ("a.BTest.adds", "a.BTest#adds"));
    assert_eq!(at(one), ("BTest.java", Some(12)));
}

const TAP: &str = "TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.8
  location: '/w/test/a.test.js:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    1 !== 2

  code: 'ERR_ASSERTION'
  expected: 2
  actual: 1
  stack: |-
    TestContext.<anonymous> (/w/test/a.test.js:3:27)
    Test.run (node:internal/test_runner/test:796:25)
  ...
# Subtest: sk
ok 2 - sk # SKIP
  ---
  duration_ms: 0.1
  ...
# Subtest: grp
    # Subtest: inner
    ok 1 - inner
      ---
      duration_ms: 2.0
      ...
    1..1
ok 3 - grp
  ---
  type: 'suite'
  ...
not ok 4 bats fails
# (in test file t.bats, line 3)
#   `[ 1 -eq 2 ]' failed
1..4
";

#[test]
fn tap_is_read_with_its_diagnostics() {
    let found = read(Format::Tap, TAP);
    assert_eq!(counts(&found), (1, 2, 1));
    let [node, bats] = &found.failures[..] else { panic!("{found:?}") };
    assert_eq!(at(node), ("/w/test/a.test.js", Some(3)));
    assert_eq!((node.expected.as_deref(), node.found.as_deref()), (Some("2"), Some("1")));
    assert_eq!(node.unit, ["/w/test/a.test.js"]);
    assert_eq!((at(bats), bats.name.as_str()), (("t.bats", Some(3)), "bats fails"));
}

#[test]
fn go_counts_leaves_and_names_files_by_package() {
    let event = |action: &str, test: &str, output: &str| {
        let event = serde_json::json!({ "Action": action, "Package": "example.com/m/sub", "Test": test, "Output": output });
        format!("{event}\n")
    };
    let text = [
        event("run", "TestA", ""),
        event("run", "TestA/one", ""),
        event("output", "TestA/one", "    a_test.go:12: got 1\n"),
        event("output", "TestA/one", "        want 2\n"),
        event("fail", "TestA/one", ""),
        event("fail", "TestA", ""),
        event("run", "TestB", ""),
        event("pass", "TestB", ""),
        event("run", "TestHangs", ""),
        event("fail", "", ""),
    ];
    let found = read(Format::GoTest, &text.concat());
    assert_eq!(counts(&found), (1, 1, 0));
    assert_eq!(at(&found.failures[0]), ("example.com/m/sub/a_test.go", Some(12)));
    assert_eq!(found.failures[0].message, "got 1\nwant 2");
    assert_eq!(found.running, ["TestHangs"]);
}

#[test]
fn unittest_is_read() {
    let text = r#"test_a (t.T.test_a) ... ok
test_b (t.T.test_b) ... FAIL
test_c (t.T.test_c) ... skipped 'why'

======================================================================
FAIL: test_b (t.T.test_b)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/t.py", line 5, in test_b
    self.assertEqual(1, 2)
AssertionError: 1 != 2

Stdout:
hello

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, skipped=1)
"#;
    let found = read(Format::Unittest, text);
    assert_eq!(counts(&found), (1, 1, 1));
    let failure = &found.failures[0];
    assert_eq!((failure.id.as_str(), at(failure)), ("t.T.test_b", ("/w/t.py", Some(5))));
    assert_eq!(failure.message, "AssertionError: 1 != 2");
}

#[test]
fn reports_of_javascript_and_ruby_are_read() {
    let jest = r#"noise {x} {"numFailedTests":1,"testResults":[{"name":"/w/a.test.ts","status":"failed","assertionResults":[{"ancestorTitles":["g"],"fullName":"g adds","title":"adds","status":"failed","failureMessages":["Error: expect(received).toBe(expected)\n\nExpected: 2\nReceived: 1\n    at Object.<anonymous> (/w/a.test.ts:3:15)"]},{"fullName":"ok","title":"ok","status":"passed"},{"status":"pending"}]}]}"#;
    let found = read(Format::Jest, jest);
    assert_eq!(counts(&found), (1, 1, 1));
    assert_eq!(
        (at(&found.failures[0]), &*found.failures[0].name),
        (("/w/a.test.ts", Some(3)), "g > adds")
    );
    assert_eq!(found.failures[0].expected.as_deref(), Some("2"));
    let broken = r#"{"testResults":[{"name":"/w/b.test.js","status":"failed","assertionResults":[],"message":"  ● Test suite failed to run\n\n    Cannot find module '../m'\n\n    > 1 | const m = require('../m')\n        |           ^\n\n      at Object.require (b.test.js:1:11)"}]}"#;
    let found = read(Format::Jest, broken);
    assert_eq!(found.failures[0].message, "Cannot find module '../m'");
    let vitest = "JUNIT\n<?xml version=\"1.0\"?><testsuites><testsuite><testcase classname=\"t/a.test.ts\" name=\"g &gt; adds\">\
                  <system-out>\nnext\n</system-out><failure message=\"m\" type=\"AssertionError\">\nAssertionError: m\n\n\
                  - Expected\n+ Received\n\n- 3\n+ 2\n\n ❯ lib/node_modules/x.js:1:1\n ❯ Cart.add t/a.test.ts:4:9\n</failure></testcase>\
                  <testcase classname=\"t/b.test.ts\" name=\"t/b.test.ts\"><failure message=\"no module\">\n</failure></testcase>\
                  <testcase classname=\"t/a.test.ts\" name=\"ok\"/></testsuite></testsuites>";
    let found = read(Format::Vitest, vitest);
    assert_eq!(counts(&found), (1, 2, 0));
    let adds = &found.failures[0];
    assert_eq!(
        (at(adds), &*adds.name, &*adds.id),
        (("t/a.test.ts", Some(4)), "g > adds", "g adds")
    );
    assert_eq!((&*adds.output, &*adds.unit), ("next", &["t/a.test.ts".to_owned()][..]));
    assert!(adds.message.ends_with("- 3\n+ 2"), "{adds:?}");
    let file = &found.failures[1];
    assert_eq!((&*file.id, &*file.message, at(file)), ("", "no module", ("t/b.test.ts", None)));
    let rspec = r#"{"version":"3","examples":[{"full_description":"A b","status":"failed","file_path":"./spec/a_spec.rb","line_number":3,"exception":{"class":"E","message":"\nexpected: 2\n     got: 1\n","backtrace":["/w/spec/a_spec.rb:4:in `block'"]}},{"status":"passed"},{"status":"pending"}]}"#;
    let found = read(Format::Rspec, rspec);
    assert_eq!(counts(&found), (1, 1, 1));
    assert_eq!(at(&found.failures[0]), ("/w/spec/a_spec.rb", Some(4)));
}

/// The suggestions of the only diagnostic: title, whether it is preferred, and the texts of its edits.
fn suggestions(format: Format, text: &str) -> Vec<(String, bool, Vec<String>)> {
    let found = read(format, text);
    let [one] = &found.diagnostics[..] else { panic!("{format:?} {found:?}") };
    let texts = |fix: &Fix| fix.edits.iter().map(|edit| edit.text.clone()).collect();
    one.details.fixes.iter().map(|fix| (fix.title.clone(), fix.is_preferred, texts(fix))).collect()
}

#[test]
fn a_compiler_suggests_a_choice_or_several_edits() {
    let message = |spans: &[&str]| {
        let primary = r#"{"byte_end":2,"byte_start":1,"column_end":2,"column_start":1,"expansion":null,"file_name":"a.rs","is_primary":true,"label":null,"line_end":1,"line_start":1,"suggested_replacement":null,"suggestion_applicability":null,"text":[]}"#;
        format!(
            r#"{{"reason":"compiler-message","package_id":"x","manifest_path":"/x/Cargo.toml","target":{{"kind":["lib"],"crate_types":["lib"],"name":"x","src_path":"/x/a.rs","edition":"2021","doc":true,"doctest":true,"test":true}},"message":{{"rendered":"","$message_type":"diagnostic","children":[{{"children":[],"code":null,"level":"help","message":"import it:","rendered":null,"spans":[{}]}}],"level":"error","message":"m","spans":[{primary}],"code":null}}}}"#,
            spans.join(",")
        )
    };
    let span = |line: u32, text: &str, applicability: &str, file: &str| {
        format!(
            r#"{{"byte_end":{line},"byte_start":{line},"column_end":1,"column_start":1,"expansion":null,"file_name":"{file}","is_primary":true,"label":null,"line_end":{line},"line_start":{line},"suggested_replacement":"{text}","suggestion_applicability":"{applicability}","text":[]}}"#
        )
    };
    let of = |spans: &[&str]| suggestions(Format::Cargo, &message(spans));
    let (a, b) = (
        span(1, "use a::B;", "MaybeIncorrect", "a.rs"),
        span(1, "use c::B;", "MaybeIncorrect", "a.rs"),
    );
    let one = |title: &str, text: &str| (title.to_owned(), false, vec![text.to_owned()]);
    let choice =
        [one("import it: `use a::B;`", "use a::B;"), one("import it: `use c::B;`", "use c::B;")];
    assert_eq!(of(&[&a, &b]), choice);
    let (open, close) =
        (span(1, "(", "MachineApplicable", "a.rs"), span(2, ")", "MachineApplicable", "a.rs"));
    let both = ("import it".to_owned(), true, vec!["(".to_owned(), ")".to_owned()]);
    assert_eq!(of(&[&open, &close]), [both]);
    // To be filled in by hand, or somewhere else.
    assert!(of(&[&span(1, "_", "HasPlaceholders", "a.rs")]).is_empty());
    assert!(of(&[&span(1, "x", "MachineApplicable", "b.rs")]).is_empty());
}

#[test]
fn linters_suggest_fixes() {
    let ruff = |applicability: &str| {
        let place = r#"{"row":1,"column":1}"#;
        let text = format!(
            r#"{{"filename":"a","message":"m","code":"F401","location":{place},"end_location":{place},"url":"u","fix":{{"applicability":"{applicability}","message":"Remove it","edits":[{{"content":"","location":{place},"end_location":{place}}}]}}}}"#
        );
        suggestions(Format::Ruff, &text)
    };
    let fix = |title: &str, is_preferred, text: &str| {
        (title.to_owned(), is_preferred, vec![text.to_owned()])
    };
    assert_eq!(ruff("safe"), [fix("Remove it", true, "")]);
    assert_eq!(ruff("unsafe"), [fix("Remove it (may change behaviour)", false, "")]);
    assert!(ruff("display").is_empty());
    let eslint = r#"[{"filePath":"a","messages":[{"ruleId":"eqeqeq","severity":2,"message":"m","line":3,"column":2,"endLine":3,"endColumn":4,"fix":{"range":[5,7],"text":"==="},"suggestions":[{"desc":"Use x","fix":{"range":[0,1],"text":"x"}},{"desc":"no fix"}]}]}]"#;
    assert_eq!(
        suggestions(Format::Eslint, eslint),
        [fix("Fix eqeqeq", true, "==="), fix("Use x", false, "x")]
    );
    let sarif = |uri: &str| {
        let text = format!(
            r#"{{"version":"2.1.0","runs":[{{"results":[{{"message":{{"text":"m"}},"locations":[{{"physicalLocation":{{"artifactLocation":{{"uri":"a"}},"region":{{"startLine":3,"startColumn":9}}}}}}],"fixes":[{{"description":{{"text":"Use it"}},"artifactChanges":[{{"artifactLocation":{{"uri":"{uri}"}},"replacements":[{{"deletedRegion":{{"startLine":3,"startColumn":9,"endColumn":10}},"insertedContent":{{"text":"y"}}}}]}}]}}]}}]}}]}}"#
        );
        suggestions(Format::Sarif, &text)
    };
    assert_eq!(sarif("a"), [fix("Use it: `y`", false, "y")]);
    assert!(sarif("b").is_empty());
}

#[test]
fn linters_are_read() {
    let one = |format: Format, text: &str| {
        let mut found = read(format, text);
        assert_eq!(found.diagnostics.len(), 1, "{format:?} {found:?}");
        let one = found.diagnostics.remove(0);
        (one.file.unwrap(), one.line, one.column, one.code, one.severity, one.fixable)
    };
    let expected = |column, code: &str, severity, fixable| {
        ("a".to_owned(), Some(3), Some(column), Some(code.to_owned()), severity, fixable)
    };
    let ruff = r#"{"filename":"a","message":"m","code":"F401","location":{"row":3,"column":8},"fix":{"applicability":"safe"}}"#;
    assert_eq!(one(Format::Ruff, ruff), expected(8, "F401", Severity::Warning, true));
    let mypy = r#"{"file":"a","line":3,"column":4,"message":"m","hint":null,"code":"arg-type","severity":"error"}"#;
    assert_eq!(one(Format::Mypy, mypy), expected(5, "arg-type", Severity::Error, false));
    let pyright = r#"{"generalDiagnostics":[{"file":"a","severity":"error","message":"m","rule":"r","range":{"start":{"line":2,"character":0}}}]}"#;
    assert_eq!(one(Format::Pyright, pyright), expected(1, "r", Severity::Error, false));
    let eslint = r#"[{"filePath":"a","messages":[{"ruleId":"r","severity":1,"message":"m","line":3,"column":2,"fix":{"range":[0,1]}}]}]"#;
    assert_eq!(one(Format::Eslint, eslint), expected(2, "r", Severity::Warning, true));
    let sarif = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","rules":[{"id":"r","defaultConfiguration":{"level":"error"}}]}},"results":[{"ruleId":"r","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"},"region":{"startLine":3,"startColumn":9}}}]}]}]}"#;
    assert_eq!(one(Format::Sarif, sarif), expected(9, "r", Severity::Error, false));
    let gcc = r#"[{"kind":"warning","message":"m","option":"-Wall","locations":[{"caret":{"file":"a","line":3,"column":5}}],"children":[]}]"#;
    assert_eq!(one(Format::Gcc, gcc), expected(5, "-Wall", Severity::Warning, false));
    let text = read(Format::Text, "noise\n\u{1b}[31ma:3: error: m\u{1b}[0m\r\n");
    assert_eq!((text.errors, text.diagnostics[0].message.as_str()), (1, "m"));
    assert_eq!(read(Format::Paths, "a.py\n\nb.py\n").files, ["a.py", "b.py"]);
}

/// A report that breaks off is the part that is there.
#[test]
fn half_of_an_output_is_half_of_its_results() {
    let cut = PYTEST.find("test_s").unwrap();
    let found = read(Format::Junit, &PYTEST[..cut]);
    assert_eq!(counts(&found), (1, 2, 0));
    assert!(found.broken.is_some());
    let eslint = r#"[{"filePath":"a","messages":[{"ruleId":"r","severity":2,"message":"m"}]},{"filePath":"b","mess"#;
    assert_eq!(read(Format::Eslint, eslint).errors, 1);
    let cut = LIBTEST.find("test result").unwrap();
    assert_eq!(counts(&read(Format::Cargo, &LIBTEST[..cut])), (1, 2, 1));
}

/// Every format gets every sample, cut anywhere, and bytes that are no text.
#[test]
fn no_output_makes_a_reader_panic() {
    let samples = [
        LIBTEST,
        PYTEST,
        TAP,
        "[[[[{{{{",
        "{\"type\":\"test\"}",
        "\u{1b}[",
        "not ok",
        "---\n...\n",
    ];
    for format in FORMATS {
        for sample in samples {
            for step in 0..=40 {
                let mut bytes = sample.as_bytes()[..sample.len() * step / 40].to_vec();
                read_bytes(*format, &bytes, 64);
                bytes.extend([0xFF, 0x00, 0xFE, b'\n', 0xC3]);
                let length = bytes.len();
                bytes.rotate_left(step % length);
                read_bytes(*format, &bytes, 64);
            }
        }
    }
    let wide: Vec<u8> = PYTEST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut found = Findings::default();
    read_report(&[&[0xFF, 0xFE], &wide[..]].concat(), &mut found);
    assert_eq!(counts(&found), (1, 2, 1));
}

/// Output without end costs no more than its limits.
#[test]
fn floods_are_bounded() {
    let line = [b"test x ... FAILED\n".repeat(1_000), vec![b'x'; 1 << 20]].concat();
    for format in [Format::Cargo, Format::Tap, Format::GoTest, Format::Junit, Format::Text] {
        let mut found = Findings::default();
        let mut reader = reader(format, &[]);
        for _ in 0..100 {
            reader.push(&line, &mut found);
        }
        reader.finish(&mut found);
        assert!(found.failures.len() <= 500 && found.diagnostics.len() <= 2_000);
        assert!(found.failures.iter().all(|one| one.output.len() < 64 << 10));
    }
}
