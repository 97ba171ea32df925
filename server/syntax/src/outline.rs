//! The outline of a file: its declarations as a tree.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use tree_sitter::QueryMatch;

use crate::outline_item::{OutlineItem, OutlineKind};
use crate::{Language, Syntax, nesting, sections};

/// The outline of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The outermost declarations, in document order.
    pub items: Vec<OutlineItem>,
    /// Whether nothing is left out. If there are more than [`Outline::MOST`], the innermost items
    /// are left out.
    pub is_whole: bool,
}

impl Outline {
    /// Limit of items, including nested ones: more than hand-written files have. Generated files
    /// could otherwise give an outline of tens of megabytes.
    pub const MAX_ITEMS: usize = 20_000;
}

/// Longest name and detail, in characters.
const MAX_LABEL_CHARS: usize = 120;
/// Limit of query matches that are considered.
const MAX_MATCHES: usize = 500_000;

/// A query match: a declaration whose texts have not been read yet.
struct OutlineMatch {
    kind: OutlineKind,
    span: Range<usize>,
    /// The pieces of its name, at least one.
    name: Vec<Range<usize>>,
    detail: Option<Range<usize>>,
    /// The index of the query pattern that matched.
    pattern: usize,
}

impl OutlineMatch {
    fn name_span(&self) -> Range<usize> {
        self.name.last().cloned().unwrap_or(self.span.start..self.span.start)
    }
}

impl Syntax {
    /// The outline according to `queries/<language>/outline.scm`. Its captures are `@item.<kind>`
    /// for the declaration, `@name` for its name (several are joined) and `@detail`; patterns of
    /// headings set `outline.level`. Unnamed items are left out. `None` once `interrupt` is set.
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Outline> {
        let mut flat = self.declarations(self.language(), interrupt)?;
        let seen_all = flat.len() < MAX_MATCHES;
        // Sort outer items before inner ones, so that nesting is one pass with a stack. If two
        // patterns match one name, keep the more specific kind.
        let is_unspecific = |kind| matches!(kind, OutlineKind::Constant | OutlineKind::Variable);
        flat.sort_by_key(|item| {
            (item.span.start, usize::MAX - item.span.end, is_unspecific(item.kind))
        });
        flat.dedup_by(|b, a| a.name_span() == b.name_span());
        let found = flat.len();
        nesting::keep_outermost(&mut flat, |item| &item.span, Outline::MAX_ITEMS);
        let is_whole = seen_all && flat.len() == found;
        let named = flat.into_iter().filter_map(|item| self.outline_item(item)).collect();
        Some(Outline { items: nesting::nest(named), is_whole })
    }

    fn declarations(
        &self,
        language: Language,
        interrupt: &AtomicBool,
    ) -> Option<Vec<OutlineMatch>> {
        let query = language.outline();
        let captures = query.query.capture_names();
        let mut items = Vec::new();
        self.each_match(query, interrupt, |found| {
            items.extend(outline_match(found, captures));
            if items.len() < MAX_MATCHES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        let levels = sections::heading_levels(&query.query);
        if levels.iter().any(Option::is_some) {
            items.sort_by_key(|item| item.span.start);
            let headings = items.iter_mut().filter_map(|i| Some((&mut i.span, levels[i.pattern]?)));
            sections::extend_headings(headings, self.text().len());
        }
        Some(items)
    }

    /// Reads the texts of a match. `None` if the name is blank.
    fn outline_item(&self, outline_match: OutlineMatch) -> Option<OutlineItem> {
        let name_span = outline_match.name_span();
        let OutlineMatch { kind, span, name, detail, .. } = outline_match;
        let words: Vec<_> = name.into_iter().map(|n| self.one_line(n)).collect();
        let name = words.join(" ");
        if name.trim().is_empty() {
            return None;
        }
        let detail = detail.map(|d| self.one_line(d).trim_start_matches(": ").to_owned());
        Some(OutlineItem {
            name,
            kind,
            detail: detail.filter(|d| !d.is_empty()),
            span,
            name_span,
            children: Vec::new(),
        })
    }

    fn one_line(&self, span: Range<usize>) -> String {
        // Cut before joining: a node may be megabytes long.
        let end = span.end.min(span.start + 8 * MAX_LABEL_CHARS);
        let text = self.text().slice(span.start..end);
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if joined.chars().count() <= MAX_LABEL_CHARS {
            return joined;
        }
        joined.chars().take(MAX_LABEL_CHARS - 1).chain(['…']).collect()
    }
}

/// Collects the captures of a match.
fn outline_match(found: &QueryMatch<'_, '_>, captures: &[&str]) -> Option<OutlineMatch> {
    let (mut item, mut name, mut detail) = (None, Vec::new(), None);
    for capture in found.captures() {
        match captures[capture.index as usize] {
            "name" => name.push(capture.node.byte_range()),
            "detail" => detail = Some(capture.node.byte_range()),
            other => {
                let kind = other.strip_prefix("item.").and_then(OutlineKind::from_name);
                item = kind.map(|kind| (kind, capture.node.byte_range())).or(item);
            }
        }
    }
    let (kind, span) = item?;
    // The name nodes of a broken declaration may be empty (MISSING).
    name.iter().any(|name| !name.is_empty()).then_some(())?;
    Some(OutlineMatch { kind, span, name, detail, pattern: found.pattern_index })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};
    use text::Text;

    use super::*;

    fn check(language: &str, source: &str, expect: &Expect) {
        fn write(out: &mut String, items: &[OutlineItem], depth: usize) {
            for item in items {
                let detail = item.detail.as_deref().unwrap_or_default();
                let line = format!("{} {} {detail}", item.kind.as_str(), item.name);
                writeln!(out, "{}{}", "  ".repeat(depth), line.trim_end()).unwrap();
                write(out, &item.children, depth + 1);
            }
        }
        let language = Language::by_id(language).unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &Text::new(source), None, &go).unwrap();
        let mut out = String::new();
        write(&mut out, &syntax.outline(&go).unwrap().items, 0);
        expect.assert_eq(&out);
    }

    #[test]
    fn python() {
        check(
            "python",
            "LIMIT: int = 3\n@dec\nclass A(B):\n    x = 1\n    async def m(self,\n          y): pass\ndef f(): \n    def g(): pass\n",
            &expect![[r#"
                variable LIMIT int
                class A (B)
                  field x
                  method m (self, y)
                function f ()
                  function g ()
            "#]],
        );
    }

    #[test]
    fn unnamed_items_are_left_out_but_not_their_children() {
        check(
            "css",
            " {}\na {}\n",
            &expect![[r#"
            class a
        "#]],
        );
        check(
            "java",
            "class A { void () {} int b() {} }",
            &expect![[r#"
                class A
                  method b ()
            "#]],
        );
    }

    #[test]
    fn above_the_limit_the_outermost_items_are_kept() {
        let go = AtomicBool::new(false);
        let json = Language::by_id("json").unwrap();
        let outline = |items: usize| {
            let source = format!("[{}1]", "{\"a\":{\"b\":[1,{\"c\":2}]}},".repeat(items));
            let syntax = Syntax::parse(json, &Text::new(&source), None, &go).unwrap();
            syntax.outline(&go).unwrap()
        };
        let count = |outline: &Outline| {
            let depths = [
                outline.items.len(),
                outline.items.iter().map(|a| a.children.len()).sum(),
                outline.items.iter().flat_map(|a| &a.children).map(|b| b.children.len()).sum(),
            ];
            (depths, outline.is_whole)
        };
        assert_eq!(count(&outline(6_000)), ([6_000; 3], true));
        assert_eq!(count(&outline(8_000)), ([8_000, 8_000, 4_000], false));
        assert_eq!(count(&outline(30_000)), ([20_000, 0, 0], false));
    }

    #[test]
    fn runs_of_stray_tokens_are_skipped() {
        let stray = "(".repeat(30_000);
        check(
            "python",
            &format!("def f(): pass\n{stray}"),
            &expect![[r#"
            function f ()
        "#]],
        );
    }

    #[test]
    fn rust() {
        check(
            "rust",
            "\
mod m { pub struct S<T> { a: T } }
impl<T> fmt::Display for S<T> { fn f(&self) {} }
enum E { A, B(u8) }
trait T { fn g(); }
const X: u8 = 1;
macro_rules! mac { () => {} }",
            &expect![[r#"
                module m
                  struct S
                    field a T
                impl impl fmt::Display for S<T>
                  method f (&self)
                enum E
                  enum_member A
                  enum_member B (u8)
                trait T
                  method g ()
                constant X u8
                macro mac
            "#]],
        );
    }

    #[test]
    fn go() {
        check(
            "go",
            "\
package p
type S struct { A, B int }
type I interface { M(x int) }
func (s *S) M(x int) {}
func F() {}
const C = 1
var V int
var ( W = 2 )
type N = map[string]int
",
            &expect![[r#"
                struct S
                  field A int
                  field B int
                interface I
                  method M (x int)
                method (s *S) M (x int)
                function F ()
                constant C
                variable V int
                type N map[string]int
            "#]],
        );
    }

    #[test]
    fn c() {
        check(
            "c",
            "\
#define N 3
struct s { int a; char *b; };
enum e { X, Y };
typedef int t;
static int *f(int a) { return 0; }
int g(void);
int v = 1;
",
            &expect![[r#"
                constant N
                struct s
                  field a int
                  field b char
                enum e
                  enum_member X
                  enum_member Y
                type t
                function f (int a)
                function g (void)
                variable v
            "#]],
        );
    }

    #[test]
    fn cpp() {
        check(
            "cpp",
            "namespace n { class C : B { public: C(); ~C(); int m() const; int a; static int s; }; template<class T> T f(T t) { return t; } }\nint n::C::m() const { return a; }\nusing X = int;\n",
            &expect![[r#"
                namespace n
                  class C
                    method C ()
                    method ~C ()
                    method m ()
                    field a int
                    field s int
                  function f (T t)
                function n::C::m ()
                type X int
            "#]],
        );
    }

    #[test]
    fn java() {
        check(
            "java",
            "package p; class A<T> { int x, y; A() {} void m(int a) {} enum E { P, Q } }\ninterface I { int K = 1; void m(); }\nrecord R(int x) {}\n",
            &expect![[r#"
                class A
                  field x int
                  field y int
                  constructor A ()
                  method m (int a)
                  enum E
                    enum_member P
                    enum_member Q
                interface I
                  constant K int
                  method m ()
                class R (int x)
            "#]],
        );
    }

    #[test]
    fn javascript() {
        check(
            "javascript",
            "\
export class A { #p = 1; m() {} get g() { return 1 } }
function f(a, b) {}
const h = (x) => x;
export const K = 1;
let v;
module.exports.q = function (z) {};
",
            &expect![[r#"
                class A
                  field #p
                  method m ()
                  method g ()
                function f (a, b)
                function h (x)
                constant K
                variable v
                function module.exports.q (z)
            "#]],
        );
    }

    #[test]
    fn typescript() {
        check(
            "typescript",
            "\
interface I { a: string; m(x: number): void }
type T = string;
enum E { A, B = 2 }
abstract class C { private f: number; abstract g(): void; constructor() {} }
namespace N { export function f(a: string): void {} }
export const k = <T,>(t: T) => t;
",
            &expect![[r#"
                interface I
                  property a string
                  method m (x: number)
                type T
                enum E
                  enum_member A
                  enum_member B
                class C
                  field f number
                  method g ()
                  method constructor ()
                namespace N
                  function f (a: string)
                function k (t: T)
            "#]],
        );
    }
}
