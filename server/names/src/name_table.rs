//! The table of a file's names.

use rustc_hash::FxHashMap;

/// The distinct names of a file in alphabetical order. A name's number is its rank.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    text: Box<str>,
    ends: Box<[u32]>,
}

impl NameTable {
    pub(crate) fn text(&self, name: u32) -> &str {
        let name = name as usize;
        let Some(&end) = self.ends.get(name) else { return "" };
        let start = if name == 0 { 0 } else { self.ends[name - 1] };
        &self.text[start as usize..end as usize]
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a name, by binary search. O(log n).
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.text(u32::try_from(middle).ok()?).cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u32::try_from(middle).ok(),
            }
        }
        None
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|n| self.text(u32::try_from(n).unwrap_or(u32::MAX)))
    }

    /// Builds the table from the names in one text and the end offset of each; `None` if these do
    /// not form a table.
    pub(crate) fn from_parts(text: Box<str>, ends: Box<[u32]>) -> Option<Self> {
        let whole = ends.last().map_or(0, |end| *end as usize) == text.len();
        let cut = |end: &u32| text.is_char_boundary(*end as usize);
        (whole && ends.is_sorted() && ends.iter().all(cut)).then_some(Self { text, ends })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.ends)
    }
}

/// Numbers names in order of first use while a file is lowered.
#[derive(Default)]
pub(crate) struct Interner<'t> {
    numbers: FxHashMap<&'t str, u32>,
}

impl<'t> Interner<'t> {
    pub(crate) fn number(&mut self, text: &'t str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(text).or_insert(next)
    }

    /// The sorted table, and for each provisional number the final one.
    pub(crate) fn finish(self) -> (NameTable, Vec<u32>) {
        let mut sorted: Vec<_> = self.numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut map = vec![0; sorted.len()];
        let mut text = String::with_capacity(sorted.iter().map(|(t, _)| t.len()).sum());
        let mut ends = Vec::with_capacity(sorted.len());
        for (rank, (name, number)) in sorted.into_iter().enumerate() {
            text.push_str(name);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            map[number as usize] = u32::try_from(rank).unwrap_or(u32::MAX);
        }
        (NameTable { text: text.into(), ends: ends.into() }, map)
    }
}
