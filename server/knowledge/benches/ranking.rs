//! How well `search` ranks: queries from comments of real projects, which are taken out of the projects before
//! they are indexed, must find the files where the comments were; names must find their definitions.
//!
//! `XDG_CACHE_HOME=$(mktemp -d) cargo bench -p knowledge --bench ranking -- FOLDER...`, each folder with projects
//! in it. Settings are chosen on the first half of the projects by name; the second half is reported apart.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use knowledge::{PassageIndex, PassageQuery, Rankings};
use workspace::{Root, Workspace};

/// Queries of a project, of each kind.
const QUERIES: usize = 40;
const ENDINGS: &[&str] =
    &["rs", "py", "js", "ts", "go", "java", "php", "rb", "c", "h", "cs", "cpp", "hpp", "kt"];

/// What is asked, and the file that answers it.
struct Case {
    query: String,
    file: String,
}

#[derive(Default)]
struct Totals {
    /// NDCG@10, and how often the first result was right.
    sums: BTreeMap<(&'static str, &'static str), (f64, f64, usize)>,
    times: Vec<Duration>,
}

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|a| !a.starts_with('-')).map(PathBuf::from).collect();
    let mut projects: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    projects.sort();
    let (mut chosen, mut held) = (Totals::default(), Totals::default());
    for (at, project) in projects.iter().enumerate() {
        // Projects take turns, so that both halves have the same languages.
        let totals = if at % 2 == 0 { &mut chosen } else { &mut held };
        run(project, totals);
    }
    report("projects for choosing settings", &mut chosen);
    report("other projects", &mut held);
}

fn run(project: &Path, totals: &mut Totals) {
    let copy = tempfile::tempdir().unwrap();
    let (comments, names, bytes, lines) = prepare(project, copy.path());
    let workspace = Workspace::new(vec![Root::open(copy.path()).unwrap()]);
    let snapshot = workspace.snapshot();
    let never = AtomicBool::new(false);
    snapshot.build_index(&never, &|_| ());
    let mut index = PassageIndex::default();
    let begun = Instant::now();
    assert!(index.update(&snapshot, &never));
    let (took, size) = (begun.elapsed(), index.size());
    println!(
        "{}: {lines} lines, {} files, {} passages, indexed in {:.2} s, {:.1} MB in memory for {:.1} MB; {} and {} queries",
        project.file_name().unwrap().to_string_lossy(),
        size.files,
        size.passages,
        took.as_secs_f64(),
        size.bytes as f64 / 1e6,
        bytes as f64 / 1e6,
        comments.len(),
        names.len(),
    );
    let texts = texts(copy.path());
    for (kind, cases) in [("comments", comments), ("names", names)] {
        for case in cases {
            for (ranking, name) in [
                (Rankings::All, "joined"),
                (Rankings::Words, "BM25"),
                (Rankings::Meaning, "vectors"),
            ] {
                let query = PassageQuery {
                    text: &case.query,
                    rankings: ranking,
                    limit: 50,
                    wanted: &|_, _| true,
                };
                let begun = Instant::now();
                let (found, _) = index.search(&snapshot, &query);
                if ranking == Rankings::All {
                    totals.times.push(begun.elapsed());
                }
                let files = found.iter().map(|passage| passage.path.display_path());
                totals.add(kind, name, &files.collect::<Vec<_>>(), &case.file);
            }
            totals.add(kind, "word counts", &by_word_counts(&texts, &case.query), &case.file);
        }
    }
}

impl Totals {
    fn add(&mut self, kind: &'static str, ranking: &'static str, found: &[String], wanted: &str) {
        let mut seen = BTreeSet::new();
        let rank = found.iter().filter(|file| seen.insert(*file)).position(|file| file == wanted);
        let sum = self.sums.entry((kind, ranking)).or_default();
        if let Some(rank) = rank.filter(|rank| *rank < 10) {
            sum.0 += 1.0 / (rank as f64 + 2.0).log2();
        }
        sum.1 += f64::from(u8::from(rank == Some(0)));
        sum.2 += 1;
    }
}

fn report(title: &str, totals: &mut Totals) {
    println!(
        "\n{title}\n{:<10} {:<12} {:>8} {:>7} {:>8}",
        "queries", "ranking", "NDCG@10", "first", "number"
    );
    for ((kind, ranking), (ndcg, first, count)) in &totals.sums {
        let n = *count as f64;
        println!(
            "{kind:<10} {ranking:<12} {:>8.3} {:>6.1}% {count:>8}",
            ndcg / n,
            100.0 * first / n
        );
    }
    totals.times.sort();
    if let Some(last) = totals.times.len().checked_sub(1) {
        let at = |share: f64| totals.times[(last as f64 * share) as usize].as_secs_f64() * 1e3;
        println!("query: p50 {:.1} ms, p95 {:.1} ms", at(0.5), at(0.95));
    }
}

/// Copies a project without some of its comments. Returns the queries made of them, queries of names, and the size.
fn prepare(project: &Path, copy: &Path) -> (Vec<Case>, Vec<Case>, usize, usize) {
    let (mut comments, mut defined) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
    let (mut bytes, mut lines) = (0, 0);
    let mut all = files(project);
    all.sort();
    let step = (all.len() / QUERIES).max(1);
    for (number, path) in all.iter().enumerate() {
        let Ok(mut text) = fs::read_to_string(path) else { continue };
        let relative = path.strip_prefix(project).unwrap().to_string_lossy().into_owned();
        let is_test = relative.to_lowercase().contains("test");
        let is_asked = number % step == 0 && !is_test && comments.len() < QUERIES;
        if let Some((query, without)) = is_asked.then(|| take_comment(&text)).flatten() {
            comments.push(Case { query, file: relative.clone() });
            text = without;
        }
        for name in definitions(&text) {
            defined.entry(name).or_default().push(relative.clone());
        }
        bytes += text.len();
        lines += text.lines().count();
        let target = copy.join(&relative);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, text).unwrap();
    }
    let unique: Vec<_> = defined.into_iter().filter(|(_, files)| files.len() == 1).collect();
    let step = (unique.len() / QUERIES).max(1);
    let names = unique.into_iter().step_by(step).take(QUERIES);
    let names = names.map(|(query, mut files)| Case { query, file: files.remove(0) });
    (comments, names.collect(), bytes, lines)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = entry.file_name().to_string_lossy().into_owned();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_owned();
        if kind.is_dir() && !name.starts_with('.') && name != "node_modules" {
            all.extend(files(&path));
        } else if kind.is_file()
            && (ENDINGS.contains(&ending.as_str()) || matches!(&*ending, "md" | "rst" | "txt"))
            && !name.ends_with(".min.js")
        {
            all.push(path);
        }
    }
    all
}

/// The longest first sentence of a comment before a declaration, and the text without the comment.
fn take_comment(text: &str) -> Option<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_comment = |line: &str| {
        let line = line.trim_start();
        ["///", "//", "/**", "* ", "*/", "# ", "/*"].iter().any(|start| line.starts_with(start))
            || line == "*"
            || line == "#"
    };
    let mut best: Option<(String, std::ops::Range<usize>)> = None;
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        let block = if lines[at].trim_start().starts_with("\"\"\"") {
            let closes = |line: &&str| line.trim_end().ends_with("\"\"\"");
            let own = lines[at].trim();
            let length = match own.len() > 5 && own.ends_with("\"\"\"") {
                true => 0,
                false => lines[at + 1..].iter().position(closes)? + 1,
            };
            at += length + 1;
            start..at
        } else if is_comment(lines[at]) {
            while at < lines.len() && is_comment(lines[at]) {
                at += 1;
            }
            start..at
        } else {
            at += 1;
            continue;
        };
        let is_docstring = lines[start].trim_start().starts_with("\"\"\"");
        let is_before_declaration = lines.get(block.end).is_some_and(|line| {
            line.contains('(') || line.contains("class ") || line.contains("struct ")
        });
        let words: Vec<&str> = lines[block.clone()]
            .iter()
            .flat_map(|line| {
                line.trim().trim_matches(['/', '*', '#', '"', '!', ' ']).split_whitespace()
            })
            .collect();
        let joined = words.join(" ");
        let sentence = joined.split(". ").next().unwrap_or_default().to_owned();
        let count = sentence.split_whitespace().count();
        let is_query = (7..=30).contains(&count)
            && start > 0
            && !sentence.contains(['@', '{', '<', '='])
            && !sentence.to_lowercase().contains("copyright");
        if is_query
            && (is_docstring || is_before_declaration)
            && best.as_ref().is_none_or(|(known, _)| known.len() < sentence.len())
        {
            best = Some((sentence, block));
        }
    }
    let (query, block) = best?;
    let kept = lines.iter().enumerate().filter(|(n, _)| !block.contains(n)).map(|(_, line)| *line);
    Some((query, kept.collect::<Vec<_>>().join("\n")))
}

/// Names that lines define: what follows a keyword of a definition.
fn definitions(text: &str) -> Vec<String> {
    const KEYWORDS: &[&str] =
        &["fn", "def", "class", "struct", "func", "function", "interface", "trait", "enum"];
    let mut found = Vec::new();
    for line in text.lines() {
        let mut words =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
        if words.clone().take(4).any(|word| KEYWORDS.contains(&word)) {
            let name = words.by_ref().skip_while(|word| !KEYWORDS.contains(word)).nth(1);
            found.extend(name.filter(|name| name.len() > 6).map(str::to_owned));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn texts(folder: &Path) -> HashMap<String, String> {
    let read = |path: PathBuf| {
        let name = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
        Some((name, fs::read_to_string(&path).ok()?.to_lowercase()))
    };
    files(folder).into_iter().filter_map(read).collect()
}

/// What someone sees who greps for the words: files with most of them, then those with most occurrences.
fn by_word_counts(texts: &HashMap<String, String>, query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() > 3)
        .collect();
    let mut scored: Vec<(usize, usize, &String)> = texts
        .iter()
        .map(|(name, text)| {
            let counts: Vec<usize> = words.iter().map(|word| text.matches(word).count()).collect();
            (counts.iter().filter(|count| **count > 0).count(), counts.iter().sum(), name)
        })
        .collect();
    scored.sort_by(|one, other| (other.0, other.1, one.2).cmp(&(one.0, one.1, other.2)));
    scored.into_iter().take(10).map(|(.., name)| name.clone()).collect()
}
