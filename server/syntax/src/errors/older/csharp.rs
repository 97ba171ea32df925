//! C# with its conditions met and its newer constructs in older words. The grammar takes whole
//! declarations between `#if` and `#endif`, the language any tokens.

use super::Draft;

/// Deepest conditions that are distinguished.
const DEEPEST: usize = 64;
/// Words that the grammar takes for the target of an attribute, whatever follows.
const TARGETS: &[&str] =
    &["assembly", "event", "field", "method", "module", "param", "property", "type"];

pub(super) fn older(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    meet_conditions(source, &mut draft);
    rename(source, &mut draft);
    draft.finish()
}

/// Leaves the first branch of every condition, and none of the others.
fn meet_conditions(source: &str, draft: &mut Draft) {
    // Of each condition around: whether its branch is left out, and whether one was taken.
    let mut conditions: Vec<(bool, bool)> = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.len();
        let directive = line.trim_start_matches('\u{feff}').trim_start().strip_prefix('#');
        let mut words = directive.map(str::trim_start).unwrap_or_default().split_whitespace();
        match words.next() {
            Some("if") if conditions.len() < DEEPEST => {
                let is_out = matches!(words.next(), Some("false" | "0"));
                conditions.push((is_out, !is_out));
            }
            Some("elif" | "else") => {
                if let Some((is_out, taken)) = conditions.last_mut() {
                    *is_out = *taken;
                    *taken = true;
                }
            }
            Some("endif") => {
                conditions.pop();
            }
            _ => {
                if conditions.iter().any(|(is_out, _)| *is_out) {
                    draft.blank(start, end);
                }
                start = end;
                continue;
            }
        }
        draft.blank(start, end);
        start = end;
    }
}

/// Words that are names where they stand, and assignments to what may be null.
fn rename(source: &str, draft: &mut Draft) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in source.match_indices("async") {
        let (before, rest) = (&source[..at], source[at + "async".len()..].trim_start());
        let is_name = rest.starts_with([')', ',', ';', '=', '?', '&', '|', '.', ':', '}', ']'])
            && !before.ends_with(|c: char| is_word(c) || c == '.' || c == '@');
        if is_name && !source[at + "async".len()..].starts_with(is_word) {
            draft.rename(at, at + "async".len());
        }
    }
    for (at, _) in source.match_indices('?') {
        let rest = &source[at + 1..];
        let is_member = rest.starts_with('[')
            || rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        if is_member && source[..at].ends_with(|c: char| is_word(c) || matches!(c, ')' | ']')) {
            draft.blank(at, at + 1);
        }
    }
    for (at, _) in source.match_indices('[') {
        let rest = source[at + 1..].trim_start();
        let start = source.len() - rest.len();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let is_target = rest[length..].trim_start().starts_with(':');
        if TARGETS.contains(&&rest[..length]) && !is_target {
            draft.rename(start, start + length);
        }
    }
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.trim();
        let indent = line.len() - line.trim_start().len();
        if code.starts_with("#:") {
            draft.blank(start, start + line.len());
        }
        if (code.starts_with("extension(") || code.starts_with("extension<")) && code.ends_with(')')
        {
            let end = start + indent + code.len();
            draft.replace(start + indent, end, "class x");
        }
        start += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_branch_stays() {
        let source = "a\n#if B\nc\n# elif D\ne\n#else\nf\n#endif\n#if false\ng\n#else\nh\n#endif\n#region i\n";
        let older = older(source).unwrap();
        assert_eq!(older.len(), source.len());
        assert_eq!(older.split_whitespace().collect::<Vec<_>>(), ["a", "c", "h", "#region", "i"]);
        assert_eq!(super::older("class A { }\n"), None);
    }

    #[test]
    fn newer_words_are_put_in_older_ones() {
        for (newer, expected) in [
            ("f(async, async () => 1);", "f(xxxxx, async () => 1);"),
            ("a?[i] = b?.c ?? .5;", "a [i] = b .c ?? .5;"),
            (
                "g([type], a[property]); [field: B] int c;",
                "g([xxxx], a[xxxxxxxx]); [field: B] int c;",
            ),
            ("  extension(A b)\n  { }\n", "  class x       \n  { }\n"),
        ] {
            assert_eq!(super::older(newer).as_deref(), Some(expected));
        }
    }
}
