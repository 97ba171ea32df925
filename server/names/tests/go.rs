//! Go: packages, methods, embedding, `:=`.

mod fixture;

use fixture::check;

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
