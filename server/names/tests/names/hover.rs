//! Hover, in each language.

use crate::fixture::fixture;
use names::{FileId, HoverInfo};
use text::Text;

#[track_caller]
fn described(text: &str) -> HoverInfo {
    let f = fixture(text);
    let texts = |id: FileId| f.sources.get(id.0 as usize).map(|s| Text::new(s));
    f.index.hover(FileId(f.cursor.0), f.cursor.1, &texts).expect("a description")
}

#[track_caller]
fn check(text: &str, signature: &str, documentation: Option<&str>) -> HoverInfo {
    let found = described(text);
    assert_eq!(found.signature.as_deref(), Some(signature));
    assert_eq!(found.documentation.as_ref().map(|d| d.text.as_str()), documentation);
    found
}

#[test]
fn python() {
    let text = "
//- /a.py
class Box:
    '''A box.

    With a lid.
    '''
    def open(
        self,
        how: dict[str, int],
    ) -> None:
        \"\"\"Opens it.\"\"\"
//- /b.py
from a import Box
b = Box()
b.op$0en({})
";
    let found =
        check(text, "def open(\n    self,\n    how: dict[str, int],\n) -> None", Some("Opens it."));
    assert_eq!(found.container.as_deref(), Some("Box"));
    let found = described(&text.replace("op$0en", "open").replace("b = Box()", "b = Bo$0x()"));
    assert_eq!(found.signature.as_deref(), Some("class Box"));
    assert_eq!(
        found.documentation.as_ref().map(|d| d.text.as_str()),
        Some("A box.\n\nWith a lid.")
    );
    let found = described(&text.replace("op$0en", "open").replace("b.open", "$0b.open"));
    assert_eq!(found.signature.as_deref(), Some("b = Box()"));
    assert_eq!(found.inferred_type.as_deref(), Some("Box"));
}

#[test]
fn typescript() {
    check(
        "
//- /a.ts
/** Adds.
 * @param a one
 */
export function add(a: number, b: { n: number }): { sum: number } {
    return { sum: a + b.n };
}
ad$0d(1, { n: 2 });
",
        "export function add(a: number, b: { n: number }): { sum: number }",
        Some("Adds.\n@param a one"),
    );
    check(
        "
//- /a.ts
// How many.
export const limit: number = 10;
lim$0it;
",
        "export const limit: number = 10",
        Some("How many."),
    );
    check(
        "\n//- /a.ts\ninterface I<T> extends J { a: T }\nlet x: $0I<number>;\n",
        "interface I<T> extends J",
        None,
    );
}

#[test]
fn rust() {
    check(
        "
//- /src/lib.rs
/// Opens it.
///
/// Or not.
#[must_use]
pub(crate) fn open<T>(how: T) -> Option<T>
where
    T: Clone,
{
    None
}
fn f() { o$0pen(1); }
",
        "pub(crate) fn open<T>(how: T) -> Option<T>\nwhere\n    T: Clone",
        Some("Opens it.\n\nOr not."),
    );
    check(
        "\n//- /src/lib.rs\nstruct A {\n    /// One.\n    pub a: u8,\n}\nfn f(x: A) { x.$0a; }\n",
        "pub a: u8",
        Some("One."),
    );
    let found = described("\n//- /src/lib.rs\nstruct A;\nfn f() { let x = A; $0x; }\n");
    assert_eq!(found.inferred_type.as_deref(), Some("A"));
}

#[test]
fn go() {
    check(
        "
//- /a.go
package a
// Open opens.
func (b *Box) Open(how interface{}) (int, error) { return 0, nil }
type Box struct{ n int }
func f(b *Box) { b.O$0pen(1) }
",
        "func (b *Box) Open(how interface{}) (int, error)",
        Some("Open opens."),
    );
}

#[test]
fn java() {
    check(
        "
//- /A.java
class A {
    /**
     * Opens.
     */
    @Override
    public int open(int how) throws Bad { return how; }
    void f() { o$0pen(1); }
}
",
        "public int open(int how) throws Bad",
        Some("Opens."),
    );
}

#[test]
fn c_and_cpp() {
    check(
        "
//- /a.h
/* Opens.
 * Really. */
int open_it(int how);
//- /a.c
#include \"a.h\"
int f(void) { return open$0_it(1); }
",
        "int open_it(int how)",
        Some("Opens.\nReally."),
    );
    check(
        "
//- /a.cc
struct S {
    int size_ = 0;  ///< How many.
    int size() const { return s$0ize_; }
};
",
        "int size_ = 0",
        Some("How many."),
    );
    check("\n//- /a.c\n#define LIMIT 10\nint x = LI$0MIT;\n", "#define LIMIT 10", None);
}

#[test]
fn a_module_is_documented_by_its_first_comment() {
    let found =
        described("\n//- /a.py\nimport util\nut$0il.x\n//- /util.py\n'''Tools.'''\nx = 1\n");
    assert_eq!(
        (found.name.as_str(), found.documentation.as_ref().map(|d| d.text.as_str())),
        ("util", Some("Tools."))
    );
}

#[test]
fn rust_attributes_may_split_doc_comments() {
    check(
        "
//- /src/lib.rs
/// Makes it.
///
#[cfg_attr(not(feature = \"help\"), doc = \" ```ignore\")]
#[cfg_attr(feature = \"help\", doc = \" ```\")]
/// make();
/// ```
#[must_use]
#[doc = \" The end.\"]
pub fn make() {}
fn f() { ma$0ke() }
",
        "pub fn make()",
        Some("Makes it.\n\n```\nmake();\n```\nThe end."),
    );
}

#[test]
fn types_are_rendered_in_the_languages_syntax() {
    let found = described(
        "
//- /a.py
def make() -> dict[str, int]: ...
bo$0x = make()
",
    );
    assert_eq!(found.inferred_type.as_deref(), Some("dict[str, int]"));
}
