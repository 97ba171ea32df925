//! C#: resolves conditional compilation and rewrites new syntax. The grammar accepts only whole
//! declarations between `#if` and `#endif`, the language any tokens.

use super::DownlevelText;

/// Deepest nesting of conditions.
const MAX_CONDITIONS: usize = 64;
/// Words that the grammar always reads as an attribute target.
const TARGETS: &[&str] =
    &["assembly", "event", "field", "method", "module", "param", "property", "type"];

pub(super) fn downleveled(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    resolve_conditions(source, &mut output);
    rename(source, &mut output);
    output.finish()
}

/// Keeps the first branch of every condition and blanks out the others.
fn resolve_conditions(source: &str, output: &mut DownlevelText) {
    // For each enclosing condition: whether its branch is blanked out, and whether one was taken.
    let mut conditions: Vec<(bool, bool)> = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.len();
        let directive = line.trim_start_matches('\u{feff}').trim_start().strip_prefix('#');
        let mut words = directive.map(str::trim_start).unwrap_or_default().split_whitespace();
        match words.next() {
            Some("if") if conditions.len() < MAX_CONDITIONS => {
                let is_blanked = matches!(words.next(), Some("false" | "0"));
                conditions.push((is_blanked, !is_blanked));
            }
            Some("elif" | "else") => {
                if let Some((is_blanked, was_taken)) = conditions.last_mut() {
                    *is_blanked = *was_taken;
                    *was_taken = true;
                }
            }
            Some("endif") => {
                conditions.pop();
            }
            _ => {
                if conditions.iter().any(|(is_blanked, _)| *is_blanked) {
                    output.blank(start, end);
                }
                start = end;
                continue;
            }
        }
        output.blank(start, end);
        start = end;
    }
}

/// Renames contextual keywords that are used as identifiers, and rewrites null-conditional
/// assignments.
fn rename(source: &str, output: &mut DownlevelText) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in source.match_indices("async") {
        let (before, rest) = (&source[..at], source[at + "async".len()..].trim_start());
        let is_name = rest.starts_with([')', ',', ';', '=', '?', '&', '|', '.', ':', '}', ']'])
            && !before.ends_with(|c: char| is_word(c) || c == '.' || c == '@');
        if is_name && !source[at + "async".len()..].starts_with(is_word) {
            output.rename(at, at + "async".len());
        }
    }
    for (at, _) in source.match_indices('?') {
        let rest = &source[at + 1..];
        let is_member = rest.starts_with('[')
            || rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        if is_member && source[..at].ends_with(|c: char| is_word(c) || matches!(c, ')' | ']')) {
            output.blank(at, at + 1);
        }
    }
    for (at, _) in source.match_indices('[') {
        let rest = source[at + 1..].trim_start();
        let start = source.len() - rest.len();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let is_target = rest[length..].trim_start().starts_with(':');
        if TARGETS.contains(&&rest[..length]) && !is_target {
            output.rename(start, start + length);
        }
    }
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.trim();
        let indent = line.len() - line.trim_start().len();
        if code.starts_with("#:") {
            output.blank(start, start + line.len());
        }
        if (code.starts_with("extension(") || code.starts_with("extension<")) && code.ends_with(')')
        {
            let end = start + indent + code.len();
            output.replace(start + indent, end, "class x");
        }
        start += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_branch_is_kept() {
        let source = "a\n#if B\nc\n# elif D\ne\n#else\nf\n#endif\n#if false\ng\n#else\nh\n#endif\n#region i\n";
        let downleveled = downleveled(source).unwrap();
        assert_eq!(downleveled.len(), source.len());
        assert_eq!(
            downleveled.split_whitespace().collect::<Vec<_>>(),
            ["a", "c", "h", "#region", "i"]
        );
        assert_eq!(super::downleveled("class A { }\n"), None);
    }

    #[test]
    fn newer_syntax_is_downleveled() {
        for (newer, expected) in [
            ("f(async, async () => 1);", "f(xxxxx, async () => 1);"),
            ("a?[i] = b?.c ?? .5;", "a [i] = b .c ?? .5;"),
            (
                "g([type], a[property]); [field: B] int c;",
                "g([xxxx], a[xxxxxxxx]); [field: B] int c;",
            ),
            ("  extension(A b)\n  { }\n", "  class x       \n  { }\n"),
        ] {
            assert_eq!(super::downleveled(newer).as_deref(), Some(expected));
        }
    }
}
