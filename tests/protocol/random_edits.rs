//! Seeded random editing, held against the model editor: the server's text is the client's text.

use serde_json::json;
use tests::{Encoding, Server, position_at};

/// Texts that position arithmetic often gets wrong: every line ending, every UTF-8 length,
/// combining marks, a byte-order mark.
const TEXT_PIECES: [&str; 14] = [
    "a",
    "word ",
    "\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "\u{301}",
    "\u{4e2d}",
    "\u{1f600}",
    "\u{1f468}\u{200d}\u{1f469}",
    "\u{feff}",
    "\u{2028}",
    "\t",
    "",
];

/// A small generator of numbers (xorshift64*); what it gives depends on its seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn text(&mut self, pieces: usize) -> String {
        (0..self.below(pieces + 1)).map(|_| TEXT_PIECES[self.below(TEXT_PIECES.len())]).collect()
    }

    /// A place in `text` that a position can name: not inside of a character or of CR LF.
    fn random_offset(&mut self, text: &str) -> usize {
        loop {
            let at = self.below(text.len() + 1);
            if !text.is_char_boundary(at) {
                continue;
            }
            if !(text[..at].ends_with('\r') && text[at..].starts_with('\n')) {
                return at;
            }
        }
    }
}

#[test]
fn random_changes_keep_server_and_client_in_sync() {
    for (seed, encoding) in [(1, Encoding::Utf8), (2, Encoding::Utf16), (3, Encoding::Utf32)] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", &random.text(60));
        for step in 0..400 {
            let text = server.buffer("a.txt");
            let (one, other) = (random.random_offset(&text), random.random_offset(&text));
            let (start, end) = (one.min(other), one.max(other));
            // Mostly small, so that the text does not shrink to nothing.
            let end = if step % 5 == 0 || end - start < 8 { end } else { start };
            let range = json!({
                "start": position_at(&text, start, encoding),
                "end": position_at(&text, end, encoding),
            });
            let new = random.text(6);
            server.type_in("a.txt", &[json!({ "range": range, "text": new })]);
            if step % 10 == 9 {
                let buffer = server.buffer("a.txt");
                assert_eq!(server.read("a.txt"), buffer, "seed {seed}, step {step}");
            }
        }
    }
}

#[test]
fn random_patches_of_an_open_document_have_the_expected_result() {
    for (seed, encoding) in [(4, Encoding::Utf8), (5, Encoding::Utf16), (6, Encoding::Utf32)] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        let server = Server::builder("").encodings(&[encoding]).start();
        for round in 0..40 {
            // Numbered sections, so that each stands in one place only. One line ending a text:
            // patches do not bring their own.
            let line_end = ["\n", "\r\n"][random.below(2)];
            let piece = |random: &mut Random| random.text(12).replace(['\r', '\n'], line_end);
            let sections: Vec<String> =
                (0..8).map(|n| format!("<{n}>{}</{n}>", piece(&mut random))).collect();
            let text = sections.join(line_end);
            server.open_text("a.txt", &text);
            let mut expected = text.clone();
            let mut patches = Vec::new();
            for section in &sections {
                if random.below(2) == 0 {
                    let (open, close) = (&section[..3], &section[section.len() - 4..]);
                    let new = format!("{open}{}{close}", piece(&mut random));
                    expected = expected.replacen(section, &new, 1);
                    patches.push(json!({ "old_text": section, "new_text": new }));
                }
            }
            if patches.is_empty() {
                continue;
            }
            let arguments = json!({ "path": "a.txt", "patches": patches });
            match server.tool("apply_edit", arguments) {
                Ok(_) => assert_eq!(server.buffer("a.txt"), expected, "seed {seed}, round {round}"),
                // Refusing is allowed where line endings leave no one way to write it.
                Err(error) => {
                    assert_eq!(error.code, "E_GUARD", "seed {seed}, round {round}: {}", error.data);
                    assert_eq!(server.buffer("a.txt"), text, "seed {seed}, round {round}");
                }
            }
            assert_eq!(server.read("a.txt"), server.buffer("a.txt"), "seed {seed}, round {round}");
        }
    }
}
