//! Text documents on ropes: decoding, line endings, positions in UTF-8/16/32, edits.
//!
//! This crate knows nothing of files, languages, protocols, threads or time. Data in, data out.
//!
//! [`Text`] is a rope: cloning it is O(1) and shares everything, an edit is O(log n). Offsets are
//! bytes of its UTF-8 text. Lines end with LF, CRLF or a lone CR, as LSP has them, and nothing
//! else ends a line.

mod change;
mod encoding;
mod line_endings;
mod position;
mod text;

pub use change::{Applied, Change};
pub use encoding::{DecodeError, Decoded, FileEncoding, decode, encode};
pub use line_endings::LineEndings;
pub use position::{Position, PositionEncoding, Range};
pub use text::Text;
