//! Text as a person is shown it.

/// Invisible, bidirectional and control characters made visible, so that what is asked is what
/// will be done.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}')
            || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
            || matches!(c, '\u{E0000}'..='\u{E007F}')
    };
    text.chars()
        .map(|c| if hidden(c) { c.escape_unicode().to_string() } else { c.to_string() })
        .collect()
}
