//! Whether some name matches two patterns.

/// Limit for a pattern, in bytes; longer ones count as overlapping anything.
const MAX_PATTERN_BYTES: usize = 300;

/// Whether some name may match both a shell `pattern` and a rule's pattern `other`, ignoring case.
/// Errs towards true: brackets and braces count as `*`. O(n·m).
pub(super) fn patterns_overlap(pattern: &str, other: &str) -> bool {
    // In a shell, a leading wildcard does not match a dot.
    if pattern.starts_with(['*', '?', '[']) && other.starts_with('.') {
        return false;
    }
    if pattern.len() > MAX_PATTERN_BYTES || other.len() > MAX_PATTERN_BYTES {
        return true;
    }
    let (pattern, other) = (simplified(pattern), simplified(other));
    // Dynamic programming from the end: `reached[j]` is whether `pattern[i..]` and `other[j..]`
    // have a match in common.
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

/// The pattern with nothing but literals, `?` and `*`.
fn simplified(pattern: &str) -> Vec<char> {
    let mut simplified = Vec::new();
    for c in pattern.to_uppercase().to_lowercase().chars() {
        match c {
            '[' | '{' | '\\' => {
                simplified.push('*');
                break;
            }
            c => simplified.push(c),
        }
    }
    simplified
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
            assert_eq!(patterns_overlap(a, b), wanted, "{a} {b}");
        }
    }
}
