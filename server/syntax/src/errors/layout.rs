//! Tabs and spaces that do not go together, where how deep a line stands is part of the language.

use super::SyntaxError;

/// Most that is told of one text.
const MOST: usize = 20;

/// Lines that stand deeper or less deep, or as deep, only by how wide a tab is taken to be: the
/// language itself refuses them. `lines` are where lines start that begin a statement, after their
/// blanks.
pub(super) fn mixed(source: &str, lines: &[usize]) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    // The lines around, outermost first: their widths with wide tabs, with narrow ones, and where.
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
            if errors.len() >= MOST {
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
            // As deep as what stands before it.
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
