//! Importance of files and names: personalised PageRank over uses and definitions.
//!
//! A file that uses a name passes weight to the files that define it. The graph is never built:
//! weight flows from files to names and from names to files along the postings, so an iteration
//! costs O(postings). After Page and others (1999) and the repository map of aider.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{FileId, Index};
use crate::name_path::FileSymbol;

/// Share of the weight that is passed on; the rest returns to the focus.
const DAMPING: f32 = 0.85;
/// Number of iterations; after these the order of files hardly changes.
const ITERATIONS: usize = 12;
/// Names with more defining files than this count little.
const COMMON_NAME_FILES: usize = 5;
/// Names with more defining files than this are ignored.
const MAX_NAME_FILES: usize = 40;
/// Weight of a file in focus, relative to others.
const FOCUS_FILE_WEIGHT: f32 = 50.0;
/// Weight of a name in focus, relative to others.
const FOCUS_NAME_WEIGHT: f32 = 10.0;

/// The importance of files and names.
#[derive(Debug)]
pub struct Importance {
    /// The files with their share of the total weight, the most important first.
    pub files: Vec<(FileId, f32)>,
    /// The weight that flows through each name, by its row.
    names: Vec<f32>,
}

impl Index {
    /// The importance of each file of the project, seen from `focus` files and `words`.
    /// O(iterations × postings).
    #[must_use]
    pub fn importance(&self, focus: &[FileId], words: &[String]) -> Importance {
        let words: Vec<_> = words.iter().map(|word| word.to_lowercase()).collect();
        let mut numbers: FxHashMap<FileId, u32> = FxHashMap::default();
        let mut files = Vec::new();
        let mut personalisation = Vec::new();
        let focus: FxHashSet<_> = focus.iter().collect();
        for (file, path, _) in self.files() {
            let path = path.to_lowercase();
            let named = words.iter().any(|word| path.contains(word.as_str()));
            numbers.insert(file, files.len() as u32);
            files.push(file);
            personalisation.push(if focus.contains(&file) || named {
                FOCUS_FILE_WEIGHT
            } else {
                1.0
            });
        }
        // The graph as flat arrays: `ends` delimits the users and definers of each name.
        let rows = self.names.masks().len();
        let mut names: Vec<(u32, f32)> = Vec::new();
        let (mut users, mut definers) = (Vec::new(), Vec::new());
        let mut ends: Vec<(u32, u32)> = Vec::new();
        let mut outgoing = vec![0.0_f32; files.len()];
        for (row, &mask) in self.names.masks().iter().enumerate() {
            if mask == 0 {
                continue;
            }
            let name = self.names.name(row);
            let Some(postings) = self.names.get(name) else { continue };
            let defining_files = postings.defined.len();
            let in_focus = !words.is_empty() && {
                let lower = name.to_lowercase();
                words.contains(&lower)
            };
            let number = |file: &FileId| numbers.get(file).copied();
            if in_focus {
                for file in postings.defined.iter().filter_map(number) {
                    personalisation[file as usize] += FOCUS_FILE_WEIGHT;
                }
            }
            if defining_files > MAX_NAME_FILES || postings.used.is_empty() {
                continue;
            }
            let weight =
                weight(name, defining_files) * if in_focus { FOCUS_NAME_WEIGHT } else { 1.0 };
            definers.extend(postings.defined.iter().filter_map(number));
            for file in postings.used.iter().filter_map(number) {
                outgoing[file as usize] += weight;
                users.push(file);
            }
            names.push((row as u32, weight));
            ends.push((users.len() as u32, definers.len() as u32));
        }
        let total: f32 = personalisation.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        personalisation.iter_mut().for_each(|part| *part /= total);
        let mut rank = personalisation.clone();
        let mut flows = vec![0.0_f32; rows];
        // Power iteration: file → names it uses → files that define them.
        for round in 0..ITERATIONS {
            let share: Vec<f32> = rank
                .iter()
                .zip(&outgoing)
                .map(|(rank, outgoing)| if *outgoing > 0.0 { rank / outgoing } else { 0.0 })
                .collect();
            let mut next = vec![0.0_f32; files.len()];
            let (mut first_user, mut first_definer) = (0, 0);
            for ((row, weight), (user, definer)) in names.iter().zip(&ends) {
                let sources = &users[first_user as usize..*user as usize];
                let sinks = &definers[first_definer as usize..*definer as usize];
                (first_user, first_definer) = (*user, *definer);
                let flow = sources.iter().map(|file| share[*file as usize]).sum::<f32>() * weight;
                if round + 1 == ITERATIONS {
                    flows[*row as usize] = flow / sinks.len().max(1) as f32;
                }
                let part = flow / sinks.len().max(1) as f32;
                sinks.iter().for_each(|file| next[*file as usize] += part);
            }
            // The weight of files without outgoing uses returns to the focus.
            let passed_on: f32 = next.iter().sum();
            let returned = 1.0 - DAMPING * passed_on;
            for (next, personalisation) in next.iter_mut().zip(&personalisation) {
                *next = DAMPING * *next + returned * personalisation;
            }
            rank = next;
        }
        let mut ranked: Vec<_> = files.into_iter().zip(rank).collect();
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Importance { files: ranked, names: flows }
    }

    /// The definitions of a file that others can refer to, with their importance, in order.
    #[must_use]
    pub fn important_symbols(&self, file: FileId, of: &Importance) -> Vec<(FileSymbol, f32)> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let flow = |name: &str| {
            let row = self.names.row(name)?;
            of.names.get(row).copied()
        };
        let symbols = facts.symbols().into_iter();
        let referable = symbols.filter(|s| s.kind.is_type() || s.kind.is_callable());
        referable.map(|s| (flow(&s.name).unwrap_or(0.0), s)).map(|(flow, s)| (s, flow)).collect()
    }
}

/// How specific a name is to the file that defines it.
fn weight(name: &str, defining_files: usize) -> f32 {
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
    if defining_files > COMMON_NAME_FILES {
        weight *= 0.1;
    }
    weight
}
