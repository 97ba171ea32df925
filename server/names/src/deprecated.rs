//! What a text says is deprecated: by an attribute, annotation or decorator before a definition, or
//! by the comment that documents it.

use crate::facts::Def;
use crate::vocabulary::DefinitionKind;

/// Most lines before a definition that are looked at.
const LINES: usize = 80;

/// What ends a definition that stands before another.
const OTHERS: [char; 4] = [';', '{', '}', ','];

/// Most bytes of a definition before its name, and of an attribute.
const HEAD: usize = 2_000;

/// Stands first where a file allows itself, and those below it, to use what is deprecated.
pub(crate) const ALLOWED: (u32, u32) = (0, 0);

/// The names of the definitions that are deprecated, in bytes, in order of place. O(n) for a text
/// that does not speak of that.
pub(crate) fn names(text: &str, language: &str, definitions: &[Def]) -> Box<[(u32, u32)]> {
    if memchr::memmem::find(text.as_bytes(), b"eprecated").is_none() {
        return Box::default();
    }
    use DefinitionKind as K;
    let is_other = |kind: K| {
        matches!(kind, K::Parameter | K::TypeParameter | K::Import | K::Label | K::Module)
    };
    let all = definitions.iter().filter(|def| def.name_end > def.name_start && !is_other(def.kind));
    let mut found: Vec<(u32, u32)> = all
        .filter(|def| is_deprecated(text, language, def).unwrap_or(false))
        .map(|def| (def.name_start, def.name_end))
        .collect();
    let allows =
        |line: &str| line.trim_start().starts_with("#![allow(") && line.contains("deprecated");
    if language == "rust" && text.lines().any(allows) {
        found.push(ALLOWED);
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// `None` where the places are not of the text.
fn is_deprecated(text: &str, language: &str, def: &Def) -> Option<bool> {
    let (start, name, end) = (def.start as usize, def.name_start as usize, def.name_end as usize);
    let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = text[line..start].trim();
    let head = text.get(start..name).filter(|head| head.len() <= HEAD).unwrap_or("");
    // Where a grammar errs, a definition may begin with another one.
    let own = !head.contains('{');
    if own && head.lines().any(|line| is_attribute(line, language)) {
        return Some(true);
    }
    let behind = text.get(end..)?.trim_start();
    if def.kind == DefinitionKind::EnumMember && behind.starts_with("[[deprecated") {
        return Some(true);
    }
    if before.starts_with("/**")
        && let Some((comment, code)) = before.rsplit_once("*/")
        && is_documented_so(&[comment], language)
    {
        return Some(!code.contains(OTHERS));
    }
    // Behind something else on the line, what stands before is about that.
    let alone = !before.contains(OTHERS);
    Some(alone && (is_attribute(before, language) || is_said_above(&text[..line], language)))
}

/// Whether the lines right above say so: attributes, and one comment.
fn is_said_above(above: &str, language: &str) -> bool {
    let mut lines = above.lines().rev().take(LINES);
    // The documentation's lines, the last first.
    let mut comment: Vec<&str> = Vec::new();
    // An attribute's own lines, where it goes on over some.
    let mut within = 0;
    while let Some(line) = lines.next() {
        let line = line.trim();
        if is_attribute(line, language) {
            return !line.ends_with(OTHERS);
        }
        if let Some(said) = line.strip_prefix("//").filter(|_| language != "python") {
            comment.push(said);
        } else if !comment.is_empty() {
            break;
        } else if line.ends_with("*/") {
            comment.push(line);
            while !comment.last().is_some_and(|line| line.contains("/*")) {
                let Some(line) = lines.next() else { return false };
                comment.push(line.trim());
            }
            break;
        } else if line.starts_with(['@', '#', '[']) || line.starts_with("template") {
            within = 0;
        } else if within > 0 || line.starts_with([')', ']']) {
            let closes = line.chars().all(|c| matches!(c, ')' | ']' | ','));
            within += 1;
            if within > 12 || within == 1 && !closes {
                break;
            }
        } else if !matches!(line, "export" | "export default") {
            break;
        }
    }
    comment.reverse();
    is_documented_so(&comment, language)
}

/// Whether a line holds the mark of the language. C's and Go's fields and JavaScript have none.
fn is_attribute(line: &str, language: &str) -> bool {
    let line = line.trim();
    match language {
        "rust" => line
            .strip_prefix("#[deprecated")
            .is_some_and(|rest| rest.starts_with([']', '(', ' ', '='])),
        "java" => line.match_indices("@Deprecated").any(|(at, mark)| {
            let rest = &line[at + mark.len()..];
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                && !line[..at].contains(['"', '/'])
        }),
        "python" => line.strip_prefix('@').is_some_and(|named| {
            let named = named.split('(').next().unwrap_or("").trim();
            named.rsplit('.').next() == Some("deprecated")
        }),
        "c" | "cpp" => {
            let marks = ["[[", "__attribute__((", "__declspec("];
            marks.iter().any(|mark| {
                let inside = line.split_once(mark).map(|(_, rest)| rest);
                let inside = inside.and_then(|rest| rest.split([']', '"']).next());
                inside.is_some_and(|inside| {
                    let mut words =
                        inside.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                    words.any(|word| matches!(word, "deprecated" | "__deprecated__"))
                })
            })
        }
        _ => false,
    }
}

/// Whether a comment says so, in the way in which tools read it.
fn is_documented_so(comment: &[&str], language: &str) -> bool {
    // What stands behind a definition is not about the next.
    if comment.first().is_some_and(|line| {
        line.starts_with("/**<") || line.starts_with("/<") || line.starts_with("!<")
    }) {
        return false;
    }
    let block = comment.first().is_some_and(|line| line.starts_with("/**"));
    match language {
        "go" => {
            let plain = |line: &str| line.trim_start_matches(['/', '*']).trim().is_empty();
            comment.iter().enumerate().any(|(n, line)| {
                let opens = n == 0 || plain(comment[n - 1]);
                opens
                    && line.trim_start_matches(['/', '*']).trim_start().starts_with("Deprecated: ")
            })
        }
        "java" | "javascript" | "typescript" | "tsx" => block && says(comment, &["@deprecated"]),
        "c" | "cpp" => {
            let lines = comment.first().is_some_and(|line| line.starts_with(['/', '!']));
            (block || lines) && says(comment, &["@deprecated", "\\deprecated"])
        }
        _ => false,
    }
}

/// Whether a line of a comment starts with a tag.
fn says(comment: &[&str], tags: &[&str]) -> bool {
    comment.iter().any(|line| {
        let line = line.trim_start_matches(['/', '*', '!', '<']).trim_start();
        tags.iter().any(|tag| {
            let rest = line.strip_prefix(tag);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}
