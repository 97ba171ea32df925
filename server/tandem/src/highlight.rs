//! `tandem highlight`

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Color, Effects, Style};
use syntax::{Highlight, HighlightClass, Language};

use crate::cli::HighlightArgs;

/// The largest file that is highlighted, in bytes.
const LARGEST: u64 = 64 << 20;
/// How long that may take.
const LONGEST: Duration = Duration::from_secs(10);

/// How a class looks: of the first part of its name that is listed here, in a terminal and on a page
/// of light or dark ground.
struct Look {
    name: &'static str,
    terminal: Style,
    light: &'static str,
    dark: &'static str,
}

const fn look(
    name: &'static str,
    colour: AnsiColor,
    light: &'static str,
    dark: &'static str,
) -> Look {
    Look { name, terminal: Style::new().fg_color(Some(Color::Ansi(colour))), light, dark }
}

static LOOKS: &[Look] = &[
    look("attribute", AnsiColor::Yellow, "#7a5c00", "#e2c08d"),
    look("boolean", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    look("comment", AnsiColor::BrightBlack, "#6a737d", "#8b949e"),
    look("constant", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    look("constructor", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    look("error", AnsiColor::Red, "#b00020", "#ff7b88"),
    look("escape", AnsiColor::BrightCyan, "#0f7a5a", "#8fe0c0"),
    look("function", AnsiColor::Blue, "#1f4fbf", "#8ab4ff"),
    look("keyword", AnsiColor::Magenta, "#8a1f8f", "#e08aeb"),
    look("label", AnsiColor::Yellow, "#7a5c00", "#e2c08d"),
    look("markup.heading", AnsiColor::BrightBlue, "#1f4fbf", "#8ab4ff"),
    look("markup.link", AnsiColor::BrightCyan, "#00627a", "#7fd4e8"),
    look("markup.raw", AnsiColor::Green, "#22702a", "#a5d6a0"),
    look("namespace", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    look("number", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    look("property", AnsiColor::BrightBlue, "#20567f", "#a8cdf0"),
    look("string", AnsiColor::Green, "#22702a", "#a5d6a0"),
    look("tag", AnsiColor::Red, "#a3324a", "#ff9aa8"),
    look("tag.attribute", AnsiColor::BrightBlue, "#20567f", "#a8cdf0"),
    look("type", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    look("variable.builtin", AnsiColor::Magenta, "#8a1f8f", "#e08aeb"),
    look("variable.parameter", AnsiColor::BrightYellow, "#5f5140", "#d8cbb8"),
];

fn look_of(class: HighlightClass) -> Option<&'static Look> {
    let mut name = class.name();
    loop {
        if let Some(found) = LOOKS.iter().find(|look| look.name == name) {
            return Some(found);
        }
        name = name.rsplit_once('.')?.0;
    }
}

fn effects_of(class: HighlightClass) -> Effects {
    match class.name() {
        "markup.bold" | "markup.heading" => Effects::BOLD,
        "markup.italic" => Effects::ITALIC,
        "markup.strikethrough" => Effects::STRIKETHROUGH,
        _ => Effects::new(),
    }
}

pub(crate) fn run(args: &HighlightArgs) -> ExitCode {
    let shown = args.file.display();
    let source = match read(&args.file) {
        Ok(source) => source,
        Err(error) => {
            anstream::eprintln!("tandem highlight: {shown}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let language = match &args.language {
        Some(called) => Language::called(called),
        None => Language::detect(&name, &source),
    };
    let Some(language) = language else {
        let which = args.language.as_deref().unwrap_or("its language");
        anstream::eprintln!(
            "tandem highlight: {shown}: {which} is not known; see tandem languages"
        );
        return ExitCode::FAILURE;
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let watched = is_over.clone();
    std::thread::spawn(move || {
        std::thread::sleep(LONGEST);
        watched.store(true, Ordering::Relaxed);
    });
    let highlights = syntax::highlight(language, &source, &is_over).unwrap_or_else(|| {
        anstream::eprintln!("tandem highlight: {shown}: takes too long to parse: plain text");
        Vec::new()
    });
    let text = match args.html {
        true => html(&source, &highlights, &name),
        false => coloured(&source, &highlights),
    };
    crate::out::write(format_args!("{text}"));
    ExitCode::SUCCESS
}

fn read(path: &Path) -> std::io::Result<String> {
    let bytes = crate::input::read(path, LARGEST)?;
    let decoded = text::decode(bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
    Ok(decoded.text)
}

/// The text in pieces, each with its class.
fn pieces<'s>(source: &'s str, highlights: &[Highlight]) -> Vec<(&'s str, Option<HighlightClass>)> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    for Highlight { span, class } in highlights {
        let (Some(before), Some(piece)) = (source.get(at..span.start), source.get(span.clone()))
        else {
            continue;
        };
        pieces.push((before, None));
        pieces.push((piece, Some(*class)));
        at = span.end;
    }
    pieces.push((source.get(at..).unwrap_or_default(), None));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

fn coloured(source: &str, highlights: &[Highlight]) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    for (piece, class) in pieces(source, highlights) {
        // A file's own escape sequences are shown, not obeyed.
        let piece: String = piece
            .chars()
            .map(
                |c| if c.is_control() && !matches!(c, '\n' | '\t' | '\r') { '\u{fffd}' } else { c },
            )
            .collect();
        let style = class.and_then(look_of).map_or(Style::new(), |look| look.terminal);
        let style = style.effects(class.map_or(Effects::new(), effects_of));
        // Each line by itself, so that pagers keep the colours.
        for line in piece.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            let _ = write!(out, "{style}{line}{style:#}{end}");
        }
    }
    out
}

fn html(source: &str, highlights: &[Highlight], title: &str) -> String {
    let mut style = String::new();
    for (theme, colour) in [("", 0), ("dark", 1)] {
        let rules: String = HighlightClass::all()
            .filter_map(|class| {
                let look = look_of(class)?;
                let colour = if colour == 0 { look.light } else { look.dark };
                Some(format!(".{}{{color:{colour}}}", class.name().replace('.', "-")))
            })
            .collect();
        style += &match theme {
            "" => rules,
            _ => format!(
                "@media(prefers-color-scheme:dark){{body{{background:#16181d;color:#d7dae0}}{rules}}}"
            ),
        };
    }
    style += ".markup-bold,.markup-heading{font-weight:bold}.markup-italic{font-style:italic}";
    style += ".markup-strikethrough{text-decoration:line-through}";
    let mut body = String::with_capacity(source.len() * 2);
    for (piece, class) in pieces(source, highlights) {
        let escaped = escaped(piece);
        let _ = match class {
            Some(class) => {
                write!(body, "<span class=\"{}\">{escaped}</span>", class.name().replace('.', "-"))
            }
            None => write!(body, "{escaped}"),
        };
    }
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>body{{margin:2em;\
         background:#fff;color:#24292e}}pre{{font:14px/1.5 ui-monospace,monospace;tab-size:4}}\
         {style}</style>\n<pre>{body}</pre>\n",
        escaped(title)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
