use expect_test::expect;

use crate::snapshot::{folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"// Package p does.
package p

import (
	"fmt"
	"regexp"
)

// Box holds.
type Box[T any] struct {
	Items []T `json:"items"`
}

const (
	One = iota
	Two
)

func (b *Box[T]) Put(item T, more ...string) (n int, err error) {
	defer b.mu.Unlock()
	switch {
	case n == 1:
		return len(b.Items), fmt.Errorf("a\n",
			more)
	default:
		go func() {
			b.Items = append(b.Items, item)
		}()
	}
loop:
	for i := range more {
		break loop
	}
	return Box{
		Items: nil,
	}.n, nil
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        comment.documentation: // Package p does. // Box holds.
        constant: One Two
        constant.builtin: iota nil nil
        escape: \n
        function.builtin: len append
        function.method: Put Unlock Errorf
        keyword: package import type struct const func defer switch case return default go func for range break return
        label: loop loop
        namespace: p
        number: 1
        operator: = * ... == = :=
        property: Items mu Items Items Items Items n
        string: "a "
        string.special: "fmt" "regexp" `json:"items"`
        type: T Box T T Box
        type.builtin: any string int error
        type.parameter: T
        type.struct: Box
        variable: b n b fmt more b b item i more
        variable.parameter: b item more n err
    "#]].assert_eq(&highlights("go", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["4-7 Imports, 10-11 Code, 14-16 Code, 19-36 Code, 21-28 Code, 22-24 Code, 23-24 Code, 25-27 Code, 26-27 Code, 31-32 Code, 34-35 Code"].assert_eq(&folds("go", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("go", 4, &SOURCE.replace('\t', "    "));
}
