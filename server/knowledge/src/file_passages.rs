//! What the index knows of one content: its passages, their terms and the signs of their vectors.

use std::io::{Read, Write};
use std::ops::Range;

use embedding::Signs;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rustc_hash::FxHashMap;
use syntax::OutlineItem;

use crate::passages::{Lines, Passage, passages};
use crate::terms::{Term, for_each_term};

/// How often a passage's name counts in addition to its occurrence in the text.
const NAME_WEIGHT: u8 = 2;
/// Bytes of a passage that its vector is made of.
const EMBEDDED_BYTES: usize = 4 << 10;
/// Limit for the size of stored passages of one file.
const MAX_STORED_BYTES: u64 = 16 << 20;

/// The passages of one content. Immutable.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FilePassages {
    pub(crate) passages: Vec<IndexedPassage>,
    /// The terms of all passages, sorted.
    terms: Vec<Term>,
    /// Where the postings of each term end.
    ends: Vec<u32>,
    postings: Vec<Posting>,
}

/// A passage of the index.
#[derive(Debug, PartialEq)]
pub(crate) struct IndexedPassage {
    /// Its lines, from 0.
    pub(crate) lines: Range<u32>,
    pub(crate) name: Box<str>,
    pub(crate) signs: Signs,
    /// How many terms it has.
    pub(crate) length: u32,
}

/// A passage with a term, and how often it has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) passage: u16,
    pub(crate) count: u8,
}

impl FilePassages {
    /// Indexes a text.
    #[allow(clippy::cast_possible_truncation, reason = "passages and lines are limited")]
    pub(crate) fn new(text: &str, outline: &[OutlineItem]) -> Self {
        let lines = Lines::new(text);
        let mut by_term: FxHashMap<Term, Vec<Posting>> = FxHashMap::default();
        let mut indexed = Vec::new();
        for (number, passage) in passages(text, outline).into_iter().enumerate() {
            let body = lines.text(passage.lines.clone());
            let mut length = 0;
            let mut add = |term: Term, weight: u8| {
                length += 1;
                let postings = by_term.entry(term).or_default();
                let number = number as u16;
                match postings.last_mut().filter(|posting| posting.passage == number) {
                    Some(posting) => posting.count = posting.count.saturating_add(weight),
                    None => postings.push(Posting { passage: number, count: weight }),
                }
            };
            for_each_term(body, |term| add(term, 1));
            for_each_term(&passage.name, |term| add(term, NAME_WEIGHT));
            let signs = Signs::new(&vector(&passage, body));
            let lines = passage.lines.start as u32..passage.lines.end as u32;
            indexed.push(IndexedPassage { lines, name: passage.name.into(), signs, length });
        }
        let mut terms: Vec<(Term, Vec<Posting>)> = by_term.into_iter().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        let mut found = Self { passages: indexed, ..Self::default() };
        for (term, postings) in terms {
            found.terms.push(term);
            found.postings.extend(postings);
            found.ends.push(found.postings.len() as u32);
        }
        found
    }

    /// The passages with a term.
    pub(crate) fn postings(&self, term: Term) -> &[Posting] {
        let Ok(at) = self.terms.binary_search(&term) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.postings[start as usize..self.ends[at] as usize]
    }

    /// Its size in memory, in bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self.passages.iter().map(|passage| passage.name.len()).sum();
        names
            + self.passages.len() * size_of::<IndexedPassage>()
            + self.terms.len() * (size_of::<Term>() + size_of::<u32>())
            + self.postings.len() * size_of::<Posting>()
    }

    /// The passages as bytes, to store them.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        push(&mut out, self.passages.len());
        let mut line = 0;
        for passage in &self.passages {
            push(&mut out, (passage.lines.start - line) as usize);
            push(&mut out, passage.lines.len());
            push(&mut out, passage.length as usize);
            push(&mut out, passage.name.len());
            out.extend(passage.name.as_bytes());
            line = passage.lines.end;
        }
        push(&mut out, self.terms.len());
        let mut last = 0;
        for term in &self.terms {
            push(&mut out, (term - last) as usize);
            last = *term;
        }
        let mut start = 0;
        for end in &self.ends {
            push(&mut out, (end - start) as usize);
            let mut passage = 0;
            for posting in &self.postings[start as usize..*end as usize] {
                // Most terms occur once.
                let more = usize::from(posting.count > 1);
                push(&mut out, usize::from(posting.passage - passage) * 2 + more);
                if more == 1 {
                    out.push(posting.count);
                }
                passage = posting.passage;
            }
            start = *end;
        }
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        // Writing into memory does not fail. Signs are random bits, which packing would only slow down.
        let packed = packed.write_all(&out).and_then(|()| packed.finish()).unwrap_or_default();
        let mut stored = Vec::new();
        push(&mut stored, packed.len());
        stored.extend(packed);
        self.passages.iter().for_each(|passage| stored.extend(passage.signs.to_bytes()));
        stored
    }

    /// Reads what [`FilePassages::to_bytes`] wrote; `None` if it is damaged.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut stored = Input(bytes);
        let packed = stored.number()?;
        let packed = stored.bytes(packed)?;
        let mut unpacked = Vec::new();
        DeflateDecoder::new(packed).take(MAX_STORED_BYTES).read_to_end(&mut unpacked).ok()?;
        let mut input = Input(&unpacked);
        let mut found = Self::default();
        let mut line = 0_u32;
        for _ in 0..input.number()? {
            let start = line.checked_add(input.number_u32()?)?;
            let end = start.checked_add(input.number_u32()?)?;
            let (length, name) = (input.number_u32()?, input.number()?);
            let name = std::str::from_utf8(input.bytes(name)?).ok()?.into();
            let signs = Signs::from_bytes(stored.bytes(Signs::BYTES)?.try_into().ok()?);
            found.passages.push(IndexedPassage { lines: start..end, name, signs, length });
            line = end;
        }
        let mut last: Term = 0;
        for _ in 0..input.number()? {
            last = last.checked_add(input.number_u32()?)?;
            found.terms.push(last);
        }
        for _ in 0..found.terms.len() {
            let mut passage = 0_u16;
            for _ in 0..input.number()? {
                let number = input.number()?;
                passage = passage.checked_add(u16::try_from(number / 2).ok()?)?;
                let count = if number % 2 == 1 { *input.bytes(1)?.first()? } else { 1 };
                if usize::from(passage) >= found.passages.len() {
                    return None;
                }
                found.postings.push(Posting { passage, count });
            }
            found.ends.push(u32::try_from(found.postings.len()).ok()?);
        }
        (input.0.is_empty() && stored.0.is_empty()).then_some(found)
    }
}

/// The vector of a passage.
pub(crate) fn passage_vector(name: &str, body: &str) -> Vec<f32> {
    let cut = body.floor_char_boundary(EMBEDDED_BYTES.min(body.len()));
    embedding::embed(&format!("{name}\n{}", &body[..cut]))
}

fn vector(passage: &Passage, body: &str) -> Vec<f32> {
    passage_vector(&passage.name, body)
}

/// Writes a number in groups of seven bits.
fn push(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        #[allow(clippy::cast_possible_truncation, reason = "the lowest bits are meant")]
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    #[allow(clippy::cast_possible_truncation, reason = "it is below 128")]
    out.push(number as u8);
}

/// Bytes that are still to be read.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = *self.bytes(1)?.first()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn number_u32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::for_each_term;

    fn indexed() -> FilePassages {
        let many = "retry(request)\n".repeat(300);
        FilePassages::new(&format!("# Retries\n\n{many}\nthe end\n\nalpha beta\n"), &[])
    }

    fn count(of: &FilePassages, word: &str) -> u32 {
        let mut count = 0;
        for_each_term(word, |term| {
            count += of.postings(term).iter().map(|posting| u32::from(posting.count)).sum::<u32>();
        });
        count
    }

    #[test]
    fn terms_lead_to_passages() {
        let found = indexed();
        assert_eq!(count(&found, "retried"), 301);
        assert_eq!((count(&found, "alpha"), count(&found, "gamma")), (1, 0));
        assert!(found.passages.len() > 4);
    }

    #[test]
    fn passages_survive_storage() {
        for found in [indexed(), FilePassages::default(), FilePassages::new("x", &[])] {
            assert_eq!(FilePassages::from_bytes(&found.to_bytes()), Some(found));
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_read() {
        let bytes = indexed().to_bytes();
        for end in 0..bytes.len() {
            assert!(FilePassages::from_bytes(&bytes[..end]).is_none(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            if let Some(found) = FilePassages::from_bytes(&damaged) {
                let _ = count(&found, "retry");
            }
        }
    }
}
