//! Removes the imports of real files, one at a time, and adds them again with the index:
//! `imports FOLDER [--files N] [--misses]`. The original import counts as correct.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod tree;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{DefinitionId, DefinitionKind, Facts, FileId, ImportRequest, Index};
use syntax::Syntax;
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

const STATEMENTS: [&str; 5] = [
    "import_statement",
    "import_from_statement",
    "use_declaration",
    "import_declaration",
    "preproc_include",
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let flag = |name: &str| arguments.iter().any(|a| a == name);
    let root = Path::new(&arguments[1]);
    let mut index = Index::new();
    let sources = tree::read(root);
    for (number, source) in sources.iter().enumerate() {
        index.configure(&source.name, &source.text);
        let Some(language) = source.language else { continue };
        let syntax = Syntax::parse(language, &Text::new(&source.text), None, &GO).unwrap();
        let facts = Facts::lower(&syntax, &GO).unwrap();
        index.insert(FileId(number as u32), &source.name, Arc::new(facts));
    }
    let (mut asked, mut found, mut same) = (0, 0, 0);
    let mut times: Vec<Duration> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let Some(language) = source.language else { continue };
        let file = FileId(number as u32);
        let syntax = Syntax::parse(language, &Text::new(&source.text), None, &GO).unwrap();
        let facts = Facts::lower(&syntax, &GO).unwrap();
        let mut imports: Vec<_> =
            facts.definitions().filter(|d| d.kind == DefinitionKind::Import).collect();
        imports.truncate(6);
        for import in imports {
            let mut node = syntax
                .root()
                .descendant_for_byte_range(import.name_span.start, import.name_span.end);
            while let Some(n) = node.filter(|n| !STATEMENTS.contains(&n.kind())) {
                node = n.parent();
            }
            let Some(node) = node.filter(|n| n.parent().is_some_and(|p| p.parent().is_none()))
            else {
                continue;
            };
            let said = source.text[node.byte_range()].to_owned();
            let targets = index.definition(file, import.name_span.start);
            let [target] = &targets[..] else { continue };
            if target.file == file {
                continue;
            }
            let theirs = index.facts(target.file).unwrap();
            let at = target.name_span.start;
            let span = target.name_span.clone();
            let of = theirs.definitions().find(|d| d.name_span == span);
            let (name, number) = match of {
                Some(d) if at < span.end => {
                    if d.name != import.name {
                        continue;
                    }
                    let all = index.importable_definitions(file, import.name);
                    let known = all.iter().find(|id| id.file == target.file);
                    (import.name, known.map(|id| id.number))
                }
                _ => {
                    let all = index.importable_definitions(file, import.name);
                    let module = all.iter().map(|id| id.number).next();
                    (import.name, if language.id() == "rust" { module } else { Some(0) })
                }
            };
            // A use of the name in the text without the import.
            let mut text = source.text.clone();
            let range = node.byte_range();
            let blank = " ".repeat(range.len());
            text.replace_range(range.clone(), &blank);
            let after = Syntax::parse(language, &Text::new(&text), None, &GO).unwrap();
            let facts = Facts::lower(&after, &GO).unwrap();
            let uses = text.match_indices(name).map(|(at, _)| at).filter(|at| *at >= range.end);
            let mut uses = uses.filter(|at| {
                let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                !text[..*at].ends_with(word)
                    && !text[at + name.len()..]
                        .starts_with(|c: char| c.is_alphanumeric() || c == '_')
                    && facts.name_at(*at).is_some_and(|n| !n.is_definition && n.text == name)
            });
            let Some(at) = uses.next() else { continue };
            asked += 1;
            let span = at..at + name.len();
            let into = ImportRequest { file, syntax: &after, facts: &facts, span };
            let started = Instant::now();
            let answer = number.and_then(|number| {
                let id = DefinitionId { file: target.file, number };
                index.plan_import(&into, name, id, &GO)
            });
            times.push(started.elapsed());
            found += usize::from(answer.is_some());
            let squeezed: String = said.split_whitespace().collect();
            let quoted = |m: &str| {
                [
                    format!("from{m}import"),
                    format!("'{m}'"),
                    format!("\"{m}\""),
                    format!("use{m}::"),
                    format!("import{m}"),
                ]
                .iter()
                .any(|w| squeezed.contains(w.as_str()))
            };
            let right = answer.as_ref().is_some_and(|a| quoted(&a.module));
            same += usize::from(right);
            if !right && flag("--misses") {
                let got = answer.as_ref().map(|a| (&a.module, a.edits.first().map(|e| &e.1)));
                println!(
                    "{} `{name}` said {said:?} got {got:?} target {}",
                    source.name, sources[target.file.0 as usize].name
                );
            }
        }
    }
    times.sort();
    let share = |n: usize| n as f64 / f64::max(1.0, asked as f64);
    println!(
        "{} asked {asked} found {:.3} same {:.3} p50 {:?} p99 {:?}",
        root.display(),
        share(found),
        share(same),
        times.get(times.len() / 2),
        times.get(times.len() * 99 / 100),
    );
}
