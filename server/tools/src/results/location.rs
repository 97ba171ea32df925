//! Locations in results.

use text::Text;
use workspace::Location;

use crate::Context;

/// Longest returned line, in characters.
const MAX_LINE_CHARS: usize = 200;

/// A location with its path, unless rules hide its file.
pub fn visible(context: &Context<'_>, found: Location) -> Option<(Location, Option<String>)> {
    let path = visible_path(context, &found.uri)?;
    Some((found, path))
}

/// The path of a document, unless rules hide its file.
pub fn visible_path(context: &Context<'_>, uri: &str) -> Option<Option<String>> {
    match context.snapshot.locate_to_read(uri) {
        Ok(path) => context.may_read(&path).then(|| Some(path.display_path())),
        // An open document outside the workspace: the client itself sent it.
        Err(_) => Some(None),
    }
}

/// The line around an offset, trimmed and shortened.
pub fn line_at(text: &Text, offset: usize) -> String {
    let line = text.line(text.line_of(offset.min(text.len())));
    let line = line.trim();
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}\u{2026}", &line[..end]),
        None => line.to_owned(),
    }
}

/// A confidence, rounded to hundredths.
pub fn rounded(confidence: f32) -> f64 {
    (f64::from(confidence) * 100.0).round() / 100.0
}
