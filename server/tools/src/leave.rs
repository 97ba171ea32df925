//! Leave to write where writing makes programs run.

use workspace::{Editor, FilePath};

use crate::{Code, ToolError};

/// Asks for leave to write files that editors or tools run (`.git`, `.vscode`, …).
pub(crate) fn to_write(tool: &str, path: &FilePath, editor: &dyn Editor) -> Result<(), ToolError> {
    if !path.is_guarded() {
        return Ok(());
    }
    let shown = visible(&path.shown());
    let question = format!("{tool} wants to write {shown}. Programs run what is written there.");
    match editor.ask(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(ToolError::new(Code::Denied, format!("{shown}: the person said no"))),
        None => Err(ToolError::new(
            Code::Denied,
            format!("{shown}: writing there needs a person's leave, and nobody could be asked"),
        )),
    }
}

/// Invisible, bidirectional and control characters made visible, so that what is asked is what
/// will be done.
fn visible(text: &str) -> String {
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
