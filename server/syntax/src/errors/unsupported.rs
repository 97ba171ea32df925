//! Valid syntax that the grammar does not support. In a text that uses it, only bracket errors are
//! reported, because the tree's errors may be wrong.

/// Whether a text uses syntax that the grammar does not support.
pub(super) fn has_unsupported_syntax(language: &str, source: &str) -> bool {
    match language {
        "java" => uses_unsupported_java(source),
        // RenderScript, a C dialect of older Android projects, has the same file extension.
        "rust" => source.lines().any(|line| line.trim_start().starts_with("#pragma ")),
        _ => false,
    }
}

/// Whether a text with an extension of C or C++ is in another language: Objective-C, C++/CX or assembly. O(text).
pub(super) fn is_other_than_c(source: &str) -> bool {
    let starts_line = |word: &str| {
        memchr::memmem::find_iter(source.as_bytes(), word)
            .any(|at| source[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty()))
    };
    ["@interface ", "@protocol ", "@implementation "].iter().any(|word| starts_line(word))
        || ["ref new ", "ref class "].iter().any(|word| source.contains(word))
        || starts_line(".macro ") && starts_line(".endm")
}

fn uses_unsupported_java(source: &str) -> bool {
    source.lines().any(|line| {
        // Placeholders of a template: `${name}`.
        let is_template = !line.contains('"') && line.contains("${");
        is_template
            || line.trim_start().starts_with("import module ")
            || line.contains("@ interface")
            || is_annotated_variadic(line)
            || line.contains(['€', '£', '¥', '¢'])
            || has_escaped_code(line)
    })
}

/// If a C# text has more errors than this, it is assumed to be newer than the grammar.
const MAX_CSHARP_ERRORS: usize = 12;

/// Whether errors on these lines may be caused by conditional compilation within a declaration, or
/// by syntax newer than the grammar.
pub(super) fn may_be_conditional_code(
    source: &str,
    lines: std::ops::Range<usize>,
    errors: usize,
) -> bool {
    /// How many lines around an error may belong to the same declaration.
    const DECLARATION_LINES: usize = 16;
    let first = lines.start.saturating_sub(DECLARATION_LINES);
    errors > MAX_CSHARP_ERRORS
        || source.lines().skip(first).take(lines.end + DECLARATION_LINES - first).any(|line| {
            let line = line.trim_start();
            ["#if", "#el", "#endif"].iter().any(|word| line.starts_with(word))
        })
}

/// Whether an error on a line is caused by a single unsupported construct.
pub(super) fn has_unsupported_syntax_on_line(language: &str, line: &str, at: usize) -> bool {
    // Statements before a constructor call (JEP 513).
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

/// Whether an interpolated string has a nested string, which C# 11 allows: `$"{string.Join(",",
/// names)}"`.
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

/// Whether a collection has a single element named like an attribute target: `a = [type];`
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

/// `\u0061` outside of a string.
fn has_escaped_code(line: &str) -> bool {
    line.match_indices("\\u").any(|(at, _)| {
        let before = &line[..at];
        before.matches('"').count().is_multiple_of(2)
            && before.matches('\'').count().is_multiple_of(2)
    })
}
