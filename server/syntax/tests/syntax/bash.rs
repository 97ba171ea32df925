use expect_test::expect;

use crate::look::{class_of, folds, highlights, links, outline, well_indented};

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
fn commands_keywords_and_variables_differ() {
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
fn what_is_sourced_is_linked() {
    assert_eq!(links("bash", SOURCE), ["./lib.sh", "other.sh"]);
}

#[test]
fn here_documents_name_their_language() {
    let source = "cat <<'JSON'\n{\"a\": 1}\nJSON\n";
    assert_eq!(class_of("bash", source, "1"), "number");
    assert_eq!(class_of("bash", source, "\"a\""), "property");
    assert_eq!(class_of("bash", "cat <<EOF\n{1}\nEOF\n", "1"), "string");
}
