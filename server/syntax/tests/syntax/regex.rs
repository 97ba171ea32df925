use expect_test::expect;

use crate::snapshot::highlights;

#[test]
fn groups_classes_and_repetitions_are_highlighted() {
    let source = r"^(?P<name>a+|[^b-z\d]*?)(?:\p{L}{2,3}\b)\1\.(?=x)[[:alpha:]].$";
    expect![[r#"
        constant.builtin: \d \p .
        escape: \1 \.
        keyword: ^ \b $
        label: name
        number: 2 3
        operator: + | ^ - * ? =
        string.regexp: a b z x
        type: L
        type.builtin: alpha
    "#]]
    .assert_eq(&highlights("regex", source));
}
