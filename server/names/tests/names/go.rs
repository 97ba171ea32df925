//! Go: packages, methods, embedding, `:=`.

use crate::fixture::{check, check_references};

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

#[test]
fn declaration_order_does_not_matter() {
    check(
        "
//- /a.go
package a
func init() { _ = la$0ter }
var later = 1
    ^^^^^
",
    );
}

#[test]
fn a_short_declaration_may_assign() {
    check(
        "
//- /a.go
package a
func f() {
    var err error
        ^^^
    a, er$0r := g()
    _ = a
}
",
    );
}

#[test]
fn a_type_switch_narrows() {
    check(
        "
//- /a.go
package a
type A struct { Name string }
type B struct { Name string }
                ^^^^
type C interface { M() }
func f(v interface{}) {
    switch v := v.(type) {
    case *A:
        switch v := v.(type) { case *B: _ = v.Name$0 }
    }
}
",
    );
    check(
        "
//- /a.go
package a
type C interface { Name() string }
                   ^^^^
type A struct { Name string }
func f(c C) {
    switch v := c.(type) { case *A, *B: _ = v.Na$0me }
}
",
    );
}

#[test]
fn predeclared_identifiers() {
    check(
        "
//- /a.go
package a
type T struct { Name string }
                ^^^^
type U struct { Name string }
func f() { t := append(make([]*T, 0), new(T)); for _, x := range t { _ = x.Na$0me } }
",
    );
    check(
        "
//- /a.go
package a
type T struct { Name string }
                ^^^^
type U struct { Name string }
func f() { t := new(T); _ = t.Na$0me }
",
    );
}

#[test]
fn long_chains() {
    let chain = ".With()".repeat(300);
    check(&format!(
        "
//- /a.go
package a
type T struct {{}}
func (t *T) With() *T {{ return t }}
func (t *T) Last() *T {{ return t }}
            ^^^^
type U struct {{}}
func (u U) Last() {{}}
func f(t *T) {{ t{chain}.La$0st() }}
"
    ));
}

#[test]
fn files_for_other_platforms_are_ignored() {
    check(
        "
//- /a.go
package a
func f() { system$0() }
//- /b_plan9.go
package a
func system() {}
//- /c.go
//go:build ignore

package a
func system() {}
//- /d.go
//go:build !ignore

package a
func system() {}
     ^^^^^^
",
    );
    check_references(
        "
//- /a.go
package a
func f() { sys$0tem() }
           ^^^^^^
func system() {}
     ^^^^^^
//- /b_plan9_test.go
package a
func g() { system() }
",
    );
}

#[test]
fn a_package_resolves_to_its_documentation() {
    check(
        "
//- /a.go
package text$0
//- /b.go
// Package text is about text.
package text
        ^^^^
",
    );
    check_references(
        r#"
//- /go.mod
module example.com/app
//- /text/a.go
package text$0
        ^^^^
//- /text/a_test.go
package text_test
import "example.com/app/text"
                        ^^^^
"#,
    );
}

#[test]
fn a_key_of_an_unknown_type_is_no_variable() {
    check(
        r#"
//- /a.go
package a
import "sync"
func New() {}
var pool = sync.Pool{Ne$0w: func() any { return nil }}
"#,
    );
}

#[test]
fn parameters_and_results_are_in_the_bodys_scope() {
    check(
        "
//- /a.go
package a
func f() (data string, err error) {
                       ^^^
    d, err := g()
    return d, er$0r
}
",
    );
}

#[test]
fn maps_channels_and_iterators() {
    for (parameter, statement) in [
        ("c chan *T", "for x := range c { _ = x.Na$0me }"),
        ("c <-chan *T", "x := <-c; _ = x.Na$0me"),
        ("c chan *T", "x, ok := <-c; _ = x.Na$0me"),
        ("c chan *T", "select { case x := <-c: _ = x.Na$0me }"),
        ("m map[T]int", "for x := range m { _ = x.Na$0me }"),
        ("m map[int]map[int]T", "x, ok := m[1]; _ = x[2].Na$0me"),
        ("f func(yield func(int, *T) bool)", "for _, x := range f { _ = x.Na$0me }"),
    ] {
        check(&format!(
            "
//- /a.go
package a
type T struct {{ Name string }}
                ^^^^
type U struct {{ Name string }}
func f({parameter}) {{ {statement} }}
"
        ));
    }
}

#[test]
fn references_of_a_method_are_those_through_its_interfaces() {
    check_references(
        "
//- /a.go
package a
import \"io\"
type Router interface { io.Reader; Use(n int) }
type Other interface { Use(n string) }
type Mux struct {}
func (m *Mux) Us$0e(n int) {}
              ^^^
func f(r Router, o Other) { r.Use(1); o.Use(\"\") }
                              ^^^
",
    );
}

#[test]
fn references_of_an_embedded_field() {
    check_references(
        "
//- /a.go
package a
type Conn struct {}
type Client struct { Con$0n }
                     ^^^^
func f(c Client) { _ = c.Conn; var x Conn }
                         ^^^^
",
    );
}

#[test]
fn type_parameters() {
    check(
        "
//- /a.go
package a
type List[T any] struct { items []T }
type Map[T any] struct { item $0T }
         ^
",
    );
}

#[test]
fn members_through_type_arguments() {
    check(
        "
//- /a.go
package a
type P struct { Name string }
                ^^^^
type Q struct { Name string }
type List[T any] struct { items []T }
func (l *List[E]) First() E { return l.items[0] }
func Keys[K comparable, V any](m map[K]V) []K { return nil }
func f(l *List[P]) { _ = l.First().Na$0me }
",
    );
}

#[test]
fn generic_functions_and_types() {
    for statement in [
        "_ = Values(map[int]P{})[0].Na$0me",
        "_ = Values[int, P](nil)[0].Na$0me",
        "_ = New[P](p).First().Na$0me",
        "for x := range Set[P]{} { _ = x.Na$0me }",
        "_ = apply(1, func(n int) P { return p }).Na$0me",
        "_ = apply(1, make1).Na$0me",
        "var pair Pair[string, *P]; _ = pair.Value.Na$0me",
    ] {
        check(&format!(
            "
//- /a.go
package a
type P struct {{ Name string }}
                ^^^^
type Q struct {{ Name string }}
var p P
type List[T any] struct {{ items []T }}
func (l *List[E]) First() E {{ return l.items[0] }}
type Set[K comparable] map[K]struct{{}}
type Pair[K comparable, V any] struct {{ Key K; Value V }}
func New[T any](x T) *List[T] {{ return nil }}
func Values[K comparable, V any](m map[K]V) []V {{ return nil }}
func apply[A, B any](a A, f func(A) B) B {{ return f(a) }}
func make1(n int) P {{ return p }}
func f() {{ {statement} }}
"
        ));
    }
    check(
        "
//- /a.go
package a
type List[T any] struct { items []T }
func (l *List[E]) First() E$0 { return l.items[0] }
              ^
",
    );
}

#[test]
fn a_library_method_does_not_resolve_to_an_unrelated_one() {
    check(
        r#"
//- /a.go
package a
import "strings"
type T struct {}
func (t T) ReplaceAll(s string) {}
func f(r unknown) { strings.NewReplacer("a", "b").Replace$0All("x"); r.ReplaceAll("") }
"#,
    );
}

#[test]
fn a_parameter_does_not_hide_the_type_beside_it() {
    check(
        "
//- /a.go
package a
type use struct { id int }
                  ^^
func f(use use, other use) (err use) { _ = other.i$0d; return }
",
    );
    check(
        "
//- /a.go
package a
type use struct { id int }
                  ^^
func (use *use) f() { _ = use.i$0d }
",
    );
    check(
        "
//- /a.go
package a
func f(x interface{}) { switch x := x$0.(type) { case int: _ = x } }
       ^
",
    );
}

#[test]
fn several_variables_of_one_type() {
    check(
        "
//- /a.go
package a
type T struct { Name string }
                ^^^^
type U struct { Name string }
func f() { var a, b T; _ = b.Na$0me }
",
    );
}

#[test]
fn literals_of_named_sequences() {
    check(
        "
//- /a.go
package a
type T struct { Name string }
                ^^^^
type U struct { Name string }
type Ts []*T
var all = Ts{{Na$0me: \"a\"}}
",
    );
}

#[test]
fn references_of_an_embedded_type() {
    check_references(
        "
//- /a.go
package a
type Conn struct {}
     ^^^^
type Client struct { Conn }
                     ^^^^
func f() { var c Con$0n }
                 ^^^^
",
    );
}
