//! A static embedding model that is built in: texts of similar meaning get vectors of a small angle.
//!
//! Each word of a text has a vector ([`table`]), and the text's vector is their mean. No network runs, so a
//! text costs about as much as finding its words ([`words`]). `distil.py` made the table from the sentence
//! model all-MiniLM-L6-v2; docs/knowledge.md has its figures. This crate does not know files or tools.

mod signs;
mod table;
mod words;

use std::sync::OnceLock;

pub use crate::signs::{SignQuery, Signs};
use crate::table::Table;
pub use crate::words::for_each_word;

/// The name of the model, for results and for what is stored of its vectors. It changes with the table.
pub const MODEL: &str = "tandem-static-1";

fn table() -> &'static Table<'static> {
    static TABLE: OnceLock<Table<'static>> = OnceLock::new();
    TABLE.get_or_init(|| Table::parse(include_bytes!("model.bin")).unwrap_or_default())
}

/// The number of dimensions of all vectors.
#[must_use]
pub fn dimensions() -> usize {
    table().dimensions()
}

/// The vector of a text, of length 1; zero for a text without known words, such as one in another script.
/// Its time grows with the text's length: limit that first.
#[must_use]
pub fn embed(text: &str) -> Vec<f32> {
    let table = table();
    let mut sum = vec![0.0; table.dimensions()];
    for_each_word(text, |word| table.add(word, &mut sum));
    let length = dot(&sum, &sum).sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}

/// The cosine of the angle between two vectors of [`embed`]: 1 for the same meaning, around 0 for none in
/// common. It is 0 if the vectors have different dimensions.
#[must_use]
pub fn similarity(one: &[f32], other: &[f32]) -> f32 {
    if one.len() == other.len() { dot(one, other) } else { 0.0 }
}

/// Sums in eight lanes, which compilers turn into vector instructions; a plain sum must keep its order.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (one, other) in ones.zip(others) {
        for (lane, (a, b)) in lanes.iter_mut().zip(one.iter().zip(other)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: &str, other: &str) -> f32 {
        similarity(&embed(one), &embed(other))
    }

    #[test]
    fn the_table_is_whole() {
        assert_eq!(dimensions(), 256);
        assert!(table().len() > 25_000);
    }

    #[test]
    fn vectors_have_length_one_or_zero() {
        for text in ["x", "the", "read_file", "a longer text, with 3 numbers: 1 2 3"] {
            let vector = embed(text);
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4, "{text}");
        }
        for text in ["", "…", "你好", "\u{0}\u{1}"] {
            assert!(embed(text).iter().all(|value| *value == 0.0), "{text}");
        }
        assert_eq!(similarity(&embed("x"), &[1.0]), 0.0);
    }

    #[test]
    fn similar_texts_are_nearer_than_others() {
        let query = "where are failed requests tried again";
        assert!(
            near(query, "fn retryWithBackoff(request)")
                > near(query, "fn parse_colour(text)") + 0.1
        );
        assert!(
            near("delete a folder", "remove_dir_all(path)") > near("delete a folder", "sqrt(x)")
        );
        assert!(near("café", "cafe") > 0.99);
    }

    #[test]
    fn identifiers_mean_what_their_words_mean() {
        assert!(near("parseHttpHeader", "parse_http_header") > 0.99);
        assert!(near("HTTPServer", "http server") > 0.99);
    }

    #[test]
    fn long_words_take_linear_time() {
        let vector = embed(&"a".repeat(1 << 16));
        assert!((dot(&vector, &vector) - 1.0).abs() < 1e-3);
    }
}
