//! Applies code actions to a copy of a project and checks it with the language's own checker.
//!
//! `actions FOLDER COPY ACTION COUNT SEED [wrong] [-- CHECKER…]`: chooses places spread over the
//! folder's files, one per file and round. Applies the action at each of them in the copy, runs the
//! checker there, and prints the files with new errors: output lines that contain `error` and that
//! the untouched copy does not have. For a quick fix, it first seeds each text with a problem; the
//! copy holds the texts without it. `wrong` misspells a name in each edit, to count what the
//! checker would miss. The action `list` measures the time of the list at COUNT places instead.
//! `refused` applies everything that is offered at COUNT places and counts late refusals. A COUNT
//! of 0 applies the action at the start of every file of the copy.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod lists;
mod seeds;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{ActionPlace, ActionPlan, ActionRefusal, Facts, FileId, Index, OfferedAction};
use syntax::Syntax;
use text::Text;

use lists::{count_refused, time_lists};
use tree::Source;

static GO: AtomicBool = AtomicBool::new(false);

struct Loaded {
    index: Index,
    sources: Vec<String>,
    /// The texts in the copy.
    originals: Vec<String>,
    paths: Vec<String>,
    parsed: Vec<Syntax>,
}

fn load(root: &Path) -> Loaded {
    let (index, sources, paths, parsed) = (Index::new(), Vec::new(), Vec::new(), Vec::new());
    let mut loaded = Loaded { index, sources, originals: Vec::new(), paths, parsed };
    for Source { name, text: source, language } in tree::read(root) {
        loaded.index.configure(&name, &source);
        let Some(language) = language else { continue };
        let syntax = Syntax::parse(language, &Text::new(&source), None, &GO).unwrap();
        let facts = Arc::new(Facts::lower(&syntax, &GO).unwrap());
        loaded.index.insert(FileId(loaded.paths.len() as u32), &name, facts);
        loaded.paths.push(name);
        loaded.sources.push(source);
        loaded.parsed.push(syntax);
    }
    loaded.originals = loaded.sources.clone();
    loaded
}

/// Seeds the texts with problems that an action fixes; false if it is not a quick fix.
fn seed(loaded: &mut Loaded, action: &str, random: &mut Random) -> bool {
    let mends = ["add_import", "fill_cases", "implement_members"];
    if !action.starts_with("remove_") && !mends.contains(&action) {
        return false;
    }
    for file in 0..loaded.paths.len() {
        loaded.sources[file] = loaded.originals[file].clone();
        let language = loaded.parsed[file].language();
        let whole = Syntax::parse(language, &Text::new(&loaded.sources[file]), None, &GO).unwrap();
        let number = random.below(1 << 20) as u64;
        // A removed definition must not be needed by the action in another file.
        let few = matches!(action, "fill_cases" | "implement_members") && !number.is_multiple_of(8);
        let new = seeds::seeded(&whole, &loaded.sources[file], action, number);
        if let Some(new) = new.filter(|_| !few) {
            loaded.sources[file] = new;
        }
        if action == "remove_unused_imports" {
            let again =
                Syntax::parse(language, &Text::new(&loaded.sources[file]), None, &GO).unwrap();
            let number = random.below(1 << 20) as u64;
            if let Some(new) = seeds::seeded(&again, &loaded.sources[file], action, number) {
                loaded.sources[file] = new;
            }
        }
        let syntax = Syntax::parse(language, &Text::new(&loaded.sources[file]), None, &GO).unwrap();
        let facts = Arc::new(Facts::lower(&syntax, &GO).unwrap());
        loaded.index.insert(FileId(file as u32), &loaded.paths[file], facts);
        loaded.parsed[file] = syntax;
    }
    true
}

/// The ranges of the diagnostics of the seeded problems.
fn seeded_ranges(loaded: &Loaded, file: usize, action: &str) -> Vec<(usize, usize)> {
    let syntax = &loaded.parsed[file];
    let found = loaded.index.name_diagnostics(FileId(file as u32), syntax, &GO).unwrap_or_default();
    let of = match action {
        "add_import" => "undefined-name",
        "remove_unused_variable" => "unused-variable",
        _ => "unused-import",
    };
    let own = found.iter().filter(|f| f.kind.code() == of);
    own.map(|f| (f.span.start, f.span.start)).collect()
}

fn with_request<T>(
    loaded: &Loaded,
    file: usize,
    range: (usize, usize),
    name: Option<&str>,
    run: impl FnOnce(&ActionPlace<'_>) -> T,
) -> T {
    let text = |id: FileId| loaded.sources.get(id.0 as usize).map(|s| Text::new(s));
    let facts = loaded.index.facts(FileId(file as u32)).unwrap();
    run(&ActionPlace {
        file: FileId(file as u32),
        facts,
        syntax: &loaded.parsed[file],
        range: range.0..range.1,
        name,
        destination: None,
        text: &text,
        interrupt: &GO,
    })
}

/// Possible selections in a file: nodes, runs of siblings, and positions in names.
fn ranges(syntax: &Syntax, action: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut cursor = syntax.root().walk();
    loop {
        let node = cursor.node();
        if node.is_named() {
            match action {
                "extract_function" => {
                    let mut last = node;
                    for _ in 0..4 {
                        all.push((node.start_byte(), last.end_byte()));
                        let Some(next) = last.next_named_sibling() else { break };
                        last = next;
                    }
                }
                "implement_members" => {
                    if node.kind().contains("class") || node.kind() == "impl_item" {
                        all.push((node.start_byte(), node.start_byte()));
                    }
                }
                "convert_import" => {
                    if node.kind().starts_with("import_") || node.kind() == "use_declaration" {
                        all.push((node.start_byte(), node.start_byte()));
                    }
                }
                "fill_cases" => {
                    if node.kind().starts_with("match") || node.kind().starts_with("switch") {
                        all.push((node.start_byte(), node.start_byte()));
                    }
                }
                "inline_variable" | "move_to_file" => {
                    all.push((node.start_byte(), node.start_byte()));
                }
                _ => all.push((node.start_byte(), node.end_byte())),
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                all.sort_unstable();
                all.dedup();
                return all;
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// The checker's errors, without positions.
fn complaints(copy: &Path, checker: &[String]) -> Vec<String> {
    let Some((program, arguments)) = checker.split_first() else { return Vec::new() };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(copy)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = [output.stdout, output.stderr].concat();
    let out = String::from_utf8_lossy(&out).into_owned();
    out.lines().filter(|l| l.contains("error")).map(str::to_owned).collect()
}

fn plain(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn apply(loaded: &Loaded, plan: &ActionPlan, copy: &Path) -> Vec<usize> {
    let mut texts: BTreeMap<u32, String> = BTreeMap::new();
    for edit in plan.edits.iter().rev() {
        let own = || loaded.sources[edit.file.0 as usize].clone();
        let text = texts.entry(edit.file.0).or_insert_with(own);
        text.replace_range(edit.span.clone(), &edit.new_text);
    }
    for (file, text) in &texts {
        std::fs::write(copy.join(&loaded.paths[*file as usize]), text).unwrap();
    }
    for new in &plan.creates {
        let path = copy.join(&new.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &new.text).unwrap();
    }
    texts.into_keys().map(|f| f as usize).collect()
}

/// Misspells a name in the new text of a plan, or after it; false if there is none.
fn spoil(loaded: &Loaded, plan: &mut ActionPlan) -> bool {
    let spoilt = |text: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<usize> = (0..text.len())
            .filter(|&at| text.is_char_boundary(at) && text[at..].starts_with(char::is_alphabetic))
            .filter(|&at| !text[..at].ends_with(is_part))
            .collect();
        let after = |at: usize| at + text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at);
        // The callee of a call must exist.
        let called = |at: &usize| text[after(*at)..].starts_with('(');
        let own = |at: &usize| !text[..*at].ends_with("fn ") && !text[..*at].ends_with("def ");
        let mut long = words.iter().copied().filter(|at| after(*at) - at > 4);
        let at = words.iter().copied().filter(called).find(own).or_else(|| long.next())?;
        Some(format!("{}Zq{}", &text[..after(at)], &text[after(at)..]))
    };
    if let Some(new) = plan.creates.first_mut()
        && let Some(text) = spoilt(&new.text)
    {
        new.text = text;
        return true;
    }
    for edit in &mut plan.edits {
        if let Some(text) = spoilt(&edit.new_text) {
            edit.new_text = text;
            return true;
        }
    }
    let Some(edit) = plan.edits.last_mut() else { return false };
    let source = &loaded.sources[edit.file.0 as usize];
    let (end, rest) = (edit.span.end, &source[edit.span.end..]);
    let Some(text) = spoilt(rest) else { return false };
    let same = text.bytes().zip(rest.bytes()).take_while(|(a, b)| a == b).count();
    edit.span.end = end + same;
    edit.new_text.push_str(&text[..same + 2]);
    true
}

/// Whether an error in a new file existed in the file that its code comes from.
fn is_moved(loaded: &Loaded, plans: &[ActionPlan], before: &[String], line: &str) -> bool {
    plans.iter().any(|plan| {
        plan.creates.iter().filter(|new| line.contains(&new.path)).any(|new| {
            let own = &loaded.paths[new.same_root_as.0 as usize];
            before.binary_search(&plain(&line.replace(&new.path, own))).is_ok()
        })
    })
}

/// Whether a plan restores the text from before the seed.
fn is_original(loaded: &Loaded, plan: &ActionPlan) -> bool {
    let Some(file) = plan.edits.first().map(|e| e.file.0 as usize) else { return false };
    let mut text = loaded.sources[file].clone();
    for edit in plan.edits.iter().rev() {
        text.replace_range(edit.span.clone(), &edit.new_text);
    }
    text == loaded.originals[file]
}

fn restore(loaded: &Loaded, plan: &ActionPlan, copy: &Path) {
    for edit in &plan.edits {
        let file = edit.file.0 as usize;
        std::fs::write(copy.join(&loaded.paths[file]), &loaded.originals[file]).unwrap();
    }
    for new in &plan.creates {
        std::fs::remove_file(copy.join(&new.path)).ok();
    }
}

fn shown(loaded: &Loaded, plan: &ActionPlan) -> String {
    let mut out = String::new();
    for edit in &plan.edits {
        let (path, source) =
            (&loaded.paths[edit.file.0 as usize], &loaded.sources[edit.file.0 as usize]);
        let line = source[..edit.span.start].matches('\n').count() + 1;
        let old = &source[edit.span.clone()];
        out.push_str(&format!("    {path}:{line} {old:?} -> {:?}\n", edit.new_text));
    }
    for new in &plan.creates {
        out.push_str(&format!("    new {}: {:?}\n", new.path, new.text));
    }
    out
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let checker: Vec<String> = match arguments.iter().position(|a| a == "--") {
        Some(at) => arguments.drain(at..).skip(1).collect(),
        None => Vec::new(),
    };
    let (root, copy) = (Path::new(&arguments[0]), Path::new(&arguments[1]));
    let (action, count) = (arguments[2].as_str(), arguments[3].parse::<usize>().unwrap());
    let mut random = Random(arguments[4].parse::<u64>().unwrap() * 2 + 88_172_645_463_325_253);
    let wrong = arguments.iter().any(|a| a == "wrong");
    let (action, choice) = action.split_once(':').unwrap_or((action, ""));
    let mut loaded = load(root);
    if action == "list" {
        return time_lists(&loaded, count, &mut random);
    }
    if action == "refused" {
        return count_refused(&loaded, count, &mut random);
    }
    if count == 0 {
        return write_all(&loaded, action, copy);
    }
    let mut before: Vec<String> = complaints(copy, &checker).iter().map(|l| plain(l)).collect();
    before.sort();
    let (mut applied, mut broken, mut same) = (0, 0, 0);
    let (mut left, mut seen) = (0, 0);
    let mut refusals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<usize> = (0..loaded.paths.len()).collect();
    for _ in 0..40 {
        let mut plans: Vec<ActionPlan> = Vec::new();
        let mut touched = std::collections::BTreeSet::new();
        let mut made = std::collections::BTreeSet::new();
        let seeded = seed(&mut loaded, action, &mut random);
        for n in (1..order.len()).rev() {
            order.swap(n, random.below(n + 1));
        }
        for &file in &order {
            if applied + plans.len() >= count {
                break;
            }
            let by_finding = !matches!(action, "fill_cases" | "implement_members");
            if seeded && loaded.sources[file] == loaded.originals[file] {
                continue;
            }
            let all = match seeded && by_finding {
                true => seeded_ranges(&loaded, file, action),
                false => ranges(&loaded.parsed[file], action),
            };
            for _ in 0..all.len().min(400) {
                let range = all[random.below(all.len())];
                let name = format!("zq_x{file}");
                let name = action.starts_with("extract_").then_some(&*name);
                let planned = with_request(&loaded, file, range, name, |place| {
                    let wanted = |kind: &str| action != "move_to_file" || kind == "refactor.move";
                    let found = loaded.index.actions(place, &wanted);
                    let own = found.into_iter().find(|a: &OfferedAction| {
                        a.offer.id == action && (choice.is_empty() || a.offer.choice == choice)
                    })?;
                    Some(loaded.index.action(place, own.offer.id, &own.offer.choice))
                });
                match planned {
                    None => {}
                    Some(Err(ActionRefusal { reason, .. })) => {
                        *refusals.entry(reason.as_str()).or_default() += 1;
                    }
                    Some(Ok(mut plan)) => {
                        if wrong && !spoil(&loaded, &mut plan) {
                            continue;
                        }
                        let files: Vec<u32> = plan.edits.iter().map(|e| e.file.0).collect();
                        let paths: Vec<String> =
                            plan.creates.iter().map(|c| c.path.to_lowercase()).collect();
                        if files.iter().all(|f| !touched.contains(f))
                            && paths.iter().all(|p| !made.contains(p))
                        {
                            touched.extend(files);
                            made.extend(paths);
                            plans.push(plan);
                        }
                        break;
                    }
                }
            }
        }
        if plans.is_empty() {
            break;
        }
        // A misspelling may cause several errors.
        let mut worse = Vec::new();
        if seeded && !checker.is_empty() {
            let files: Vec<usize> =
                plans.iter().flat_map(|p| &p.edits).map(|e| e.file.0 as usize).collect();
            let write = |texts: &[String]| {
                for &file in &files {
                    std::fs::write(copy.join(&loaded.paths[file]), &texts[file]).unwrap();
                }
            };
            write(&loaded.sources);
            worse = complaints(copy, &checker).iter().map(|l| plain(l)).collect();
            worse.retain(|l| before.binary_search(l).is_err());
            write(&loaded.originals);
        }
        same += plans.iter().filter(|p| seeded && is_original(&loaded, p)).count();
        applied += plans.len();
        for plan in &plans {
            apply(&loaded, plan, copy);
        }
        // An error that stops the checker early hides others.
        for _ in 0..24 {
            let mut known = before.clone();
            known.extend(worse.iter().cloned());
            known.sort();
            let new: Vec<String> = complaints(copy, &checker)
                .into_iter()
                .filter(|l| match known.binary_search(&plain(l)) {
                    Ok(at) => {
                        known.remove(at);
                        false
                    }
                    Err(_) => !is_moved(&loaded, &plans, &before, l),
                })
                .collect();
            if new.is_empty() {
                let mut now = complaints(copy, &checker);
                now.retain(|l| worse.contains(&plain(l)));
                left += now.len();
                seen += worse.len();
                for line in now.iter().take(3) {
                    println!("  left: {line}");
                    let own =
                        |e: &names::ActionEdit| line.contains(&loaded.paths[e.file.0 as usize]);
                    let own = plans.iter().filter(|p| p.edits.iter().any(own));
                    own.for_each(|plan| print!("{}", shown(&loaded, plan)));
                }
                break;
            }
            let blamed = |plan: &ActionPlan| {
                let in_line = |l: &String| {
                    plan.edits.iter().any(|e| l.contains(&loaded.paths[e.file.0 as usize]))
                        || plan.creates.iter().any(|c| l.contains(&c.path))
                };
                new.iter().find(|l| in_line(l)).cloned()
            };
            let found: Vec<_> = plans.iter().map(blamed).collect();
            if found.iter().all(Option::is_none) {
                println!("  nobody's: {}", new[0]);
                broken += 1;
                break;
            }
            let mut kept = Vec::new();
            for (plan, blame) in plans.drain(..).zip(found) {
                match blame {
                    None => kept.push(plan),
                    Some(line) => {
                        broken += 1;
                        println!("  {line}\n{}", shown(&loaded, &plan));
                        restore(&loaded, &plan, copy);
                    }
                }
            }
            plans = kept;
        }
        for plan in &plans {
            restore(&loaded, plan, copy);
        }
        if applied >= count {
            break;
        }
    }
    println!(
        "{} {action} {choice}: applied {applied}, broken {broken}, as it was {same}, left {left} of {seen}, \
         refused {refusals:?}",
        root.display()
    );
}

/// Applies an action at the start of every file, for comparison with another tool.
fn write_all(loaded: &Loaded, action: &str, copy: &Path) {
    for file in 0..loaded.paths.len() {
        let planned = with_request(loaded, file, (0, 0), None, |place| {
            loaded.index.action(place, action, "")
        });
        if let Ok(plan) = planned {
            apply(loaded, &plan, copy);
        }
    }
}
