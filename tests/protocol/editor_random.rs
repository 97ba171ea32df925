//! Random edits carry random selections along as a slow and obvious model does.

use serde_json::json;
use tests::{Encoding, Server, position_at};

use crate::editor_state::ranges;

/// A small generator of numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn text(&mut self) -> String {
        const TEXT_PIECES: [&str; 7] = ["a", "b ", "\n", "\u{e9}", "\u{1f600}", "\u{301}", ""];
        (0..self.below(5)).map(|_| TEXT_PIECES[self.below(TEXT_PIECES.len())]).collect()
    }
}

/// The reference model: every character has a unique number, and selections are sets of numbers.
struct Numbered {
    characters: Vec<(char, u64)>,
    next: u64,
}

impl Numbered {
    fn text(&self) -> String {
        self.characters.iter().map(|(c, _)| c).collect()
    }

    fn offset(&self, at: usize) -> usize {
        self.characters[..at].iter().map(|(c, _)| c.len_utf8()).sum()
    }

    /// Replaces characters; whether what is selected has been touched is the result.
    fn replace(&mut self, from: usize, to: usize, new: &str, selected: &[u64]) -> bool {
        let at = |id: u64| self.characters.iter().position(|(_, own)| *own == id).unwrap();
        let (first, end) = (at(selected[0]), at(selected[selected.len() - 1]) + 1);
        let touched = to > first && from < end && !(from == to && new.is_empty());
        let next = &mut self.next;
        let numbered = new.chars().map(|c| {
            *next += 1;
            (c, *next)
        });
        let numbered: Vec<_> = numbered.collect();
        self.characters.splice(from..to, numbered);
        touched
    }
}

#[test]
fn random_edits_move_selections_like_a_simple_model() {
    for (seed, encoding) in [(1, Encoding::Utf8), (2, Encoding::Utf16), (3, Encoding::Utf32)] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", "");
        let (mut version, mut carried, mut lost) = (1, 0, 0);
        for round in 0..120 {
            let start: String = (0..8).map(|_| random.text()).collect();
            let start = format!("x{start}y");
            server.type_in("a.txt", &[json!({ "text": start })]);
            version += 1;
            let characters = start.chars().zip(1..).collect::<Vec<_>>();
            let mut model = Numbered { next: characters.len() as u64, characters };
            let first = random.below(model.characters.len());
            let end = first + 1 + random.below((model.characters.len() - first).min(6));
            let ids: Vec<u64> = model.characters[first..end].iter().map(|(_, id)| *id).collect();
            let span = (model.offset(first), model.offset(end));
            let report = json!({
                "activeUri": server.uri("a.txt"),
                "selections": ranges(&server, &start, &[span]),
            });
            // At once; or late, naming the version.
            let late = round % 2 == 0;
            if !late {
                server.report(report.clone());
            }
            let mut touched = false;
            let reported_at = version;
            for _ in 0..1 + random.below(6) {
                let mut changes = Vec::new();
                for _ in 0..1 + random.below(2) {
                    let before = model.text();
                    let from = random.below(model.characters.len() + 1);
                    let to = from + random.below((model.characters.len() - from).min(3) + 1);
                    let (a, b) = (model.offset(from), model.offset(to));
                    let new = random.text();
                    let place = |at| position_at(&before, at, encoding);
                    let range = json!({ "start": place(a), "end": place(b) });
                    changes.push(json!({ "range": range, "text": new }));
                    touched = touched || model.replace(from, to, &new, &ids);
                    if touched {
                        break;
                    }
                }
                server.type_in("a.txt", &changes);
                version += 1;
                if touched {
                    break;
                }
            }
            if late {
                let mut report = report;
                report["version"] = reported_at.into();
                server.report(report);
            }
            let found = server.tool("get_selection", json!({}));
            match (touched, found) {
                (true, found) => {
                    assert_eq!(found.unwrap_err().code, "E_CONFLICT");
                    lost += 1;
                }
                (false, found) => {
                    let found = found.unwrap_or_else(|e| panic!("round {round}: {}", e.data));
                    let at = model.characters.iter().position(|(_, id)| *id == ids[0]).unwrap();
                    let place = position_at(&model.text(), model.offset(at), Encoding::Utf16);
                    assert_eq!(found["content"], start[span.0..span.1], "round {round}");
                    assert_eq!(found["start_line"], place["line"].as_u64().unwrap() + 1);
                    assert_eq!(found["start_column"], place["character"].as_u64().unwrap() + 1);
                    carried += 1;
                }
            }
        }
        assert!(carried > 20 && lost > 20, "{carried} carried, {lost} lost: one is hardly tested");
    }
}
