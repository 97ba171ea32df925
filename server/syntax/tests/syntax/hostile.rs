//! Texts that once crashed the process.

use std::sync::atomic::AtomicBool;

use syntax::{HighlightOptions, Indent, Language, Syntax};
use text::Text;

fn survives(language: &str, source: &str) {
    let (language, go) = (Language::by_id(language).unwrap(), AtomicBool::new(false));
    let whole = Text::new(source);
    let syntax = Syntax::parse(language, &whole, None, &go).unwrap();
    assert!(syntax.root().end_byte() <= source.len());
    assert!(syntax.outline(&go).unwrap().items.len() <= 1000);
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

#[test]
fn characters_that_the_scanner_has_no_table_for() {
    survives("bash", "{\u{9df58}");
    survives("bash", "echo {1..2\u{10fff0}} a{\u{f0000},b}\n");
    survives("make", "all:\n\techo {\u{9df58}\n");
}

/// Whether a token starts its line must not take time in proportion to its column. Lines that are
/// too long for a person are left alone.
#[test]
fn indents_of_one_long_line() {
    let language = Language::by_id("csharp").unwrap();
    let go = AtomicBool::new(false);
    let begun = std::time::Instant::now();
    for (repeated, known) in [(9_000, true), (50_000, false)] {
        let source = Text::new(&"* ::<)a".repeat(repeated));
        let syntax = Syntax::parse(language, &source, None, &go).unwrap();
        let indents = syntax.indents(0..1, "\t", &go).unwrap();
        let margin = Indent { whitespace: String::new(), is_certain: true };
        assert_eq!(indents, [known.then_some(margin)]);
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

/// Each step through such broken code checks a thousand matches in progress, which takes minutes;
/// it must be interruptible.
#[test]
fn slow_queries_can_be_interrupted() {
    let language = Language::by_id("csharp").unwrap();
    // Several lines, so that they are short enough to be indented.
    let source = Text::new(&("* ::<)a".repeat(6_000) + "\n").repeat(10));
    let (go, stop) = (AtomicBool::new(false), AtomicBool::new(true));
    let syntax = Syntax::parse(language, &source, None, &go).unwrap();
    let options = HighlightOptions { injections: true, cache: None, budget: None };
    let begun = std::time::Instant::now();
    assert_eq!(syntax.highlights(0..source.len(), options, &stop), None);
    assert_eq!(syntax.outline(&stop), None);
    assert_eq!(syntax.folds(&stop), None);
    assert_eq!(syntax.links(&stop), None);
    assert_eq!(syntax.runnables(&stop), None);
    assert_eq!(syntax.indents(0..10, "\t", &stop), None);
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    let style = Text::new(&"a { color: red }\n".repeat(1_000));
    let syntax = Syntax::parse(Language::by_id("css").unwrap(), &style, None, &go).unwrap();
    assert_eq!(syntax.colors(&stop), None);
}

/// Checkers that read a broken text byte by byte do so once, however long its lines are.
#[test]
fn quotes_on_one_long_line() {
    let go = AtomicBool::new(false);
    let begun = std::time::Instant::now();
    for (language, quotes) in
        [("rust", "'\\"), ("c", "'\\"), ("c", "a \"b\" ("), ("json", "\"{{\",")]
    {
        let source = Text::new(&quotes.repeat(200_000));
        let language = Language::by_id(language).unwrap();
        let syntax = Syntax::parse(language, &source, None, &go).unwrap();
        assert!(syntax.errors(200).len() <= 20, "{language:?}");
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

/// As deep as it is long, with an error at every second step: once took quadratic time.
#[test]
fn errors_deep_in_a_chain() {
    let language = Language::by_id("zig").unwrap();
    let text = Text::new(&"</a>".repeat(60_000));
    let syntax = Syntax::parse(language, &text, None, &AtomicBool::new(false)).unwrap();
    assert_eq!(syntax.unfiltered_errors(100).len(), 1);
}
