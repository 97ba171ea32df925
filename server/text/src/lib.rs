//! Text documents as ropes: decoding, line endings, positions in UTF-8/16/32, edits.
//!
//! Start with [`Text`], a rope: cloning it is O(1) and shares all content, an edit is O(log n).
//! Then
//! [`Position`] and [`Change`]. Offsets are bytes of UTF-8. As in LSP, only LF, CRLF and a lone CR
//! end a line.
//!
//! It knows nothing of files, languages, protocols, threads or time.

mod change;
mod encoding;
mod line_endings;
mod position;
mod text;

pub use change::{Applied, ContentChange};
pub use encoding::{DecodeError, Decoded, FileEncoding, decode, encode};
pub use line_endings::LineEndings;
pub use position::{Position, PositionEncoding, Range};
pub use text::Text;
