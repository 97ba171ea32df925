//! Which files and names matter most: personalised PageRank over what files use and define.
//!
//! A file that uses a name passes weight on to the files that define it. The graph is never written
//! down: weight flows from files to names and from names to files, along the postings, so a round
//! costs as much as there are postings. After Page and others (1999) and the repository map of
//! aider.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{FileId, Index};
use crate::name_path::FileSymbol;

/// Part of the weight that goes on along the names.
const DAMPING: f32 = 0.85;
/// Rounds; the order of files hardly changes after these.
const ROUNDS: usize = 12;
/// A name that more files define says little of where it leads.
const MANY: usize = 5;
/// A name that more files define says nothing.
const TOO_MANY: usize = 40;
/// How much more a file counts that was asked about.
const FOCUS: f32 = 50.0;
/// How much more a name counts that was asked about.
const ASKED: f32 = 10.0;

/// How much files and names matter.
#[derive(Debug)]
pub struct Importance {
    /// The files, those that matter most first, with their part of the whole.
    pub files: Vec<(FileId, f32)>,
    /// What flows through each name, by its row.
    names: Vec<f32>,
}

impl Index {
    /// How much each file of the project matters, seen from some files and words where there are
    /// any. O(rounds * postings).
    #[must_use]
    pub fn importance(&self, focus: &[FileId], words: &[String]) -> Importance {
        let words: Vec<_> = words.iter().map(|word| word.to_lowercase()).collect();
        let mut numbers: FxHashMap<FileId, u32> = FxHashMap::default();
        let mut files = Vec::new();
        let mut wish = Vec::new();
        let focus: FxHashSet<_> = focus.iter().collect();
        for (file, path, _) in self.files() {
            let path = path.to_lowercase();
            let named = words.iter().any(|word| path.contains(word.as_str()));
            numbers.insert(file, files.len() as u32);
            files.push(file);
            wish.push(if focus.contains(&file) || named { FOCUS } else { 1.0 });
        }
        let rows = self.names.masks().len();
        let mut names: Vec<(u32, f32)> = Vec::new();
        let (mut users, mut definers) = (Vec::new(), Vec::new());
        let mut ends: Vec<(u32, u32)> = Vec::new();
        let mut given = vec![0.0_f32; files.len()];
        for (row, &mask) in self.names.masks().iter().enumerate() {
            if mask == 0 {
                continue;
            }
            let name = self.names.name(row);
            let Some(postings) = self.names.get(name) else { continue };
            let many = postings.defined.len();
            let asked = !words.is_empty() && {
                let lower = name.to_lowercase();
                words.contains(&lower)
            };
            let number = |file: &FileId| numbers.get(file).copied();
            if asked {
                for file in postings.defined.iter().filter_map(number) {
                    wish[file as usize] += FOCUS;
                }
            }
            if many > TOO_MANY || postings.used.is_empty() {
                continue;
            }
            let weight = weight(name, many) * if asked { ASKED } else { 1.0 };
            definers.extend(postings.defined.iter().filter_map(number));
            for file in postings.used.iter().filter_map(number) {
                given[file as usize] += weight;
                users.push(file);
            }
            names.push((row as u32, weight));
            ends.push((users.len() as u32, definers.len() as u32));
        }
        let whole: f32 = wish.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        wish.iter_mut().for_each(|part| *part /= whole);
        let mut rank = wish.clone();
        let mut flows = vec![0.0_f32; rows];
        for round in 0..ROUNDS {
            let share: Vec<f32> = rank
                .iter()
                .zip(&given)
                .map(|(rank, given)| if *given > 0.0 { rank / given } else { 0.0 })
                .collect();
            let mut next = vec![0.0_f32; files.len()];
            let (mut first_user, mut first_definer) = (0, 0);
            for ((row, weight), (user, definer)) in names.iter().zip(&ends) {
                let own = &users[first_user as usize..*user as usize];
                let to = &definers[first_definer as usize..*definer as usize];
                (first_user, first_definer) = (*user, *definer);
                let flow = own.iter().map(|file| share[*file as usize]).sum::<f32>() * weight;
                if round + 1 == ROUNDS {
                    flows[*row as usize] = flow / to.len().max(1) as f32;
                }
                let part = flow / to.len().max(1) as f32;
                to.iter().for_each(|file| next[*file as usize] += part);
            }
            // What leads nowhere goes back to where all starts.
            let kept: f32 = next.iter().sum();
            let back = 1.0 - DAMPING * kept;
            for (next, wish) in next.iter_mut().zip(&wish) {
                *next = DAMPING * *next + back * wish;
            }
            rank = next;
        }
        let mut ranked: Vec<_> = files.into_iter().zip(rank).collect();
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Importance { files: ranked, names: flows }
    }

    /// The definitions of a file that others can name, with how much they matter, in order of
    /// place.
    #[must_use]
    pub fn important_symbols(&self, file: FileId, of: &Importance) -> Vec<(FileSymbol, f32)> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let flow = |name: &str| {
            let row = self.names.row(name)?;
            of.names.get(row).copied()
        };
        let symbols = facts.symbols().into_iter();
        let spoken = symbols.filter(|s| s.kind.is_type() || s.kind.is_callable());
        spoken.map(|s| (flow(&s.name).unwrap_or(0.0), s)).map(|(flow, s)| (s, flow)).collect()
    }
}

/// How much a name says of the file that defines it.
fn weight(name: &str, many: usize) -> f32 {
    let mut weight = 1.0;
    let parts = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    if parts && name.len() >= 8 {
        weight *= 5.0;
    }
    if name.len() <= 3 {
        weight *= 0.1;
    }
    if name.starts_with('_') {
        weight *= 0.1;
    }
    if many > MANY {
        weight *= 0.1;
    }
    weight
}
