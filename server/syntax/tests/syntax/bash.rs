use expect_test::expect;

use crate::errors::errors_by_line;
use crate::errors::errors_with_spans;
use crate::snapshot::{class_of, folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"#!/bin/bash
# Build it.
readonly OUT="$HOME/out"
alias ll='ls -l'

build() {
  local n=$1
  case "$n" in
    a | *.txt) echo "hi ${n:-x}" ;;
    *)
      return 1
      ;;
  esac
  for f in *.c; do
    if [[ -f "$f" && $f =~ ^a+$ ]]; then
      cc -o out "$f" \
        -lm 2>&1 |
        tee log
    else
      exit $((n + 2))
    fi
  done
}
source ./lib.sh
. other.sh
"#;

#[test]
fn functions_and_variables_are_listed() {
    expect![[r#"
        variable OUT
        function alias ll=
        function build
    "#]]
    .assert_eq(&outline("bash", SOURCE));
}

#[test]
fn commands_keywords_and_variables_are_highlighted() {
    expect![[r#"
        attribute: -o -lm
        comment: #!/bin/bash # Build it.
        constant: OUT HOME
        function: build cc tee
        function.builtin: alias echo source .
        keyword: readonly local case in return esac for in do if ^ $ then else exit fi done
        number: 1 2 1 2
        operator: = = | :- -f && =~ + >& | +
        string: " /out" ll= 'ls -l' " " a *.txt "hi  x " * *.c " " out " " log ./lib.sh other.sh
        string.regexp: a
        variable: n n n f f f f n
        variable.parameter: 1
    "#]]
    .assert_eq(&highlights("bash", SOURCE));
}

#[test]
fn bodies_fold_and_indent() {
    assert_eq!(
        folds("bash", SOURCE),
        "1-2 Comment, 6-22 Code, 8-12 Code, 10-12 Code, 14-21 Code, 15-20 Code, 19-20 Code"
    );
    well_indented("bash", 2, SOURCE);
}

#[test]
fn sourced_files_are_linked() {
    assert_eq!(links("bash", SOURCE), ["./lib.sh", "other.sh"]);
}

#[test]
fn here_documents_name_their_language() {
    let source = "cat <<'JSON'\n{\"a\": 1}\nJSON\n";
    assert_eq!(class_of("bash", source, "1"), "number");
    assert_eq!(class_of("bash", source, "\"a\""), "property");
    assert_eq!(class_of("bash", "cat <<EOF\n{1}\nEOF\n", "1"), "string");
}

fn errors(source: &str) -> Vec<String> {
    errors_with_spans("bash", source)
}

#[test]
fn valid_shell_code_has_no_errors() {
    for source in [
        SOURCE,
        "case $1 in\n  a) b;;\n  (c|'d)') e ;;\n  *) case x in esac\nesac\n",
        "x=${a#*(} y=${#a} z=${b%\\}} v=\"${c:-it's 'so'}\" w=\"$(d \"e)\" # f)\n)\"\n",
        "\
cat <<A <<-'B' | d
it's ( $x
A
\t\" done
\tB
((a = (1 << 2)))
[[ $x =~ ^(a|b)$ && ( -e y ) ]]
",
        "for ((i = 0; i < 9; i++)); do echo done fi; done\nfor x in if do; do :; done\n",
        "f () { a=(1 2 # (\n  3); }\nfunction g {\n  if (true) then h; fi\n}\n",
        "echo a#b $# \\' \\\" {a,b} } $'it\\'s' $\"x\" @(a|b) >&2\nwhile read x; do y; done <z\n",
        "x=`if a \"b\"; then c; fi`\n( ( d ); { e; } ) && ! { f; }\n",
        "@test \"a\" {\n  b\n}\n",
        "#!/bin/zsh\nfor x (a b) { c }\nprint ${(f)x\n",
        "{% if a %}\nif b; then\n{% endif %}\n",
        "",
    ] {
        assert_eq!(errors(source), [""; 0], "{source}");
    }
}

#[test]
fn unclosed_constructs_are_reported() {
    for (source, expected) in [
        ("if a; then\n  b\n", "if: unclosed `if` that opens on line 1"),
        ("if a; then\n  if b; then\n    c\nfi\nd\n", "if: unclosed `if` that opens on line 2"),
        ("for a in b; do\n  c\nfi\n", "fi: `fi` has no opening `if`"),
        ("a\n}\n", "}: `}` has no opening `{`"),
        ("x=$(a\n", "$(: unclosed `$(` that opens on line 1"),
        ("x=${a\n", "${: unclosed `${` that opens on line 1"),
        ("a=(b\n", "(: unclosed `(` that opens on line 1"),
        ("a 'b\n", "': unclosed string that starts on line 1"),
        ("a \"b\nc \"d\" e\n", "\": unclosed string that starts on line 1"),
        ("cat <<A\nb\n", "<<A: unclosed `<<A` that opens on line 1"),
        ("a && b)\n", "): `)` has no opening `(`"),
    ] {
        assert_eq!(errors(source), [expected], "{source}");
    }
}

#[test]
fn incomplete_scripts_are_checked() {
    let source = "é=\\é; f() { case \"${é:-`a é`}\" in ü) cat <<é;; esac; }\né\n$((é)) [[ é ]]\n";
    for (end, _) in source.char_indices() {
        assert!(errors(&source[..end]).len() <= 3);
        assert!(errors(&source[end..]).len() <= 3);
    }
}

#[test]
fn a_mismatched_end_is_reported_with_the_unclosed_construct() {
    for (source, wanted) in [
        (
            "f() {\n  if a; then\n    b\n}\ng\n",
            [
                "2: unclosed `if` that opens on line 2",
                "4: unexpected `}`: `if` on line 2 is not closed",
            ],
        ),
        (
            "if a; then\n  while b; do\n    c\nfi\n",
            [
                "2: unclosed `while` that opens on line 2",
                "4: unexpected `fi`: `while` on line 2 is not closed",
            ],
        ),
        (
            "if a;\n  b\nfi\nc\n",
            [
                "1: expected `then` after `if` on line 1",
                "3: unexpected `fi`, expected `then` before it",
            ],
        ),
        (
            "if a; then\n  b\nelif c\n  d\nfi\n",
            [
                "3: expected `then` after `elif` on line 3",
                "5: unexpected `fi`, expected `then` before it",
            ],
        ),
        (
            "x | while read y\n  z\ndone\n",
            [
                "1: expected `do` after `while` on line 1",
                "3: unexpected `done`, expected `do` before it",
            ],
        ),
        (
            "for a in b c;\n  if d; then e; fi\ndone\n",
            [
                "1: expected `do` after `for` on line 1",
                "2: unexpected `if`, expected `do` before it",
            ],
        ),
        (
            "case a in\n  b) if c\n    then d\n  ;;\nesac\n",
            [
                "2: unclosed `if` that opens on line 2",
                "4: unexpected `;;`: `if` on line 2 is not closed",
            ],
        ),
        ("a {\n  b\n}\n", ["1: unexpected `{` as an argument", "3: `}` has no opening `{`"]),
    ] {
        assert_eq!(errors_by_line("bash", source), wanted, "{source}");
    }
}

#[test]
fn missing_parts_of_commands_are_reported() {
    for (source, wanted) in [
        ("if ; then\n  a\nfi\n", "1: expected a command before `;`"),
        ("if a; then\nfi\n", "2: expected a command before `fi`"),
        ("while a; do do\n  b\ndone\n", "1: expected a command before `do`"),
        ("() {\n  a\n}\n", "1: expected a command before `)`"),
        ("function () {\n  a\n}\n", "1: expected a name after `function` before `(`"),
        ("function f\n", "1: expected a function body before the end"),
        ("#!/bin/bash\nf() a\n", "2: expected a function body before `a`"),
        ("for in a; do b; done\n", "1: expected `in` or `do` before `a`"),
        ("for for a in b; do c; done\n", "1: expected `in` or `do` before `a`"),
        ("for ; do b; done\n", "1: expected a name after `for` before `;`"),
        ("a && && b\n", "1: expected a command after `&&` before `&&`"),
        ("a | ; b\n", "1: expected a command after `|` before `;`"),
        ("a; ; b\n", "1: expected a command before `;`"),
        ("a;; b\n", "1: `;;` has no opening `case`"),
        ("a > ;\n", "1: expected a file after `>` before `;`"),
        ("a <<< ;\n", "1: expected a text after `<<<` before `;`"),
        (
            "case a in in\n  b) ;;\nesac\n",
            "1: expected `)` after the pattern before the end of the line",
        ),
        ("case a b in\n  c) ;;\nesac\n", "1: expected `in` before `b`"),
        (
            "case a in\n  b) c\n  d) e ;;\nesac\n",
            "3: unexpected `)`: `;;` is missing before this pattern",
        ),
        ("a(b)\n", "1: unexpected `(`"),
        ("a= =(b)\n", "1: unexpected `(`"),
        ("(a) b\n", "1: unexpected `b`"),
        ("if a then\n  b\nfi\n", "1: expected `;` before `then`"),
        ("for a in b do\n  c\ndone\n", "1: expected `;` before `do`"),
        ("{ a }\n", "1: expected `;` before `}`"),
        ("[[ a && ]]\n", "1: expected a condition before `]]`"),
        ("[[ a == ]]\n", "1: expected a word after `==` before `]]`"),
        ("[[ a b ]]\n", "1: expected an operator or `]]` before `b`"),
        ("if [[ a ; then\n  b\nfi\n", "1: expected `]]` before `;`"),
    ] {
        assert_eq!(errors_by_line("bash", source), [wanted], "{source}");
    }
}

/// The quote inverts strings and code after it, so the shell stops at a later one.
#[test]
fn strings_that_span_lines_by_mistake_are_found() {
    for (source, line) in [
        ("echo ''a'\nb 'c'\n(d)\n", 1),
        ("a 'it\nis'\necho \"b\nc \"d\"\nif e; then\n  f\nfi\n", 3),
        ("echo a\"\nif b; then\n  c \"d\"\nfi\ne \"f (g)\"\n", 1),
        ("a=\"$(b \"c)\"\nd() {\n  e \"f\" 'g'\n}\n", 1),
    ] {
        let wanted = format!("{line}: unclosed string that starts on line {line}");
        assert_eq!(errors_by_line("bash", source), [wanted], "{source}");
    }
    assert_eq!(
        errors_by_line("bash", "x=$(a\nb \"c\"\ncase d in\n  e) f ;;\nesac\n"),
        ["1: unclosed `$(` that opens on line 1"]
    );
}

#[test]
fn code_that_only_some_shells_accept_is_no_error() {
    for source in [
        "f() a\n",
        "#!/bin/sh\nx=\"${a:-it's}\"\n",
        "#!/bin/bash\na\nexit 0\nThis isn't a command (\n",
        "exec python3 \"$0\" \"$@\"\ndef a(b): pass\n",
        "setopt extended_glob\nfor a (b c) { d }\n",
        "x=${ a; }\n",
        "a=( [b]=c d$(e)f # (\n g )\ndeclare -A h=([i j]=k)\n",
        "if [[ a ]] then b; fi\nif (a) then b; fi; { { c; } }\n",
        "for a; do b; done\nfor a in; do b; done\nfor ((;;)) { c; }\nselect a in b; do c; done\n",
        "case a in esac\ncase b in\nc) ;;\n(d|e) f ;;& *) g\nesac\n",
        "[[ -n $a && ! ( b < c || d =~ ^(e f|g)$ ) ]]\n[[ a == @(b|c)* ]]\n",
        "! a | ! b |& c &> d 2>&1 {e}>f <&- >|g\ntime -p h\ntime\n",
        "echo $((echo a); echo b) $((1 + (2))) $[3]\n((a) ; (b))\n",
        "a[1 + 2]=3 b+=(c) d[$e]+=f\n> g\n",
        "coproc { a; }\nfunction b-c () ( d )\ne () [[ f ]]\n",
    ] {
        assert_eq!(errors(source), [""; 0], "{source}");
    }
}
