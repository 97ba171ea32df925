//! Go: packages, methods, embedding, `:=`.

mod fixture;

use fixture::{check, check_references};

#[test]
fn a_package_member_through_an_import() {
    check(
        r#"
//- /go.mod
module example.com/app
//- /main.go
package main

import (
	"fmt"
	"example.com/app/text"
)

func main() { fmt.Println(text.New$0Segment()) }
//- /text/segment.go
package text

func NewSegment() int { return 1 }
     ^^^^^^^^^^
"#,
    );
}

#[test]
fn the_package_is_one_scope() {
    check(
        "
//- /a.go
package a
func f() { hel$0p() }
//- /b.go
package a
func help() {}
     ^^^^
//- /other/c.go
package c
func help() {}
",
    );
}

#[test]
fn short_declarations_are_visible_after_themselves() {
    check(
        "
//- /a.go
package a
func f(x int) {
       ^
    { x := $0x; _ = x }
}
",
    );
    check(
        "
//- /a.go
package a
func f() {
    a, err := g()
       ^^^
    b, err := g()
    _ = er$0r
}
",
    );
}

#[test]
fn methods_fields_and_embedding() {
    check(
        "
//- /a.go
package a
type Base struct { Name string }
                   ^^^^
type T struct { *Base }
func (t *T) M() string { return t.Na$0me }
",
    );
    check(
        "
//- /a.go
package a
type T struct{}
func (t *T) Run() {}
            ^^^
func get() (*T, error) { return nil, nil }
func f() { t, _ := get(); t.R$0un() }
",
    );
}

#[test]
fn keys_of_literals_are_fields() {
    check(
        "
//- /a.go
package a
type P struct { X int }
                ^
var all = map[string]*P{\"a\": {$0X: 1}}
",
    );
}

#[test]
fn references_of_a_field() {
    check_references(
        "
//- /a.go
package a
type P struct { X int }
                ^
type Q struct { X int }
func f(p P, q Q) int { return p.$0X + q.X }
                                ^
",
    );
}
