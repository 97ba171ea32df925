//! Packed facts: a compact encoding, in memory and on disk.
//!
//! Most files are never queried, so their facts are kept packed, in about a quarter of the memory,
//! and unpacked on demand. Names come first, so that the index can read them without unpacking the
//! rest.
//!
//! Decoding is total: whatever the bytes are, it neither panics nor allocates more than a bounded
//! multiple of their size, and all indices in the decoded facts are valid. Whether the bytes belong
//! to the right text and program version is up to the caller.

mod coder;
mod records;
mod validate;

use std::sync::Arc;

use syntax::Language;

use crate::facts::{Facts, NONE};
use crate::name_table::NameTable;
use crate::postings::{NameUse, marks};
use crate::sorted_views::SortedViews;
use coder::{Coder, Reader, Writer};
use records::{read_all, write_all};

/// The format version; changes with every change of the encoding.
pub const FORMAT: u32 = 20;

/// The packed facts of a file.
#[derive(Debug, Clone)]
pub struct PackedFacts {
    bytes: Arc<PackedBytes>,
    head: PackedHeader,
}

/// The bytes of packed facts. Files with the same text have the same, and can share them.
#[derive(Debug, PartialEq, Eq)]
pub struct PackedBytes(Box<[u8]>);

/// The header of packed facts, readable without unpacking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedHeader {
    pub(crate) language: Language,
    pub(crate) package: u32,
    pub(crate) len: u32,
    pub(crate) lines: u32,
    pub(crate) definitions: u32,
    pub(crate) references: u32,
    /// The number of names, and their size in bytes.
    names: (u32, u32),
    /// The size of what follows the header.
    rest: u32,
}

impl PackedFacts {
    /// Packs facts. O(facts).
    #[must_use]
    pub fn pack(facts: &Facts) -> Self {
        let mut names = Writer::default();
        let mut last = "";
        for (name, mark) in facts.strings.iter().zip(marks(facts)) {
            let shared = last.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
            names.varint(&mut ((shared as u64) << 2 | mark as u64));
            names.number(&mut ((name.len() - shared) as u32));
            names.out.extend_from_slice(&name.as_bytes()[shared..]);
            last = name;
        }
        let mut writer = Writer::default();
        let language = facts.language.id();
        writer.number(&mut (language.len() as u32));
        writer.out.extend_from_slice(language.as_bytes());
        writer.optional_delta(0, &mut facts.package.clone());
        let count = facts.strings.iter().count();
        let lens = [facts.definitions.len(), facts.references.len(), count, names.out.len()];
        for mut n in [facts.len, facts.lines].into_iter().chain(lens.map(|n| n as u32)) {
            writer.number(&mut n);
        }
        let head = writer.out.len();
        writer.out.extend_from_slice(&names.out);
        write_all(&facts.scopes, &mut writer);
        write_all(&facts.definitions, &mut writer);
        write_all(&facts.references, &mut writer);
        write_all(&facts.expressions, &mut writer);
        write_all(&facts.lists, &mut writer);
        write_all(&facts.globs, &mut writer);
        write_all(&facts.extensions, &mut writer);
        write_all(&facts.returns, &mut writer);
        write_all(&facts.narrowings, &mut writer);
        write_all(&facts.other_platform_ranges, &mut writer);
        write_all(&facts.deprecated, &mut writer);
        write_all(&facts.branches, &mut writer);
        let head = PackedHeader {
            language: facts.language,
            package: facts.package,
            len: facts.len,
            lines: facts.lines,
            definitions: lens[0] as u32,
            references: lens[1] as u32,
            names: (lens[2] as u32, lens[3] as u32),
            rest: (writer.out.len() - head) as u32,
        };
        Self { bytes: Arc::new(PackedBytes(writer.out.into())), head }
    }

    /// Wraps bytes as packed facts; `None` if the header is invalid. O(1).
    #[must_use]
    pub fn from_bytes(bytes: Box<[u8]>) -> Option<Self> {
        u32::try_from(bytes.len()).ok()?;
        let mut reader = Reader::new(&bytes);
        let len = reader.count()?;
        let language = Language::by_id(std::str::from_utf8(reader.bytes(len)?).ok()?)?;
        let mut package = 0;
        reader.optional_delta(0, &mut package);
        let mut next = || reader.next();
        let mut head = PackedHeader {
            language,
            package,
            len: next()?,
            lines: next()?,
            definitions: next()?,
            references: next()?,
            names: (next()?, next()?),
            rest: 0,
        };
        head.rest = reader.len() as u32;
        let counts = [head.definitions, head.references, head.names.0, head.names.1];
        if counts.into_iter().any(|n| n > head.rest) {
            return None;
        }
        Some(Self { bytes: Arc::new(PackedBytes(bytes)), head })
    }

    /// The encoded bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }

    /// The encoded bytes, to share them.
    #[must_use]
    pub fn shared_bytes(&self) -> &Arc<PackedBytes> {
        &self.bytes
    }

    /// The same facts in the memory of `bytes`, if these are equal. O(bytes).
    #[must_use]
    pub fn sharing(self, bytes: Arc<PackedBytes>) -> Self {
        if bytes == self.bytes { Self { bytes, ..self } } else { self }
    }

    /// The header.
    pub(crate) fn head(&self) -> &PackedHeader {
        &self.head
    }

    fn rest(&self) -> &[u8] {
        self.bytes().get(self.bytes().len() - self.head.rest as usize..).unwrap_or(&[])
    }

    /// Visits every name with its mark, in order. O(names).
    pub(crate) fn each_name(&self, mut take: impl FnMut(&str, NameUse)) {
        let _ = self.names(&mut |name, mark| {
            if let Ok(name) = std::str::from_utf8(name) {
                take(name, mark);
            }
        });
    }

    fn names(&self, take: &mut dyn FnMut(&[u8], NameUse)) -> Option<()> {
        let mut reader = Reader::new(self.rest().get(..self.head.names.1 as usize)?);
        let mut name = Vec::new();
        for _ in 0..self.head.names.0 {
            let mut first = 0;
            reader.varint(&mut first);
            name.truncate((first >> 2) as usize);
            let len = reader.count()?;
            name.extend_from_slice(reader.bytes(len)?);
            take(&name, NameUse::of((first & 3) as u8));
        }
        reader.is_done().then_some(())
    }

    /// Decodes the facts; `None` if the bytes are invalid. O(facts).
    #[must_use]
    pub fn unpack(&self) -> Option<Facts> {
        let PackedHeader { language, package, len, lines, .. } = self.head;
        // Names share prefixes, so the encoded size does not bound their total size; the size of
        // the text does.
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        let most = (len as usize).min(MAX_NAME_TEXT) * 4 + 4_096;
        self.names(&mut |name, _| {
            if text.len() <= most {
                text.extend_from_slice(name);
                ends.push(text.len() as u32);
            }
        })?;
        let whole = ends.len() == self.head.names.0 as usize;
        let strings = NameTable::from_parts(String::from_utf8(text).ok()?.into(), ends.into())?;
        let mut reader = Reader::new(self.rest().get(self.head.names.1 as usize..)?);
        let reader = &mut reader;
        let scopes = read_all(reader)?;
        let definitions: Box<[_]> = read_all(reader)?;
        let references: Box<[_]> = read_all(reader)?;
        let orders = SortedViews::of(&definitions, &references);
        let facts = Facts {
            language,
            strings,
            scopes,
            definitions,
            references,
            expressions: read_all(reader)?,
            lists: read_all(reader)?,
            globs: read_all(reader)?,
            extensions: read_all(reader)?,
            returns: read_all(reader)?,
            narrowings: read_all(reader)?,
            other_platform_ranges: read_all(reader)?,
            deprecated: read_all(reader)?,
            branches: read_all(reader)?,
            by_scope: orders.by_scope,
            by_name: orders.by_name,
            by_place: orders.by_place,
            by_reference: orders.by_reference,
            package,
            len,
            lines,
        };
        (whole && reader.is_done() && facts.is_valid()).then_some(facts)
    }

    /// The decoded facts, or those of an empty file if the bytes are invalid.
    pub(crate) fn unpack_or_blank(&self) -> Facts {
        self.unpack().unwrap_or_else(|| Facts::empty(self.head.language))
    }

    /// The package that the file declares.
    pub(crate) fn package(&self) -> Option<String> {
        let (mut number, mut package) = (0, None);
        if self.head.package != NONE {
            self.each_name(|name, _| {
                if number == self.head.package {
                    package = Some(name.to_owned());
                }
                number += 1;
            });
        }
        package
    }
}

/// Limit of the text size that counts when names are decoded; their total may be four times that.
const MAX_NAME_TEXT: usize = 64 << 20;

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
                r"import os.path as p
from a import *
class A(B[int]):
    x: int = 1
    def f(self, y=3):
        if isinstance(y, A):
            return y.f(x=2)
        return [z for z in self.g({'a': 1})]
",
            ),
            (
                "rust",
                r"use a::{b as c, d::*};
impl<T: Tr> S<T> { fn f(&self) -> Option<T> { let x = self.g(|y| y + 1)?; x.h() } }
mod m { pub(crate) const N: u8 = 1; }
macro_rules! k { ($e:expr) => { $e } }
",
            ),
            (
                "typescript",
                r"import { a as b } from './x';
export default class K<T> extends L implements I { m = async () => { const { p, q: [r] } = await this.n(); return p as T } }
export * from 'y';
",
            ),
            (
                "javascript",
                "const { a } = require('./b'); module.exports = { a, f() { return this.g(...a) } };\n",
            ),
            (
                "go",
                r#"package p
import q "x/y"
type S struct { q.T; f int }
func (s *S) M() (int, error) { for i, v := range s.f { return v, nil } ; switch t := s.(type) { case I: t.M() } }
"#,
            ),
            (
                "java",
                r"package a.b;
import c.D;
class E extends F<G> { H h = new H(1) { void i() {} }; <T> T j(T t) { return t.k(x -> x); } }
",
            ),
            (
                "c",
                r"#define M(x) x
struct s { int a; }; typedef struct s t;
static int f(t *p) { return M(p->a); }
",
            ),
            (
                "cpp",
                r"namespace n { template <class T> struct A : B<T> { int f() const; }; }
int n::A<int>::f() const { auto x = [this] { return y; }; return x(); }
",
            ),
            ("python", ""),
        ];
        let facts = |(language, text): &(&str, &str)| {
            let language = Language::by_id(language).unwrap();
            let syntax = Syntax::parse(language, &Text::new(text), None, &never).unwrap();
            Facts::lower(&syntax, &never).unwrap()
        };
        texts.iter().map(facts).collect()
    }

    fn load(bytes: &[u8]) -> Option<Facts> {
        PackedFacts::from_bytes(bytes.into())?.unpack()
    }

    #[test]
    fn round_trips_facts() {
        for facts in samples() {
            let bytes = PackedFacts::pack(&facts).bytes().to_vec();
            let loaded = load(&bytes).unwrap_or_else(|| panic!("{facts:#?}"));
            assert_eq!(format!("{loaded:?}"), format!("{facts:?}"));
        }
    }

    #[test]
    fn damaged_bytes_never_lead_out_of_bounds() {
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
            let bytes = PackedFacts::pack(&facts).bytes().to_vec();
            for end in 0..bytes.len() {
                assert!(load(&bytes[..end]).is_none(), "{end} of {}", bytes.len());
            }
            for _ in 0..1_000 {
                let mut damaged = bytes.clone();
                for _ in 0..1 + random() % 4 {
                    let at = random() % damaged.len();
                    damaged[at] = [0, 1, 0x7f, 0x80, 0xff, random() as u8][random() % 6];
                }
                let Some(facts) = load(&damaged) else {
                    refused += 1;
                    continue;
                };
                loaded += 1;
                let len = facts.text_len().min(600);
                let mut index = Index::new();
                index.insert(FileId(0), "a", facts.into());
                // Whatever the facts are, queries end and stay within bounds.
                for offset in (0..=len).step_by(5) {
                    drop(index.definition(FileId(0), offset));
                    drop(index.references(FileId(0), offset, true));
                    drop(index.implementation(FileId(0), offset));
                    drop(index.type_definition(FileId(0), offset));
                    let _ = index.prepare_rename(FileId(0), offset);
                }
                let (occurrences, _) = index.occurrences(FileId(0));
                occurrences.iter().for_each(|o| drop(index.qualified_name(o.definition)));
            }
        }
        assert!(loaded > 500 && refused > 500, "{loaded} loaded, {refused} refused");
    }
}
