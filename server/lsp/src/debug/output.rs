//! What programs write, on its way to a client: bounded, and several pieces at once.

use ::debug::{Piece, Session};
use serde_json::{Value, json};

/// Most that is told at a time, in bytes: what a program writes faster is left out, and said to be.
/// `debug_output` still reads it.
const MOST: usize = 64 << 10;

/// The output of a session after `cursor`, as `tandem/didOutput`, and where it goes on.
pub(super) fn since(session: &Session, cursor: u64, end: u64) -> (Vec<Value>, u64) {
    let chunk = session.output(cursor, MOST, None);
    let (mut told, mut next) = (messages(session.id(), chunk.pieces), chunk.cursor);
    let mut lost = chunk.lost;
    if chunk.more {
        let end = end.max(chunk.cursor);
        lost += end - chunk.cursor;
        next = end;
    }
    if lost > 0 {
        told.push(
            json!({ "session": session.id(), "category": "console", "text": "", "lost": lost }),
        );
    }
    (told, next)
}

/// Pieces of one stream that follow each other are one message.
fn messages(session: u64, pieces: Vec<Piece>) -> Vec<Value> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.category == piece.category => last.text.push_str(&piece.text),
            _ => joined.push(piece),
        }
    }
    let told = joined.into_iter().map(|piece| {
        let text = tools::shown_text(&piece.text);
        json!({ "session": session, "category": piece.category, "text": text })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_written_piece_by_piece_is_told_at_once() {
        let piece = |category: &str, text: &str| Piece {
            category: category.to_owned(),
            text: text.to_owned(),
        };
        let told =
            messages(3, vec![piece("stdout", "a"), piece("stdout", "b"), piece("stderr", "c")]);
        let text =
            |n: usize| (told[n]["category"].as_str().unwrap(), told[n]["text"].as_str().unwrap());
        assert_eq!((told.len(), text(0), text(1)), (2, ("stdout", "ab"), ("stderr", "c")));
    }
}
