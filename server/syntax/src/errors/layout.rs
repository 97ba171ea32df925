//! Inconsistent tabs and spaces, in languages with significant indentation.

use super::SyntaxError;

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;

/// Lines whose relative depth depends on the tab width, which the language rejects. `lines` are the
/// offsets after the indentation of lines that start a statement.
pub(super) fn mixed_indentation(source: &str, lines: &[usize]) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    // The enclosing lines, the outermost first: width with wide tabs, with narrow tabs, and offset.
    let mut around: Vec<(usize, usize, usize)> = vec![(0, 0, 0)];
    for &at in lines {
        let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let (mut wide, mut narrow) = (0, 0);
        for blank in source[start..at].chars() {
            match blank {
                '\t' => (wide, narrow) = ((wide / 8 + 1) * 8, narrow + 1),
                '\u{c}' => (wide, narrow) = (0, 0),
                _ => (wide, narrow) = (wide + 1, narrow + 1),
            }
        }
        while around.len() > 1 && around.last().is_some_and(|(w, _, _)| wide < *w) {
            around.pop();
        }
        let Some(&(around_wide, around_narrow, beside)) = around.last() else { continue };
        if wide.cmp(&around_wide) != narrow.cmp(&around_narrow) {
            let line = 1 + source[..beside].matches('\n').count();
            let (this, other) = (blanks(&source[start..at]), line_blanks(source, beside));
            if errors.len() >= MAX_ERRORS {
                break;
            }
            errors.push(SyntaxError {
                missing: None,
                span: start..at,
                message: format!(
                    "mixed indentation: this line begins with {this}, line {line} with {other}"
                ),
            });
        } else if wide > around_wide {
            around.push((wide, narrow, at));
        } else {
            // As deep as the line before.
            if let Some(last) = around.last_mut() {
                last.2 = at;
            }
        }
    }
    errors
}

fn line_blanks(source: &str, at: usize) -> &'static str {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    blanks(&source[start..at])
}

fn blanks(blanks: &str) -> &'static str {
    match (blanks.contains('\t'), blanks.contains(' ')) {
        (true, true) => "tabs and spaces",
        (true, false) => "tabs",
        (false, true) => "spaces",
        (false, false) => "neither",
    }
}
