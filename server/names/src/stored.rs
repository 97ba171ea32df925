//! Facts as bytes, and back.
//!
//! Flat little-endian words, array after array, so that reading them costs little more than copying
//! them. What is read is checked: whatever the bytes are, reading them neither panics nor takes more
//! memory than they do, and every number in the facts is of something that there is.
//! Whether they are of the right text, and of this program, is for the caller to know.

mod records;
mod sound;

use syntax::Language;

use crate::facts::Facts;
use crate::strings::Strings;

/// Changes with every change of how facts are stored.
pub const FORMAT: u32 = 4;

/// Something of a fixed number of words.
trait Record: Sized {
    const WORDS: usize;

    fn put(&self, put: &mut impl FnMut(u32));

    /// `None` for what no record is stored as.
    fn take(words: &Words<'_>) -> Option<Self>;
}

/// The words of one record.
struct Words<'b>(&'b [u8]);

impl Words<'_> {
    fn at(&self, n: usize) -> u32 {
        let bytes = self.0.get(4 * n..4 * n + 4).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }
}

impl Facts {
    /// Appends the facts to `out`. O(facts).
    pub fn store(&self, out: &mut Vec<u8>) {
        let (text, ends) = self.strings.parts();
        put_text(self.language.id(), out);
        put_word(self.package, out);
        put_word(self.len, out);
        put_word(self.lines, out);
        put_text(text, out);
        put_all(ends, out);
        put_all(&self.scopes, out);
        put_all(&self.definitions, out);
        put_all(&self.references, out);
        put_all(&self.expressions, out);
        put_all(&self.lists, out);
        put_all(&self.globs, out);
        put_all(&self.extensions, out);
        put_all(&self.returns, out);
        put_all(&self.narrowings, out);
        put_all(&self.foreign, out);
        put_all(&self.by_scope, out);
        put_all(&self.by_name, out);
        put_all(&self.by_place, out);
        put_all(&self.by_reference, out);
    }

    /// The facts that `bytes` hold; `None` where they hold none. O(bytes).
    #[must_use]
    pub fn load(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes);
        let language = Language::by_id(input.text()?)?;
        let (package, len, lines) = (input.word()?, input.word()?, input.word()?);
        let text = input.text()?;
        let facts = Self {
            language,
            strings: Strings::of_parts(text.into(), input.all()?)?,
            scopes: input.all()?,
            definitions: input.all()?,
            references: input.all()?,
            expressions: input.all()?,
            lists: input.all()?,
            globs: input.all()?,
            extensions: input.all()?,
            returns: input.all()?,
            narrowings: input.all()?,
            foreign: input.all()?,
            by_scope: input.all()?,
            by_name: input.all()?,
            by_place: input.all()?,
            by_reference: input.all()?,
            package,
            len,
            lines,
        };
        (input.0.is_empty() && facts.is_sound()).then_some(facts)
    }
}

fn put_word(word: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&word.to_le_bytes());
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put_word(text.len() as u32, out);
    out.extend_from_slice(text.as_bytes());
}

fn put_all<R: Record>(records: &[R], out: &mut Vec<u8>) {
    out.reserve(4 + records.len() * 4 * R::WORDS);
    put_word(records.len() as u32, out);
    for record in records {
        record.put(&mut |word| put_word(word, out));
    }
}

/// What is still to be read.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'b str> {
        let len = self.word()? as usize;
        std::str::from_utf8(self.bytes(len)?).ok()
    }

    fn all<R: Record>(&mut self) -> Option<Box<[R]>> {
        let count = self.word()? as usize;
        // As many as there are bytes for: memory is bounded by what was stored.
        let bytes = self.bytes(count.checked_mul(4 * R::WORDS)?)?;
        let mut records = Vec::with_capacity(count);
        for words in bytes.chunks_exact(4 * R::WORDS) {
            records.push(R::take(&Words(words))?);
        }
        Some(records.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use syntax::Syntax;
    use text::Text;

    use super::*;

    fn samples() -> Vec<Facts> {
        let never = AtomicBool::new(false);
        let texts = [
            (
                "python",
                "import os.path as p\nfrom a import *\nclass A(B[int]):\n    x: int = 1\n    def f(self, y=3):\n        if isinstance(y, A):\n            return y.f(x=2)\n        return [z for z in self.g({'a': 1})]\n",
            ),
            (
                "rust",
                "use a::{b as c, d::*};\nimpl<T: Tr> S<T> { fn f(&self) -> Option<T> { let x = self.g(|y| y + 1)?; x.h() } }\nmod m { pub(crate) const N: u8 = 1; }\nmacro_rules! k { ($e:expr) => { $e } }\n",
            ),
            (
                "typescript",
                "import { a as b } from './x';\nexport default class K<T> extends L implements I { m = async () => { const { p, q: [r] } = await this.n(); return p as T } }\nexport * from 'y';\n",
            ),
            (
                "javascript",
                "const { a } = require('./b'); module.exports = { a, f() { return this.g(...a) } };\n",
            ),
            (
                "go",
                "package p\nimport q \"x/y\"\ntype S struct { q.T; f int }\nfunc (s *S) M() (int, error) { for i, v := range s.f { return v, nil } ; switch t := s.(type) { case I: t.M() } }\n",
            ),
            (
                "java",
                "package a.b;\nimport c.D;\nclass E extends F<G> { H h = new H(1) { void i() {} }; <T> T j(T t) { return t.k(x -> x); } }\n",
            ),
            (
                "c",
                "#define M(x) x\nstruct s { int a; }; typedef struct s t;\nstatic int f(t *p) { return M(p->a); }\n",
            ),
            (
                "cpp",
                "namespace n { template <class T> struct A : B<T> { int f() const; }; }\nint n::A<int>::f() const { auto x = [this] { return y; }; return x(); }\n",
            ),
            ("python", ""),
        ];
        let facts = |(language, text): &(&str, &str)| {
            let language = Language::by_id(language).unwrap();
            let syntax = Syntax::parse(language, &Text::new(text), None, &never).unwrap();
            Facts::of(&syntax, &never).unwrap()
        };
        texts.iter().map(facts).collect()
    }

    #[test]
    fn what_is_stored_is_loaded() {
        for facts in samples() {
            let mut bytes = Vec::new();
            facts.store(&mut bytes);
            let loaded = Facts::load(&bytes).unwrap_or_else(|| panic!("{facts:#?}"));
            assert_eq!(format!("{loaded:?}"), format!("{facts:?}"));
        }
    }

    #[test]
    fn no_bytes_lead_out_of_bounds() {
        use crate::{FileId, Index};
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as usize
        };
        let (mut loaded, mut refused) = (0, 0);
        for facts in samples() {
            let mut bytes = Vec::new();
            facts.store(&mut bytes);
            for end in 0..bytes.len() {
                assert!(Facts::load(&bytes[..end]).is_none(), "{end} of {}", bytes.len());
            }
            for _ in 0..400 {
                let mut damaged = bytes.clone();
                for _ in 0..1 + random() % 4 {
                    let at = random() % damaged.len();
                    damaged[at] = [0, 1, 0x7f, 0x80, 0xff, random() as u8][random() % 6];
                }
                let Some(facts) = Facts::load(&damaged) else {
                    refused += 1;
                    continue;
                };
                loaded += 1;
                let mut index = Index::new();
                index.insert(FileId(0), "a", facts.into());
            }
        }
        assert!(loaded > 100 && refused > 100, "{loaded} loaded, {refused} refused");
    }
}
