//! Program output on its way to the client: bounded, with adjacent pieces joined.

use ::debug::{OutputPiece, Session};
use serde_json::{Value, json};

/// Most bytes sent at a time. What a program writes faster is dropped and counted as lost;
/// `debug_output` still returns it.
const MAX_BYTES: usize = 64 << 10;

/// The output of a session after `cursor` as `tandem/didOutput` messages, and the next cursor.
pub(super) fn output_since(session: &Session, cursor: u64, end: u64) -> (Vec<Value>, u64) {
    let chunk = session.output(cursor, MAX_BYTES, None);
    let (mut messages, mut next) = (join_pieces(session.id(), chunk.pieces), chunk.cursor);
    let mut lost = chunk.lost;
    // More than fits: skip to the end, so that the client sees current output.
    if chunk.more {
        let end = end.max(chunk.cursor);
        lost += end - chunk.cursor;
        next = end;
    }
    if lost > 0 {
        messages.push(
            json!({ "session": session.id(), "category": "console", "text": "", "lost": lost }),
        );
    }
    (messages, next)
}

/// Joins adjacent pieces of one stream into one message.
fn join_pieces(session: u64, pieces: Vec<OutputPiece>) -> Vec<Value> {
    let mut joined: Vec<OutputPiece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.category == piece.category => last.text.push_str(&piece.text),
            _ => joined.push(piece),
        }
    }
    let messages = joined.into_iter().map(|piece| {
        let text = debug_tools::shown_text(&piece.text);
        json!({ "session": session, "category": piece.category, "text": text })
    });
    messages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_pieces_of_one_stream_are_joined() {
        let piece = |category: &str, text: &str| OutputPiece {
            category: category.to_owned(),
            text: text.to_owned(),
        };
        let messages =
            join_pieces(3, vec![piece("stdout", "a"), piece("stdout", "b"), piece("stderr", "c")]);
        let text = |n: usize| {
            (messages[n]["category"].as_str().unwrap(), messages[n]["text"].as_str().unwrap())
        };
        assert_eq!((messages.len(), text(0), text(1)), (2, ("stdout", "ab"), ("stderr", "c")));
    }
}
