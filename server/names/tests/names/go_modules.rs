//! Go: where imports lead, by go.mod, go.work, vendor folders, and what only tests see.

use crate::fixture::check;

#[test]
fn the_standard_library_imports_itself_by_folders_alone() {
    check(
        r#"
//- /go.mod
module std
//- /fmt/print.go
package fmt

import "internal/text"

func Println() { text.Ne$0w() }
//- /internal/text/text.go
package text

func New() {}
     ^^^
"#,
    );
}

#[test]
fn a_replaced_module_in_the_project() {
    for line in [
        "replace example.com/lib => ./forks/lib",
        "replace example.com/lib v1.2.3 => ./forks/lib",
        "replace (\n\texample.com/lib v1.2.3 => ./forks/lib // ours\n)",
    ] {
        check(&format!(
            r#"
//- /go.mod
module example.com/app

{line}
//- /main.go
package main

import "example.com/lib/text"

func main() {{ text.Ne$0w() }}
//- /forks/lib/go.mod
module example.com/fork
//- /forks/lib/text/text.go
package text

func New() {{}}
     ^^^
"#
        ));
    }
}

#[test]
fn modules_of_one_go_work() {
    check(
        r#"
//- /go.work
go 1.22

use (
	./app
	./lib
)
//- /app/go.mod
module example.com/app
//- /app/main.go
package main

import "example.com/lib"

func main() { lib.Ne$0w() }
//- /lib/go.mod
module example.com/lib
//- /lib/lib.go
package lib

func New() {}
     ^^^
//- /older/copy/go.mod
module example.com/lib
//- /older/copy/lib.go
package lib

func New() {}
"#,
    );
}

#[test]
fn packages_kept_in_vendor() {
    check(
        r#"
//- /go.mod
module example.com/app
//- /main.go
package main

import "github.com/other/lib"

func main() { lib.Ne$0w() }
//- /vendor/github.com/other/lib/lib.go
package lib

func New() {}
     ^^^
"#,
    );
}

#[test]
fn tests_from_outside_see_what_is_exported() {
    let package = r#"
//- /go.mod
module example.com/app
//- /text/text.go
package text

func New() {}
func hidden() {}
//- /text/export_test.go
package text

func ForTests() {}
"#;
    let new = package.replace("func New() {}", "func New() {}\n     ^^^");
    let for_tests = package.replace("func ForTests() {}", "func ForTests() {}\n     ^^^^^^^^");
    let test = "//- /text/text_test.go\npackage text_test\n\nimport \"example.com/app/text\"\n";
    check(&format!("{new}{test}func f() {{ text.Ne$0w() }}\n"));
    check(&format!("{for_tests}{test}func f() {{ text.ForTes$0ts() }}\n"));
    check(&format!("{package}{test}func f() {{ text.hid$0den() }}\n"));
    check(&format!("{package}{test}func f() {{ hid$0den() }}\n"));
}

#[test]
fn test_only_packages_are_not_importable() {
    check(
        r#"
//- /go.mod
module example.com/app
//- /text/text.go
package text

type T struct{}
//- /text/export_test.go
package text

func ForTests() {}
//- /text/outside_test.go
package text_test

func Outside() {}
//- /main.go
package main

import "example.com/app/text"

func main() { text.ForTes$0ts() }
"#,
    );
}
