//! Runnable items of a file: tests and program entry points.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use crate::Syntax;

/// Limit of runnables per file.
const MAX_RUNNABLES: usize = 2_000;

/// What can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunnableKind {
    /// A test.
    Test,
    /// A program.
    Main,
}

/// A test or program that can be run on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runnable {
    /// Its kind.
    pub kind: RunnableKind,
    /// Its name, in bytes.
    pub name_span: Range<usize>,
}

impl Syntax {
    /// The runnables according to `queries/<language>/runnables.scm`, with captures `@test` and
    /// `@main` for a name, in document order. Whether the test runner collects this file is up to
    /// the caller. `None` once `interrupt` is set.
    #[must_use]
    pub fn runnables(&self, interrupt: &AtomicBool) -> Option<Vec<Runnable>> {
        let query = self.language().runnables();
        let kinds = [("test", RunnableKind::Test), ("main", RunnableKind::Main)]
            .map(|(name, kind)| (query.query.capture_index_for_name(name), kind));
        let mut found = Vec::new();
        self.each_match(query, interrupt, |query_match| {
            for capture in query_match.captures() {
                let kind = kinds.iter().find(|(index, _)| *index == Some(capture.index));
                let name_span = capture.node.byte_range();
                found.extend(kind.map(|(_, kind)| Runnable { kind: *kind, name_span }));
            }
            if found.len() < MAX_RUNNABLES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        found.sort_by_key(|one| (one.name_span.start, one.kind));
        found.dedup();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use text::Text;

    use super::*;
    use crate::Language;

    #[track_caller]
    fn check(language: &str, source: &str, expected: &[&str]) {
        let text = Text::new(source);
        let language = Language::by_id(language).unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &text, None, &go).unwrap();
        let found = syntax.runnables(&go).unwrap().into_iter().map(|one| {
            let kind = if one.kind == RunnableKind::Test { "test" } else { "main" };
            format!("{kind} {}", &source[one.name_span])
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn tests_and_programs_are_found() {
        check(
            "python",
            "\
import x

def test_a(): pass
@mark
async def test_b(): pass
def helper():
    def test_c(): pass
class TestD:
    def test_e(self): pass
    @mark
    def test_f(self): pass
class Other:
    def test_g(self): pass
class Case(unittest.TestCase):
    def test_h(self): pass
if __name__ == '__main__':
    run()
",
            &[
                "test test_a",
                "test test_b",
                "test test_e",
                "test test_f",
                "test test_h",
                "main __name__",
            ],
        );
        check(
            "rust",
            "\
fn main() {}
#[test]
fn a() {}
#[tokio::test]
#[ignore]
async fn b() {}
#[cfg(test)]
mod tests {
    #[test]
    #[should_panic]
    // why
    fn c() {}
    fn d() {}
    fn main() {}
}
#[inline]
fn e() {}
",
            &["main main", "test a", "test b", "test c"],
        );
        check(
            "go",
            "\
package main
func main() {}
func TestAdd(t *testing.T) {}
func Testify() {}
func (s Suite) TestX(t *testing.T) {}
func FuzzAdd(f *testing.F) {}
",
            &["main main", "test TestAdd"],
        );
        check("go", "package other\nfunc main() {}\n", &[]);
        check(
            "c",
            "int main(int argc, char **argv) { return 0; }\nint other(void);\n",
            &["main main"],
        );
        check("cpp", "int main() { return 0; }\n", &["main main"]);
        check("java", "class A { void test() {} }", &[]);
    }
}
