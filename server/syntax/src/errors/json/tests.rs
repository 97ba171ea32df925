//! Which errors are reported for the JSON dialects.

use super::*;

fn errors_of(source: &str, dialect: JsonDialect) -> Vec<String> {
    let describe = |e: SyntaxError| format!("{}: {}", &source[e.span], e.message);
    errors(source, dialect).into_iter().map(describe).collect()
}

#[test]
fn valid_json_has_no_errors() {
    use JsonDialect::{Comments, Json5, Lines, Strict};
    for (dialect, source) in [
        (Strict, "{\"a\": [1, -0.5e+1, 2E10, true, null, \"\\u00e9\\n\", {}, []]}\n"),
        (Strict, "\u{feff}\"a\""),
        (Strict, ""),
        (Strict, "// Its reader takes this.\n{\"a\": [1,],}"),
        (Comments, "# YAML\nextends: a\n"),
        (Strict, "{\"a\": {{ b }}}"),
        (Strict, "{\"a\": \"{{ b }}\"}"),
        (Comments, "{\"a\": 1, /* b */ \"c\": [1,],\n}"),
        (Json5, "{a: 'b\\\n c', $d: +.5, e: 0xAf, 'f': Infinity, g: 5., }"),
        (Lines, "{}\n[]\n\n1\n"),
    ] {
        assert_eq!(errors_of(source, dialect), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn each_problem_gives_one_message() {
    use JsonDialect::{Lines, Strict};
    for (source, wanted) in [
        ("{\"a\": 1 \"b\": 2}", "\": expected `,` before the string"),
        ("[1 2]", "2: expected `,` before `2`"),
        ("{\"a\" 1}", "1: expected `:` before `1`"),
        ("[1,]", ",: unexpected `,` before `]`"),
        ("{\"a\": }", ":: expected a value after `:`"),
        ("{a: 1}", "a: expected a name in quotes before `a`"),
        ("[01]", "01: unexpected `01`"),
        ("[nul]", "nul: unexpected `nul`"),
        ("{\"a\": [1, 2}", "[: unclosed `[` that opens on line 1"),
        ("\n{\"a\": 1", "{: unclosed `{` that opens on line 2"),
        ("[\"a\n]", "\"a: unclosed string that starts on line 1"),
        ("[\"\\x\"]", "\\x: invalid escape `\\x`"),
        ("1]", "]: `]` has no opening `[`"),
        ("{} {}", "{: expected the end of the text before `{`"),
        ("[,1]", ",: unexpected `,`"),
        ("{\"a\"}", "}: expected `:` before `}`"),
    ] {
        assert_eq!(errors_of(source, Strict), [wanted], "{source}");
    }
    assert_eq!(errors_of("{} {}\n", Lines).len(), 1);
    assert_eq!(errors_of("[1 2]\n[3 4]\n", Lines).len(), 2);
}

#[test]
fn duplicate_names_are_warnings() {
    let duplicate_warnings = |source: &str| {
        let describe = |w: SyntaxWarning| format!("{}: {}", &source[w.span], w.message);
        duplicates(source, JsonDialect::Strict).into_iter().map(describe).collect::<Vec<_>>()
    };
    let first = "duplicate name `\"a\"`, first on line 1";
    assert_eq!(duplicate_warnings("{\"a\": 1, \"b\": 2,\n \"a\": 3}"), [format!("\"a\": {first}")]);
    assert_eq!(duplicate_warnings("{\"a\": {\"c\": 1}, // b\n \"a\": 3,}").len(), 1);
    assert_eq!(duplicate_warnings("{\"a\": 1, \"\\u0061\": 3}").len(), 1);
    for sound in [
        "{\"a\": {\"a\": [{\"a\": 1}, {\"a\": 2}]}, \"b\": {\"a\": 1}}",
        "{\"//\": \"of a\", \"a\": 1, \"//\": \"of b\", \"b\": 2}",
        "{\"_comment\": 1, \"_comment\": 2, \"A\": 1, \"a\": 1}",
        "{\"a\": 1, \"a\": 2",
    ] {
        assert_eq!(duplicate_warnings(sound), [""; 0], "{sound}");
    }
}

#[test]
fn hostile_texts_are_bounded() {
    let started = std::time::Instant::now();
    for source in ["[", "{\"a\":", "\"", "[,", "é", "\\", "/*", "//", "[1 ", "]"] {
        for dialect in [JsonDialect::Strict, JsonDialect::Json5, JsonDialect::Lines] {
            assert!(errors(&source.repeat(300_000), dialect).len() <= MAX_ERRORS);
        }
    }
    let numbers = format!("[{}1]", "12345,".repeat(300_000));
    assert_eq!(errors_of(&numbers, JsonDialect::Strict), Vec::<String>::new());
    let names = format!("[{}1]", "\"{{name}}\",".repeat(200_000));
    assert_eq!(errors_of(&names, JsonDialect::Strict), Vec::<String>::new());
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
