//! Shows what the queries find in a file, as an aid for writing them: `show FILE
//! [outline|highlights|colours|folds|indents|links|errors|tree]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::sync::atomic::AtomicBool;

use syntax::{Highlight, Language, OutlineItem, Syntax};
use text::Text;

fn main() {
    let mut words = std::env::args().skip(1);
    let (Some(file), what) = (words.next(), words.next()) else {
        return eprintln!(
            "usage: show FILE [outline|highlights|colours|folds|indents|links|errors|tree]"
        );
    };
    let source = match std::fs::read(&file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return eprintln!("{file}: {error}"),
    };
    let name = file.rsplit('/').next().unwrap_or_default();
    let Some(language) = Language::detect(name, &source) else {
        return eprintln!("{file}: no known language");
    };
    let go = AtomicBool::new(false);
    let text = Text::new(&source);
    let Some(syntax) = Syntax::parse(language, &text, None, &go) else { return };
    let highlights = || syntax::highlight(language, &source, &go).unwrap_or_default();
    match what.as_deref().unwrap_or("outline") {
        "outline" => outline(&syntax.outline(&go).unwrap_or_default().items, 0, &text),
        "highlights" => {
            for Highlight { span, class } in highlights() {
                let line = text.line_of(span.start) + 1;
                println!("{line:5} {:24} {:?}", class.name(), text.slice(span));
            }
        }
        "colours" => colours(&source, &highlights()),
        "folds" => {
            for fold in syntax.folds(&go).unwrap_or_default() {
                println!("{:5}-{:<5} {:?}", fold.lines.0 + 1, fold.lines.1 + 1, fold.kind);
            }
        }
        "indents" => {
            let unit = syntax::indent_unit(&text, language.default_indent());
            let indents = syntax.indents(0..text.line_count(), &unit, &go).unwrap_or_default();
            for (line, indent) in indents.into_iter().enumerate() {
                let said = indent.map_or("  ·".to_owned(), |i| {
                    format!("{:3}{}", i.whitespace.len(), if i.is_certain { " " } else { "?" })
                });
                println!("{said} {}", text.line(line));
            }
        }
        "links" => {
            for span in syntax.links(&go).unwrap_or_default() {
                println!("{:5} {}", text.line_of(span.start) + 1, text.slice(span));
            }
        }
        "errors" => {
            for error in syntax.unfiltered_errors(100) {
                println!("{:5} {}", text.line_of(error.span.start) + 1, error.message);
            }
        }
        _ => println!("{}", syntax.root().to_sexp()),
    }
}

fn outline(items: &[OutlineItem], depth: usize, text: &Text) {
    for item in items {
        let line = text.line_of(item.name_span.start) + 1;
        let detail = item.detail.as_deref().unwrap_or_default();
        println!("{line:5} {}{} {} {detail}", "  ".repeat(depth), item.kind.as_str(), item.name);
        outline(&item.children, depth + 1, text);
    }
}

/// A terminal colour for a highlight class, by the first part of its name.
fn colours(source: &str, highlights: &[Highlight]) {
    let mut at = 0;
    for Highlight { span, class } in highlights {
        let colour = match class.name().split('.').next().unwrap_or_default() {
            "comment" => 90,
            "string" | "escape" => 32,
            "keyword" => 35,
            "function" => 34,
            "type" | "constructor" | "tag" => 33,
            "number" | "boolean" | "constant" => 36,
            "attribute" | "label" => 95,
            "property" => 94,
            "markup" => 93,
            "error" => 41,
            _ => 39,
        };
        print!("{}\x1b[{colour}m{}\x1b[0m", &source[at..span.start], &source[span.clone()]);
        at = span.end;
    }
    println!("{}", &source[at..]);
}
