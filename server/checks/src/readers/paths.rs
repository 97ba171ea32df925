//! Output that is a path a line, as formatters list files.

use super::lines::LineFormat;
use crate::findings::Findings;

/// The format.
pub(crate) struct Paths;

impl LineFormat for Paths {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let line = line.trim();
        if !line.is_empty() {
            found.file(line.to_owned());
        }
    }
}
