//! Names that macros paste together: `prefix_ ## x ## _suffix`.
//!
//! The fixed parts become references of zero length: no query can hit them, but a rename finds the
//! parts of a name. So do the words of an X-macro list, `#define LIST(X) X(one) X(two)`: they are
//! the parts that are pasted.

use super::{Lowerer, UsedAs};
use crate::expression::Value;
use crate::facts::ReferenceRole;
use crate::vocabulary::Namespace;

/// Length limit of the definitions examined.
const MAX_LENGTH: usize = 20_000;

/// Limit of the names per macro.
const MAX_PARTS: usize = 1_000;

impl Lowerer<'_> {
    /// Lowers the pastings of the file's macros. Their lines are found in the text, because some
    /// are where the grammar expects no directive: in an enum, or between list elements.
    pub(super) fn lower_pasted_names(&mut self) {
        let (mut at, mut start) = (0, None);
        for line in self.text.split_inclusive('\n') {
            let define = |line: &str| {
                let rest = line.trim_start().strip_prefix('#')?;
                rest.trim_start().strip_prefix("define").map(|_| at)
            };
            start = start.or_else(|| define(line));
            at += line.len();
            if !line.trim_end().ends_with('\\')
                && let Some(start) = start.take()
            {
                self.lower_pasted_names_of_macro(start as u32, at as u32);
            }
        }
    }

    /// Lowers the pasted names in a macro definition.
    fn lower_pasted_names_of_macro(&mut self, start: u32, end: u32) {
        let text = self.slice(start, end);
        if text.len() > MAX_LENGTH {
            return;
        }
        let Some((head, body)) = text.split_once(')') else { return };
        let parameters: Vec<&str> =
            head.split_once('(').map_or("", |(_, list)| list).split(',').map(str::trim).collect();
        let lists = |p: &&str| !p.is_empty() && body.contains(&format!("{p}("));
        if parameters.iter().any(lists) {
            let words = body.split(|c: char| !is_part(c)).filter(|w| w.len() > 1);
            for word in words.take(MAX_PARTS) {
                self.push_pasted_part(word, start, Namespace::MACRO);
            }
        }
        let fixed = |part: &&str| part.len() > 1 && !parameters.contains(part);
        let mut at = 0;
        for _ in 0..MAX_PARTS {
            // One pasted name after the other.
            let Some(first) = text[at..].find("##").map(|n| at + n) else { return };
            let before = text[..first].trim_end();
            let prefix = &before[before.trim_end_matches(is_part).len()..];
            at = first;
            let mut suffix = "";
            while let Some(rest) = text[at..].strip_prefix("##") {
                let rest = rest.trim_start();
                let next = rest.trim_start_matches(is_part);
                suffix = &rest[..rest.len() - next.len()];
                at = text.len() - next.trim_start().len();
            }
            let place = start + first as u32;
            if fixed(&prefix) {
                self.push_pasted_part(prefix, place, Namespace::VALUE);
            }
            if fixed(&suffix) {
                self.push_pasted_part(suffix, place, Namespace::TYPE);
            }
        }
    }

    fn push_pasted_part(&mut self, part: &str, place: u32, namespace: Namespace) {
        // The same text as a slice of the file, which outlives the lowering.
        let at = part.as_ptr() as usize - self.text.as_ptr() as usize;
        let name = self.intern(at as u32, (at + part.len()) as u32);
        self.push_reference((place, place), UsedAs::Import, Value::NONE, ReferenceRole::Plain);
        if let Some(reference) = self.references.last_mut() {
            (reference.name, reference.namespace) = (name, namespace);
        }
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
