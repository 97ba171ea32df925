//! The instructions of a Dockerfile: where each is, and which images it builds on.

use std::collections::{BTreeMap, HashSet};

use crate::limits::INSTRUCTIONS;

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// `RUN`, in upper case.
    pub(crate) keyword: String,
    /// What follows, with continued lines joined.
    pub(crate) arguments: String,
    /// The line that it begins in, from 1 on.
    pub(crate) line: usize,
}

/// The instructions, in order.
///
/// # Errors
/// If there are too many.
pub(crate) fn instructions(text: &str) -> Result<Vec<Instruction>, String> {
    let mut escape = '\\';
    let mut found: Vec<Instruction> = Vec::new();
    let mut open: Option<Instruction> = None;
    let mut may_be_directive = true;
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let trimmed = line.trim();
        if let Some(comment) = trimmed.strip_prefix('#') {
            if may_be_directive && let Some((name, value)) = comment.split_once('=') {
                let name = name.trim().to_ascii_lowercase();
                if name == "escape" && value.trim() == "`" {
                    escape = '`';
                }
            } else {
                may_be_directive = false;
            }
            continue;
        }
        may_be_directive = false;
        if trimmed.is_empty() {
            continue;
        }
        let (text, goes_on) = match line.trim_end().strip_suffix(escape) {
            Some(start) => (start, true),
            None => (line, false),
        };
        match &mut open {
            Some(instruction) => {
                instruction.arguments.push_str(text);
            }
            None => {
                let text = text.trim_start();
                let (keyword, arguments) =
                    text.split_once(char::is_whitespace).unwrap_or((text, ""));
                let (keyword, arguments) = (keyword.to_ascii_uppercase(), arguments.to_owned());
                open = Some(Instruction { keyword, arguments, line: index + 1 });
            }
        }
        if !goes_on {
            found.extend(open.take());
        }
        if found.len() > INSTRUCTIONS {
            return Err(format!("the Dockerfile has more than {INSTRUCTIONS} instructions"));
        }
    }
    found.extend(open);
    for instruction in &mut found {
        instruction.arguments = instruction.arguments.trim().to_owned();
    }
    Ok(found)
}

/// What the daemon needs from elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Images, with the line that names each first.
    pub(crate) images: Vec<(String, usize)>,
    /// Lines that name an image by a variable that is not known, or that download a file.
    pub(crate) unknown: Vec<usize>,
}

/// The images that a Dockerfile builds on.
pub(crate) fn needs(instructions: &[Instruction], build_args: &BTreeMap<String, String>) -> Needs {
    let mut needs = Needs::default();
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    let mut stages: HashSet<String> = HashSet::new();
    let mut stage_count = 0;
    let add = |needs: &mut Needs, stages: &HashSet<String>, name: &str, line: usize| {
        let is_stage = stages.contains(&name.to_ascii_lowercase());
        if name != "scratch" && !is_stage && !needs.images.iter().any(|(known, _)| known == name) {
            needs.images.push((name.to_owned(), line));
        }
    };
    for instruction in instructions {
        let words: Vec<&str> = instruction.arguments.split_whitespace().collect();
        let flag = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
        let mut plain = words.iter().filter(|word| !word.starts_with("--"));
        match instruction.keyword.as_str() {
            "ARG" if stage_count == 0 => {
                for word in plain {
                    let (name, default) = word.split_once('=').unwrap_or((word, ""));
                    let value = build_args.get(name).cloned();
                    let default = default.trim_matches(['"', '\'']).to_owned();
                    variables.insert(name.to_owned(), value.unwrap_or(default));
                }
            }
            "FROM" => {
                match plain.next().and_then(|image| substituted(image, &variables)) {
                    Some(image) => add(&mut needs, &stages, &image, instruction.line),
                    None => needs.unknown.push(instruction.line),
                }
                if plain.next().is_some_and(|word| word.eq_ignore_ascii_case("as")) {
                    stages.extend(plain.next().map(|name| name.to_ascii_lowercase()));
                }
                stages.insert(stage_count.to_string());
                stage_count += 1;
            }
            "COPY" => {
                if let Some(from) = flag("--from=") {
                    match substituted(from, &BTreeMap::new()) {
                        Some(from) => add(&mut needs, &stages, &from, instruction.line),
                        None => needs.unknown.push(instruction.line),
                    }
                }
            }
            "ADD" => {
                let is_remote = |word: &str| word.contains("://") || word.contains("git@");
                // A variable may hold a URL.
                if words.iter().any(|word| is_remote(word) || word.contains('$')) {
                    needs.unknown.push(instruction.line);
                }
            }
            // A mount of a build may name an image; only newer builders know it.
            "RUN" if flag("--mount=").is_some() => needs.unknown.push(instruction.line),
            _ => {}
        }
    }
    needs
}

/// A text with its variables replaced; `None` if one is not known.
fn substituted(text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    let mut rest = text.trim_matches('"');
    let mut whole = String::new();
    while let Some(at) = rest.find('$') {
        whole.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if let Some(braced) = rest.strip_prefix('{') {
            let (inside, after) = braced.split_once('}')?;
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let known = variables.get(name).filter(|value| !value.is_empty());
            whole.push_str(known.map(String::as_str).or(default)?);
            rest = after;
        } else {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            whole.push_str(variables.get(&rest[..end]).filter(|value| !value.is_empty())?);
            rest = &rest[end..];
        }
    }
    whole.push_str(rest);
    (!whole.is_empty() && !whole.contains('$')).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_lines() {
        let text = "# syntax=x\n# escape=\\\n\nFROM a AS b\n\nRUN one \\\n# between\n\n  two \\\n  three\nrun x\\";
        let found = instructions(text).unwrap();
        let shown: Vec<_> = found.iter().map(|one| (one.keyword.as_str(), one.line)).collect();
        assert_eq!(shown, [("FROM", 4), ("RUN", 6), ("RUN", 11)]);
        assert_eq!(found[1].arguments, "one   two   three");
        let windows = instructions("# escape=`\nRUN a `\n b\\\nRUN c").unwrap();
        assert_eq!(windows.len(), 2);
        assert!(instructions(&"RUN x\n".repeat(INSTRUCTIONS + 2)).is_err());
    }

    #[test]
    fn images_are_found_behind_variables_and_stages() {
        let text = "ARG V=1\nARG B\nFROM base:$V AS one\nFROM ${B:-other} as two\nCOPY --from=one a b\nCOPY --from=0 a b\n\
                    COPY --from=tools:3 a b\nFROM scratch\nFROM $B\nADD https://example.com/x /\nFROM ONE\nADD a /";
        let found = needs(&instructions(text).unwrap(), &BTreeMap::new());
        let images: Vec<_> =
            found.images.iter().map(|(name, line)| (name.as_str(), *line)).collect();
        assert_eq!(images, [("base:1", 3), ("other", 4), ("tools:3", 7)]);
        assert_eq!(found.unknown, [9, 10]);
        let given =
            BTreeMap::from([("V".to_owned(), "2".to_owned()), ("B".to_owned(), "b".to_owned())]);
        let found = needs(&instructions(text).unwrap(), &given);
        assert_eq!(found.images[0].0, "base:2");
        assert_eq!(found.unknown, [10]);
    }
}
