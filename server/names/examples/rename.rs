//! Applies renames to a copy of a project and checks it with the language's own checker.
//!
//! `rename FOLDER COPY COUNT [--confirm] [-- CHECKER…]`: chooses COUNT names spread over the
//! folder's definitions. Renames each alone in the copy, runs the checker there (new output lines
//! that contain `error` are failures), and restores the copy. Without a checker it counts only.
//! Edits that need confirmation are skipped unless `--confirm`. `--plans` prints each rename as a
//! line of JSON instead, for a checker that applies them in memory.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use names::{DefinitionKind, Facts, FileId, Index, RenameError, RenamePlan, RenameSources};
use syntax::Syntax;
use text::Text;

use tree::Source;

static GO: AtomicBool = AtomicBool::new(false);

struct Loaded {
    index: Index,
    sources: Vec<String>,
    paths: Vec<String>,
}

fn load(root: &Path) -> Loaded {
    let mut loaded = Loaded { index: Index::new(), sources: Vec::new(), paths: Vec::new() };
    for Source { name, text: source, language } in tree::read(root) {
        loaded.index.configure(&name, &source);
        let Some(language) = language else { continue };
        let syntax = Syntax::parse(language, &Text::new(&source), None, &GO).unwrap();
        let facts = Arc::new(Facts::lower(&syntax, &GO).unwrap());
        loaded.index.insert(FileId(loaded.paths.len() as u32), &name, facts);
        loaded.paths.push(name);
        loaded.sources.push(source);
    }
    loaded
}

/// Definitions spread over the files, of alternating kinds.
fn chosen(loaded: &Loaded, count: usize) -> Vec<(FileId, usize, String, DefinitionKind)> {
    let mut by_kind: BTreeMap<DefinitionKind, Vec<(FileId, usize, String)>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for file in 0..loaded.paths.len() {
        let facts = loaded.index.facts(FileId(file as u32)).unwrap();
        for d in facts.definitions() {
            let import = matches!(d.kind, DefinitionKind::Import | DefinitionKind::Module);
            let fresh = seen.insert((file, d.name.to_owned(), d.container.map(str::to_owned)));
            if !import && fresh && !d.name_span.is_empty() {
                let at = (FileId(file as u32), d.name_span.start, d.name.to_owned());
                by_kind.entry(d.kind).or_default().push(at);
            }
        }
    }
    let mut out = Vec::new();
    let kinds = by_kind.len().max(1);
    for (kind, all) in by_kind {
        let wanted = (count.div_ceil(kinds)).min(all.len());
        for n in 0..wanted {
            // A fixed sequence, so that all runs choose the same.
            let (file, at, name) = all[(n * 7919 + 13) % all.len()].clone();
            out.push((file, at, name, kind));
        }
    }
    out.sort_by_key(|o| (o.1 * 31 + o.0.0 as usize * 7) % 1009);
    out.dedup();
    out.truncate(count);
    out
}

fn plan(loaded: &Loaded, file: FileId, at: usize, name: &str) -> Result<RenamePlan, RenameError> {
    let texts = |id: FileId| loaded.sources.get(id.0 as usize).map(|s| Text::new(s));
    let holding: Vec<FileId> = (0..loaded.sources.len())
        .filter(|&n| loaded.sources[n].contains(name))
        .map(|n| FileId(n as u32))
        .collect();
    let sources = RenameSources { text: &texts, files_with_name: &holding, interrupt: &GO };
    let new = if name.starts_with(|c: char| c.is_uppercase()) { "Zq" } else { "zq" };
    loaded.index.rename(file, at, &*format!("{new}{}", name.trim_start_matches('#')), &sources)
}

fn apply(loaded: &Loaded, plan: &RenamePlan, copy: &Path, confirm: bool) {
    let mut texts: BTreeMap<u32, String> = BTreeMap::new();
    for edit in plan.edits.iter().rev() {
        if edit.reason.needs_confirmation() && !confirm {
            continue;
        }
        let own = || loaded.sources[edit.file.0 as usize].clone();
        let text = texts.entry(edit.file.0).or_insert_with(own);
        text.replace_range(edit.span.clone(), &edit.new_text);
    }
    for (file, text) in texts {
        std::fs::write(copy.join(&loaded.paths[file as usize]), text).unwrap();
    }
    for moved in &plan.moves {
        std::fs::rename(copy.join(&moved.from), copy.join(&moved.to)).unwrap();
    }
}

/// A plan as a line of JSON: byte offsets into each file.
fn printed(loaded: &Loaded, plan: &RenamePlan, place: &str, confirm: bool) -> String {
    let made = plan.edits.iter().filter(|e| confirm || !e.reason.needs_confirmation());
    let edits = made.map(|e| {
        let path = &loaded.paths[e.file.0 as usize];
        serde_json::json!([path, e.span.start, e.span.end, e.new_text])
    });
    let moves = plan.moves.iter().map(|m| serde_json::json!([m.from, m.to]));
    serde_json::json!({
        "place": place,
        "edits": edits.collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
    })
    .to_string()
}

fn restore(loaded: &Loaded, plan: &RenamePlan, copy: &Path) {
    for moved in &plan.moves {
        std::fs::rename(copy.join(&moved.to), copy.join(&moved.from)).unwrap();
    }
    for edit in &plan.edits {
        let path = copy.join(&loaded.paths[edit.file.0 as usize]);
        std::fs::write(path, &loaded.sources[edit.file.0 as usize]).unwrap();
    }
}

/// The checker's errors, without positions.
fn complaints(checker: &[String], copy: &Path) -> BTreeSet<String> {
    let output = Command::new(&checker[0])
        .args(&checker[1..])
        .current_dir(copy)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut all = BTreeSet::new();
    for stream in [&output.stdout, &output.stderr] {
        for line in String::from_utf8_lossy(stream).lines() {
            if line.contains("error") && !line.contains("errors,") && !line.contains(" generated") {
                let what: String = line.chars().filter(|c| !c.is_ascii_digit()).collect();
                all.insert(what.replace("zq", "").replace("Zq", ""));
            }
        }
    }
    all
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (root, copy) = (PathBuf::from(&arguments[1]), PathBuf::from(&arguments[2]));
    let count: usize = arguments[3].parse().unwrap();
    let confirm = arguments.iter().any(|a| a == "--confirm");
    let plans = arguments.iter().any(|a| a == "--plans");
    let verbose = arguments.iter().any(|a| a == "--verbose");
    let checker: Vec<String> =
        arguments.iter().skip_while(|a| *a != "--").skip(1).cloned().collect();
    let loaded = load(&root);
    let before = if checker.is_empty() { BTreeSet::new() } else { complaints(&checker, &copy) };
    println!("{} files, {} complaints before", loaded.paths.len(), before.len());
    let (mut made, mut clean, mut edits, mut asked) = (0, 0, 0, 0);
    let mut refusals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut times = Vec::new();
    let all = chosen(&loaded, count);
    for (file, at, name, kind) in &all {
        let text = &loaded.sources[file.0 as usize];
        let line = text[..*at].matches('\n').count() + 1;
        let place = format!("{}:{line} {} `{name}`", loaded.paths[file.0 as usize], kind.as_str());
        let started = Instant::now();
        let plan = plan(&loaded, *file, *at, name);
        times.push(started.elapsed());
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                let class = match &error {
                    RenameError::NotAName => "no name",
                    RenameError::Unresolved { .. } => "unknown",
                    RenameError::Outside { .. } | RenameError::Library { .. } => "outside",
                    RenameError::NotRenamable { .. } => "fixed",
                    RenameError::Invalid { .. } => "invalid",
                    RenameError::Unsure { .. } => "unsure",
                    RenameError::Conflict { .. } => "conflict",
                    RenameError::Interrupted => "interrupted",
                };
                *refusals.entry(class).or_default() += 1;
                if verbose {
                    println!("REFUSED {place}: {error}");
                }
                continue;
            }
        };
        if !confirm && plan.edits.iter().any(|e| e.reason == names::RenameReason::Unsure) {
            asked += 1;
            if verbose {
                let unsure = plan.edits.iter().find(|e| e.reason == names::RenameReason::Unsure);
                let unsure = unsure.unwrap();
                let text = &loaded.sources[unsure.file.0 as usize];
                let line = text[..unsure.span.start].lines().count();
                let shown = text.lines().nth(line.max(1) - 1).unwrap_or("").trim();
                println!("ASKED {place}: {}:{line} {shown}", loaded.paths[unsure.file.0 as usize]);
            }
            continue;
        }
        made += 1;
        edits += plan.edits.iter().filter(|e| !e.reason.needs_confirmation()).count();
        if plans {
            println!("{}", printed(&loaded, &plan, &place, confirm));
        }
        if checker.is_empty() {
            continue;
        }
        apply(&loaded, &plan, &copy, confirm);
        let after = complaints(&checker, &copy);
        restore(&loaded, &plan, &copy);
        let new: Vec<_> = after.difference(&before).collect();
        if new.is_empty() {
            clean += 1;
        } else {
            println!("BROKEN {place}: {} new", new.len());
            new.iter().take(4).for_each(|what| println!("    {what}"));
        }
    }
    times.sort();
    println!(
        "{}: {} names, {made} renamed ({edits} edits), {clean} clean, {asked} to be confirmed, refused {refusals:?}, {:?} median {:?} worst",
        root.display(),
        all.len(),
        times[times.len() / 2],
        times[times.len() - 1],
    );
}
