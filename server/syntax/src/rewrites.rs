//! Rewrites of syntax that is newer than the grammar of its language.
//!
//! The parser can be given a text that differs from the real one as long as it has the same length:
//! the tree then fits the real text. So a construct that the grammar does not know is replaced by
//! an older one of the same length with the same identifiers: `using a = b` by `const a = b`. Text
//! that a rewrite blanks out has no node, and therefore no highlight.

pub(crate) mod c;
mod ecma;
mod scan;
mod typescript_types;

use std::ops::Range;

use serde::Deserialize;
use text::Text;

use crate::parser_limits;

/// The languages with rewrites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rewrites {
    /// Masks characters that crash the scanner of Bash.
    Bash,
    C,
    Javascript,
    Typescript,
}

/// A replacement of text that only the parser sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewrite {
    pub(crate) start: usize,
    /// As long as the replaced text, with newlines at the same positions.
    pub(crate) replacement: Box<[u8]>,
}

impl Rewrite {
    pub(crate) fn end(&self) -> usize {
        self.start + self.replacement.len()
    }
}

impl Rewrites {
    /// The rewrites of a text, in order and disjoint. O(n).
    pub(crate) fn find(self, text: &Text) -> Vec<Rewrite> {
        let mut found = match self {
            Self::Bash => {
                let mask = |span: Range<usize>| Rewrite {
                    start: span.start,
                    replacement: parser_limits::MASK[..span.len()].into(),
                };
                parser_limits::bash_masks(text).into_iter().map(mask).collect()
            }
            Self::C => c::rewrites(text),
            Self::Javascript | Self::Typescript => ecma::rewrites(&text.slice(0..text.len()), self),
        };
        found.sort_by_key(|rewrite| rewrite.start);
        found.dedup_by(|later, earlier| later.start < earlier.end());
        found
    }
}

/// The rewrites of a text, plus identifiers in place of the `masks`.
pub(crate) fn with_identifier_masks(rewrites: &[Rewrite], masks: &[Range<usize>]) -> Vec<Rewrite> {
    let mut all = rewrites.to_vec();
    let mask = |span: &Range<usize>| Rewrite {
        start: span.start,
        replacement: vec![b'x'; span.len()].into(),
    };
    all.extend(masks.iter().map(mask));
    all.sort_by_key(|rewrite| rewrite.start);
    all.dedup_by(|later, earlier| later.start < earlier.end());
    all
}

/// The spans of the new text in which the parser reads something else than before, apart from the
/// edit itself (`to` replaces `from`): where one of the lists has a rewrite that the other lacks.
pub(crate) fn differences(
    old: &[Rewrite],
    new: &[Rewrite],
    from: &Range<usize>,
    to: &Range<usize>,
) -> Vec<Range<usize>> {
    let moved = |at: usize| at - from.end + to.end;
    let mut spans = Vec::new();
    let mut kept = Vec::new();
    for rewrite in old {
        let (start, end) = (rewrite.start, rewrite.end());
        if end <= from.start {
            kept.push(rewrite.clone());
        } else if start >= from.end {
            kept.push(Rewrite { start: moved(start), replacement: rewrite.replacement.clone() });
        } else {
            if start < from.start {
                spans.push(start..from.start);
            }
            if end > from.end {
                spans.push(to.end..moved(end));
            }
        }
    }
    let lacks = |all: &[Rewrite], one: &Rewrite| {
        all.binary_search_by_key(&one.start, |r| r.start).ok().is_none_or(|at| all[at] != *one)
    };
    spans.extend(kept.iter().filter(|r| lacks(new, r)).map(|r| r.start..r.end()));
    spans.extend(new.iter().filter(|r| lacks(&kept, r)).map(|r| r.start..r.end()));
    spans.sort_by_key(|span| span.start);
    spans
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Language, Syntax};

    static GO: AtomicBool = AtomicBool::new(false);

    fn parse(language: &str, source: &str, old: Option<&Syntax>) -> Syntax {
        let language = Language::by_id(language).unwrap();
        Syntax::parse(language, &Text::new(source), old, &GO).unwrap()
    }

    const TYPESCRIPT: &[&str] = &[
        "export type * from './a';",
        "declare function f({ a, b, }?: P): R;",
        "type A = {\n  onScroll: ({\n    top\n  }: P) => void;\n};",
        "interface I {\n  name: string\n  in: 'query'\n  in?: string\n}",
        "let as = a.b === 0 ? c : d;",
        "export type * as N from './a';",
        "type A = import('x').A<T>[];",
        "type A = import('x', { with: {\n 'resolution-mode': 'import' } }).A<T>;",
        "class A extends B<import('x').A, import('y').B[]> {}",
        "interface I<in T, out U, in out V extends W = X, const Y> {}",
        "interface I<\n  // what's in\n  in T, // don't\n  out U> {}",
        "{ using x = a(); }",
        "async () => { await using a = b; using c: D = d; };",
        "for (using x of y) {}",
        "for await (using x of y) {}",
        "function f(using: any, accessor?: string) {}",
        "class A { accessor x = 1; static accessor y: string; @dec() private accessor #z }",
        "abstract class A { abstract accessor y: string; accessor() {} abstract() {} abstract; }",
        "interface I { abstract?: boolean; accessor: string }",
        "export default function (a: T): R;",
        "export default function (options: {\n  a: b;\n}): Promise<number>;\nexport {};",
        "export default function <T>(a: T): asserts a is B;",
        "declare module 'x' { global { interface A {} } export default function (): void; }",
        "export import a = require('a');\nexport import type b = require('b');",
        "export { default } from './j.json' with { type: 'json' };",
        "export {\n  a,\n} from './j.json' with { type: 'json' };",
        "a.b<T>?.(c); d = e?.5:1;",
        "import defer * as ns from 'x'; import source s from 'y'; import.defer('z');",
        "interface I {\n  a: string\n  // of b\n  <T>(x: T): T\n  (y: U): U\n}",
        "declare const E: ({\n  error\n}: P) => void;",
        "declare const E: ({ a: { b } }: P) => void, F: ({ c }?: P) => void;",
        "type A = `\\${x} ${B} \\``;",
        "let x: { a: (any) => void };",
        "const s = styled(X)<{ $a?: boolean; b: string }>`x ${({ $a }) => $a}`;",
        "const s = sql<{ readonly count: number }[]>`a`.pipe(b);",
        "const s = css<A, B>`x`;",
        "declare module '*' with { type: 'text' } { const a: string; export default a }",
        "const x = `\0`;",
    ];
    const JAVASCRIPT: &[&str] = &[
        "export { a as null, b as if, c as default, d };",
        "import { null as a, const as b } from 'a';",
        "import a from './a.json' assert { type: 'json' };",
        "export * from './a.json' with { type: 'json' };",
        "class A { accessor x = 1; static accessor y = 2 }",
        "class A {\n  #a\n\n  [b] = null\n}",
        "import defer * as ns from 'x';",
    ];
    /// Code that must not be mistaken for a newer construct.
    const OTHERS: &[&str] = &[
        "const { accessor, using } = a; accessor = using; accessor in b; using.c(); f(using, 1);",
        "import accessor from 'a'; import source from 'b'; import { defer } from 'c';",
        "const p = import('x').then(a => a.b), q = await import('y');",
        "export default function (a: T): R { return a; }",
        "export default function (a: T): { b: C } { return a; }",
        "if (a in b && c < d) {} for (const x in y) {} f(a, b in c);",
        "const a = x\n  < (b)\n    ? c : d;",
        "const f = ({ a: { b } }: P) => b, g = { h: ({ i: j }: P) => j };",
        "with_(a); x.with({ a: 1 }); from('x').with({});",
        "let using; let abstract; abstract = using;",
    ];

    #[test]
    fn newer_constructs_are_read() {
        for (language, texts) in [
            ("typescript", TYPESCRIPT),
            ("tsx", TYPESCRIPT),
            ("javascript", JAVASCRIPT),
            ("typescript", OTHERS),
        ] {
            for source in texts {
                let syntax = parse(language, source, None);
                assert_eq!(syntax.errors(9), [], "{language}: {source}");
            }
        }
    }

    /// After single-character edits that create and remove a construct, the tree equals that of a
    /// full parse.
    #[test]
    fn rewrites_follow_edits() {
        let rest = "\nfunction f() { return 1 }\nusing a = f();\n";
        for source in TYPESCRIPT.iter().chain(OTHERS) {
            let whole = format!("{source}{rest}");
            let mut old = parse("typescript", &whole, None);
            for (at, c) in source.char_indices().step_by(3) {
                let without = format!("{}{}", &whole[..at], &whole[at + c.len_utf8()..]);
                for text in [&without, &whole] {
                    let new = parse("typescript", text, Some(&old));
                    let afresh = parse("typescript", text, None);
                    assert_eq!(new.root().to_sexp(), afresh.root().to_sexp(), "{text}");
                    old = new;
                }
            }
        }
    }
}
