//! Texts of files of programs.

use std::path::Path;

use text::Text;
use tools::Context;

/// The text, unsaved changes included.
pub(super) fn current_text(context: &Context<'_>, file: &Path) -> Option<Text> {
    let located = context.snapshot.locate_absolute(file).ok()?;
    context.snapshot.read(&located).ok().map(|read| read.text)
}

/// The text on disk.
pub(super) fn saved_text(context: &Context<'_>, file: &Path) -> Option<Text> {
    let located = context.snapshot.locate_absolute(file).ok()?;
    if context.snapshot.open_document(&located).is_none() {
        return context.snapshot.read(&located).ok().map(|read| read.text);
    }
    let bytes = context.snapshot.read_bytes(&located).ok()?.bytes;
    Some(Text::new(&String::from_utf8(bytes).ok()?))
}
