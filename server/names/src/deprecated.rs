//! Recognises deprecated definitions in a text: by an attribute, annotation or decorator, or by the
//! doc comment.

use crate::facts::Def;
use crate::vocabulary::DefinitionKind;

/// Limit for the lines read before a definition.
const MAX_LINES: usize = 80;

/// Characters that end another definition on the same line.
const DEFINITION_ENDS: [char; 4] = [';', '{', '}', ','];

/// Limit for a definition's text before its name, in bytes.
const MAX_HEAD: usize = 2_000;

/// First entry of a list whose file allows uses of deprecated items, for itself and its child
/// modules.
pub(crate) const USES_ALLOWED: (u32, u32) = (0, 0);

/// The name spans of the deprecated definitions, in order. O(n) for a text without the word.
pub(crate) fn deprecated_name_spans(
    text: &str,
    language: &str,
    definitions: &[Def],
) -> Box<[(u32, u32)]> {
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
        found.push(USES_ALLOWED);
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// `None` if the spans are not of this text.
fn is_deprecated(text: &str, language: &str, def: &Def) -> Option<bool> {
    let (start, name, end) = (def.start as usize, def.name_start as usize, def.name_end as usize);
    let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = text[line..start].trim();
    let head = text.get(start..name).filter(|head| head.len() <= MAX_HEAD).unwrap_or("");
    // After a parse error, a definition may start with another one.
    let starts_itself = !head.contains('{');
    if starts_itself && head.lines().any(|line| is_attribute(line, language)) {
        return Some(true);
    }
    let after = text.get(end..)?.trim_start();
    if def.kind == DefinitionKind::EnumMember && after.starts_with("[[deprecated") {
        return Some(true);
    }
    if before.starts_with("/**")
        && let Some((comment, code)) = before.rsplit_once("*/")
        && is_marked_in_comment(&[comment], language)
    {
        return Some(!code.contains(DEFINITION_ENDS));
    }
    // If other code precedes the definition on its line, attributes there belong to that code.
    let alone = !before.contains(DEFINITION_ENDS);
    Some(alone && (is_attribute(before, language) || is_marked_above(&text[..line], language)))
}

/// Whether the lines directly above mark it: attributes and one comment.
fn is_marked_above(above: &str, language: &str) -> bool {
    let mut lines = above.lines().rev().take(MAX_LINES);
    // The lines of the doc comment, the last first.
    let mut comment: Vec<&str> = Vec::new();
    // Lines read of a multi-line attribute.
    let mut attribute_lines = 0;
    while let Some(line) = lines.next() {
        let line = line.trim();
        if is_attribute(line, language) {
            return !line.ends_with(DEFINITION_ENDS);
        }
        if let Some(comment_text) = line.strip_prefix("//").filter(|_| language != "python") {
            comment.push(comment_text);
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
            attribute_lines = 0;
        } else if attribute_lines > 0 || line.starts_with([')', ']']) {
            let closes = line.chars().all(|c| matches!(c, ')' | ']' | ','));
            attribute_lines += 1;
            if attribute_lines > 12 || attribute_lines == 1 && !closes {
                break;
            }
        } else if !matches!(line, "export" | "export default") {
            break;
        }
    }
    comment.reverse();
    is_marked_in_comment(&comment, language)
}

/// Whether a line contains the language's deprecation attribute. C fields, Go and JavaScript have
/// none.
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

/// Whether a doc comment has the deprecation tag that tools of the language recognise.
fn is_marked_in_comment(comment: &[&str], language: &str) -> bool {
    // A trailing comment documents the definition before it, not the next one.
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
        "java" | "javascript" | "typescript" | "tsx" => block && has_tag(comment, &["@deprecated"]),
        "c" | "cpp" => {
            let lines = comment.first().is_some_and(|line| line.starts_with(['/', '!']));
            (block || lines) && has_tag(comment, &["@deprecated", "\\deprecated"])
        }
        _ => false,
    }
}

/// Whether a line of a comment starts with a tag.
fn has_tag(comment: &[&str], tags: &[&str]) -> bool {
    comment.iter().any(|line| {
        let line = line.trim_start_matches(['/', '*', '!', '<']).trim_start();
        tags.iter().any(|tag| {
            let rest = line.strip_prefix(tag);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}
