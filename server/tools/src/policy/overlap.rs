//! Whether two patterns of names have a name in common.

/// Most characters of a pattern; longer ones may have anything in common.
const LONGEST: usize = 300;

/// Whether a name may match both a shell's `pattern` and the `other` of a rule, whatever the case.
/// Errs on the side of yes: brackets and braces stand for anything. Takes time in proportion to the
/// product of their lengths.
pub(super) fn overlap(pattern: &str, other: &str) -> bool {
    // A shell's pattern does not stand for the dot at the beginning of a name.
    if pattern.starts_with(['*', '?', '[']) && other.starts_with('.') {
        return false;
    }
    if pattern.len() > LONGEST || other.len() > LONGEST {
        return true;
    }
    let (pattern, other) = (simple(pattern), simple(other));
    // `reached[j]`: what is left of `pattern` and `other[j..]` may be the same text.
    let mut reached = vec![false; other.len() + 1];
    for i in (0..=pattern.len()).rev() {
        let before = reached.clone();
        for j in (0..=other.len()).rev() {
            let (a, b) = (pattern.get(i).copied(), other.get(j).copied());
            reached[j] = match (a, b) {
                (None, None) => true,
                (Some('*'), _) if before[j] => true,
                (_, Some('*')) if reached[j + 1] => true,
                (Some('*'), Some(_)) => reached[j + 1],
                (Some(_), Some('*')) => before[j],
                (Some(a), Some(b)) => (a == b || a == '?' || b == '?') && before[j + 1],
                _ => false,
            };
        }
    }
    reached[0]
}

/// A pattern of nothing but characters, `?` and `*`.
fn simple(pattern: &str) -> Vec<char> {
    let mut simple = Vec::new();
    for c in pattern.to_uppercase().to_lowercase().chars() {
        match c {
            '[' | '{' | '\\' => {
                simple.push('*');
                break;
            }
            c => simple.push(c),
        }
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_overlap_where_a_name_matches_both() {
        for (a, b, wanted) in [
            (".en?", ".env", true),
            (".e*", ".env", true),
            (".*", ".env", true),
            ("*", ".env", false),
            ("*.rs", "*.pem", false),
            ("*.p*", "*.pem", true),
            ("a*", "*.pem", true),
            (".[e]nv", ".env", true),
            (".ENV", ".env", true),
            ("secret?", "secrets", true),
            ("x", "y", false),
            ("x", "*", true),
            ("", "*", true),
            ("", "x", false),
            ("a*b*c", "ab?c", true),
            ("a*b*c", "ab?d", false),
            ("x.rs", "{a,b}", true),
        ] {
            assert_eq!(overlap(a, b), wanted, "{a} {b}");
        }
    }
}
