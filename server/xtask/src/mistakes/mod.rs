//! `cargo xtask mistakes`: plain mistakes made in right code, and whether the real server reports them.
//!
//! A seed chooses files of the projects of `cargo xtask fresh`, places in them and kinds of mistakes
//! from `mistakes.toml`. The language's own parser or compiler has to accept the file and refuse the
//! mistake; what it takes is no mistake and is replaced by another.

mod checker;
mod measure;
mod report;
mod sites;
mod table;

use crate::fresh::files::{self, Languages, SourceFile};
use crate::fresh::{fetch, projects};
use crate::workspace::{Workspace, cargo};
use crate::{Failure, components, setup};
use checker::Checker;
use clap::Args;
use report::Outcome;
pub(crate) use sites::Random;
use sites::Site;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::{LanguageRow, Table};

/// The page that has the table of the last run, behind this line.
const DOCS: &str = "docs/mistakes.md";
const MARK: &str = "<!-- table -->";
/// Files of one project that are tried at most.
const FILES: usize = 150;
/// Files whose mistakes are looked for at a time.
const BATCH: usize = 25;
/// Sizes of the files that mistakes are made in, in bytes.
const SIZES: std::ops::Range<u64> = 300..60_000;

/// Options of a measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these languages.
    #[arg(long)]
    language: Vec<String>,
    /// Mistakes a language.
    #[arg(long, default_value_t = 300)]
    count: usize,
    /// What determines files, places and kinds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only kinds with this in their name.
    #[arg(long)]
    kind: Vec<String>,
    /// The server to run, instead of the release build of this workspace.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Where the tables and the lists of misses go, instead of the target folder.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write the table into docs/mistakes.md, too.
    #[arg(long, conflicts_with_all = ["language", "kind"])]
    docs: bool,
}

/// A file that the language's own checker accepts.
pub(crate) struct Original {
    project: String,
    file: SourceFile,
    text: String,
    /// Relative to its project.
    path: PathBuf,
}

/// A mistake that the checker refuses.
pub(crate) struct Mutant {
    original: usize,
    site: Site,
    text: String,
    /// What the checker says of it.
    refusal: checker::Refusal,
}

/// Measures and prints the tables.
///
/// # Errors
/// A server or a project that cannot be had; a language that is not in the table.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let table = Table::load()?;
    for name in &options.language {
        if !table.languages.iter().any(|row| row.id == *name) {
            return Err(format!("mistakes.toml has no language `{name}`"));
        }
    }
    let wanted =
        |row: &&LanguageRow| options.language.is_empty() || options.language.contains(&row.id);
    let program = server(workspace, options)?;
    let out = options.out.clone().unwrap_or_else(|| workspace.target.join("mistakes"));
    let out = std::path::absolute(&out).map_err(|error| at(&out, &error))?;
    let components = setup::run("mistakes")?;
    let languages = Languages::load()?;
    let mut outcomes = Vec::new();
    let mut unconfirmed = Vec::new();
    for row in table.languages.iter().filter(wanted) {
        let folder = out.join(&row.id);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| at(&folder, &error))?;
        let mut checker = match Checker::start(table.checker(row)?, workspace, &components) {
            Ok(checker) => checker,
            Err(reason) => {
                println!("{}: NOT MEASURED: {reason}", row.id);
                unconfirmed.push(row.id.clone());
                continue;
            }
        };
        let batch = Batch { workspace, options, row, languages: &languages, folder: &folder };
        let (originals, mutants) = batch.make(&mut checker)?;
        let list = mutants.iter().map(|mutant| mutant.json(&originals)).collect::<Vec<_>>();
        let path = folder.join("mutants.jsonl");
        fs::write(&path, list.join("\n") + "\n").map_err(|error| at(&path, &error))?;
        let outcome = measure::run(&program, &folder, row, &originals, &mutants)?;
        println!("{}", report::line(&outcome));
        outcomes.push(outcome);
        report(&outcomes, &out)?;
    }
    let tables = report(&outcomes, &out)?;
    println!("\n{tables}");
    if !unconfirmed.is_empty() {
        println!("NOT MEASURED, for nothing confirms their mistakes: {}", unconfirmed.join(", "));
    }
    if options.docs {
        let path = workspace.root.join(DOCS);
        let page = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
        let (before, _) = page.split_once(MARK).ok_or_else(|| format!("{DOCS}: no `{MARK}`"))?;
        let page = format!("{before}{MARK}\n\n{}", report::by_language(&outcomes));
        fs::write(&path, page).map_err(|error| at(&path, &error))?;
    }
    println!("in {:.0?}: {}", start.elapsed(), out.display());
    Ok(())
}

/// Writes the tables and the lists, and returns the tables.
fn report(outcomes: &[Outcome], out: &Path) -> Result<String, Failure> {
    let tables = format!("{}\n{}", report::by_language(outcomes), report::by_kind(outcomes));
    let mut texts = vec![(out.join("tables.md"), tables.clone())];
    for outcome in outcomes {
        let folder = out.join(&outcome.language);
        texts.push((folder.join("misses.txt"), outcome.misses.join("\n") + "\n"));
        texts.push((folder.join("false.txt"), outcome.false_reports.join("\n") + "\n"));
        texts.push((folder.join("extra.txt"), outcome.extra_reports.join("\n") + "\n"));
    }
    for (path, text) in texts {
        fs::write(&path, text).map_err(|error| at(&path, &error))?;
    }
    Ok(tables)
}

/// The server to run, built if none was named.
fn server(workspace: &Workspace, options: &Options) -> Result<PathBuf, Failure> {
    if let Some(program) = &options.server {
        return std::path::absolute(program).map_err(|error| at(program, &error));
    }
    let status = cargo(&workspace.root)
        .args(["build", "--release", "-p", "tandem", "--features", "full"])
        .status();
    match status {
        Ok(status) if status.success() => Ok(workspace.server("release")),
        Ok(status) => Err(format!("cargo build failed ({status})")),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}

/// The making of one language's mutants.
struct Batch<'a> {
    workspace: &'a Workspace,
    options: &'a Options,
    row: &'a LanguageRow,
    languages: &'a Languages,
    folder: &'a Path,
}

impl Batch<'_> {
    /// The files and their confirmed mistakes.
    fn make(&self, checker: &mut Checker) -> Result<(Vec<Original>, Vec<Mutant>), Failure> {
        let mut random = Random::new(self.options.seed);
        let mut files = self.files(&mut random)?;
        let scratch = self.folder.join("scratch");
        fs::create_dir_all(&scratch).map_err(|error| at(&scratch, &error))?;
        let (mut originals, mut mutants) = (Vec::new(), Vec::new());
        // Kinds with fewer mutants come first, so that each kind has its share.
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        // Places of files before: what is made of them where there are too few files.
        let mut left: Vec<Site> = Vec::new();
        while mutants.len() < self.options.count && !(files.is_empty() && left.is_empty()) {
            let mut batch: Vec<Original> = Vec::new();
            while batch.len() < BATCH
                && let Some(file) = files.pop_front()
            {
                let name = file.path.file_name().unwrap_or_default();
                checker.of_project(&file.root, &file.file.path);
                if checker.check(&scratch.join(name), &file.text)?.is_none() {
                    batch.push(file.into_original());
                }
            }
            let paths: Vec<&Path> = batch.iter().map(|original| &*original.file.path).collect();
            let mut sites = sites::find(self.workspace, &self.row.id, random.next(), &paths)?;
            let is_last = batch.is_empty();
            let kinds = &self.options.kind;
            sites.retain(|s| kinds.is_empty() || kinds.iter().any(|kind| s.kind.contains(kind)));
            random.shuffle(&mut sites);
            let first = originals.len();
            originals.extend(batch);
            for site in &mut sites {
                site.file += first;
            }
            if is_last {
                sites = std::mem::take(&mut left);
            }
            let share = if is_last { self.options.count } else { BATCH };
            let end = (mutants.len() + share).min(self.options.count);
            while mutants.len() < end && !sites.is_empty() {
                let rarest = sites
                    .iter()
                    .enumerate()
                    .min_by_key(|(_, site)| made.get(&site.kind).copied().unwrap_or(0));
                let Some((index, _)) = rarest else { break };
                let site = sites.swap_remove(index);
                let original: &Original = &originals[site.file];
                let text = site.apply(&original.text);
                checker.of_project(&original.root(), &original.file.path);
                let path = scratch.join(original.path.file_name().unwrap_or_default());
                // What is refused for its types alone is grammatical: it is no mistake of syntax.
                let refusal = checker.check(&path, &text)?.filter(|refusal| refusal.is_syntax);
                if let Some(refusal) = refusal {
                    *made.entry(site.kind.clone()).or_default() += 1;
                    mutants.push(Mutant { original: site.file, site, text, refusal });
                }
            }
            left.extend(sites);
        }
        let _ = fs::remove_dir_all(&scratch);
        Ok((originals, mutants))
    }

    /// The files that mistakes may be made in, in the order that the seed gives.
    fn files(&self, random: &mut Random) -> Result<VecDeque<Candidate>, Failure> {
        let mut all = projects::all()?;
        all.retain(|project| self.row.projects.contains(&project.name));
        let folders = fetch::all(&all, &components::cache()?)?;
        let source = self.row.source();
        let mut lists: Vec<Vec<Candidate>> = Vec::new();
        for (project, root) in all.iter().zip(folders) {
            let mut files = files::find(&root, self.languages)?.files;
            files.retain(|file| file.language == source && self.row.takes(&file.path));
            files.retain(|file| file.path.metadata().is_ok_and(|data| SIZES.contains(&data.len())));
            random.shuffle(&mut files);
            let candidate = |file: SourceFile| {
                let text = fs::read_to_string(&file.path).ok()?;
                // Minified and generated files have lines that nobody reads.
                let readable = text.lines().all(|line| line.len() < 400);
                let readable = readable && !self.row.without.iter().any(|part| text.contains(part));
                let (project, root) = (project.name.clone(), root.clone());
                readable.then_some(Candidate { project, root, file, text })
            };
            lists.push(files.into_iter().filter_map(candidate).take(FILES).collect());
        }
        // A file of each project in turn.
        let mut order = VecDeque::new();
        while lists.iter().any(|list| !list.is_empty()) {
            order.extend(lists.iter_mut().filter_map(Vec::pop));
        }
        Ok(order)
    }
}

impl Mutant {
    /// As it is kept in `mutants.jsonl`, beside the folder `files`.
    fn json(&self, originals: &[Original]) -> String {
        let original = &originals[self.original];
        let path = Path::new("files").join(&original.project).join(&original.path);
        let Site { kind, start, end, replacement, .. } = &self.site;
        serde_json::json!({
            "path": path, "kind": kind, "start": start, "end": end, "text": replacement,
            "lines": measure::places(self, &original.text),
            "refusal": [self.refusal.line, self.refusal.message],
        })
        .to_string()
    }
}

/// A file that was not checked yet.
struct Candidate {
    project: String,
    root: PathBuf,
    file: SourceFile,
    text: String,
}

impl std::ops::Deref for Candidate {
    type Target = SourceFile;

    fn deref(&self) -> &SourceFile {
        &self.file
    }
}

impl Candidate {
    fn into_original(self) -> Original {
        let path = self.file.path.strip_prefix(&self.root).unwrap_or(&self.file.path).to_owned();
        Original { project: self.project, file: self.file, text: self.text, path }
    }
}

impl Original {
    /// The folder of its project.
    fn root(&self) -> PathBuf {
        let above = self.path.components().count();
        self.file.path.ancestors().nth(above).unwrap_or(Path::new("/")).to_owned()
    }
}

fn at(path: &Path, error: &std::io::Error) -> Failure {
    format!("{}: {error}", path.display())
}
