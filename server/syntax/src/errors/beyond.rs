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
const MOST: usize = 4;

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
    language == "java" && (calls("super") || calls("this"))
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
