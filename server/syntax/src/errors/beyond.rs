//! Constructs of a language that its grammar does not have yet. A text that holds one is read for its
//! brackets only: what the parser says of it is not known to be true.

/// Whether a text holds what its language has and its grammar has not.
pub(super) fn is_beyond_grammar(language: &str, source: &str) -> bool {
    match language {
        "java" => is_java(source),
        // RenderScript, a language like C of older Android projects, has the same ending.
        "rust" => source.lines().any(|line| line.trim_start().starts_with("#pragma ")),
        _ => false,
    }
}

fn is_java(source: &str) -> bool {
    source.lines().any(|line| {
        // Placeholders of a template that is filled in before it is compiled: `${name}`.
        let is_template = !line.contains('"') && line.contains("${");
        is_template
            || line.trim_start().starts_with("import module ")
            || line.contains("@ interface")
            || is_annotated_variadic(line)
            || line.contains(['€', '£', '¥', '¢'])
            || has_escaped_code(line)
    })
}

/// Most errors of a text in C#, beyond which it is newer than its grammar.
const MOST: usize = 12;

/// Whether errors on these lines may come of conditions between the parts of a declaration, or of a
/// language that is newer than the grammar.
pub(super) fn is_conditional(source: &str, lines: std::ops::Range<usize>, errors: usize) -> bool {
    /// Lines around an error that belong to the same declaration.
    const NEAR: usize = 16;
    let first = lines.start.saturating_sub(NEAR);
    errors > MOST
        || source.lines().skip(first).take(lines.end + NEAR - first).any(|line| {
            let line = line.trim_start();
            ["#if", "#el", "#endif"].iter().any(|word| line.starts_with(word))
        })
}

/// Whether an error on a line is made by one construct that the grammar lacks, and by nothing around.
pub(super) fn is_beyond_line(language: &str, line: &str, at: usize) -> bool {
    // A constructor may do something before it calls another (JEP 513).
    let calls = |word: &str| {
        line.get(at..)
            .and_then(|rest| rest.strip_prefix(word))
            .is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    match language {
        "java" => calls("super") || calls("this"),
        "csharp" => {
            has_nested_quote(line)
                || has_target_as_element(line)
                || assigns_to_call(line, at)
                || is_list_pattern(line.trim_start())
        }
        _ => false,
    }
}

/// Whether an interpolated string has a string in one of its holes, which C# 11 allows:
/// `$"{string.Join(",", names)}"`.
fn has_nested_quote(line: &str) -> bool {
    line.match_indices("$\"").any(|(at, open)| {
        let mut depth = 0_usize;
        for byte in line[at + open.len()..].bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'"' => return depth > 0,
                _ => {}
            }
        }
        false
    })
}

/// Whether a collection has one element that is called like the target of an attribute: `a = [type];`
fn has_target_as_element(line: &str) -> bool {
    const TARGETS: &[&str] =
        &["assembly", "event", "field", "method", "module", "param", "property", "type"];
    line.match_indices('[').any(|(at, _)| {
        let element = line[at + 1..].split(']').next().unwrap_or_default();
        let before = line[..at].trim_end();
        let is_value =
            before.ends_with(['=', '>', '(', ',', '?', ':']) || before.ends_with("return");
        is_value && TARGETS.contains(&element.trim())
    })
}

/// `f(a) = b`, where `f` returns a reference.
fn assigns_to_call(line: &str, at: usize) -> bool {
    line.get(..at).is_some_and(|before| before.trim_end().ends_with(')'))
        && line[at..].starts_with('=')
        && !line[at..].starts_with("==")
}

/// `case [] when a:`, `[_, ..] => b`
fn is_list_pattern(code: &str) -> bool {
    let code = code.strip_prefix("case").unwrap_or(code).trim_start();
    code.starts_with('[') && [" when ", "=>", "]:"].iter().any(|end| code.contains(end))
}

/// `String @NonNull ... names`
fn is_annotated_variadic(line: &str) -> bool {
    line.match_indices("...").any(|(at, _)| {
        let before = line[..at].trim_end();
        let word = before.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | ','));
        word.is_some_and(|space| before[space + 1..].starts_with('@'))
            || before.ends_with(')') && before.contains('@')
    })
}

/// `\u0061` outside of a text.
fn has_escaped_code(line: &str) -> bool {
    line.match_indices("\\u").any(|(at, _)| {
        let before = &line[..at];
        before.matches('"').count().is_multiple_of(2)
            && before.matches('\'').count().is_multiple_of(2)
    })
}
