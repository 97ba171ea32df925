//! Texts that ended the process.

use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax};
use text::Text;

fn survives(language: &str, source: &str) {
    let (language, go) = (Language::by_id(language).unwrap(), AtomicBool::new(false));
    let whole = Text::new(source);
    let syntax = Syntax::parse(language, &whole, None, &go).unwrap();
    assert!(syntax.root().end_byte() <= source.len());
    assert!(syntax.outline().len() <= 1000);
    let edited = Text::new(&format!("{source} a"));
    Syntax::parse(language, &edited, Some(&syntax), &go).unwrap();
}

#[test]
fn blocks_too_deep_for_the_scanner() {
    for sign in ["- ", ": ", "? ", "- &a ", "!t - "] {
        survives("yaml", &sign.repeat(2_000));
    }
    survives("yaml", &(0..400).map(|n| " ".repeat(n) + "a:\n").collect::<String>());
    survives("yaml", &(0..400).map(|n| " ".repeat(n) + "- # b\n").collect::<String>());
}

#[test]
fn indents_too_deep_for_the_scanner() {
    let blocks: String = (0..600).map(|n| " ".repeat(n) + "if x:\n").collect();
    survives("python", &format!("{blocks}{}y = f'a{{b}}'\n", " ".repeat(600)));
}

#[test]
fn heredocs_too_long_for_the_scanner() {
    for length in 1010..1030 {
        let word = "A".repeat(length);
        survives("ruby", &format!("x = <<{word}\na\n{word}\n"));
        survives("ruby", &format!("x = <<~\"{word}\"\na\n{word}\n"));
    }
}

#[test]
fn brackets_too_deep_for_the_parser() {
    for language in ["c", "rust", "json"] {
        survives(language, &"[(".repeat(100_000));
    }
}
