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

/// Largest file highlighted, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Time limit for parsing.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The style of a highlight class in the terminal, and its colors in the light and dark HTML themes. A
/// class without an entry uses its parent's.
struct ClassStyle {
    name: &'static str,
    terminal: Style,
    light: &'static str,
    dark: &'static str,
}

const fn class_style(
    name: &'static str,
    color: AnsiColor,
    light: &'static str,
    dark: &'static str,
) -> ClassStyle {
    ClassStyle { name, terminal: Style::new().fg_color(Some(Color::Ansi(color))), light, dark }
}

static CLASS_STYLES: &[ClassStyle] = &[
    class_style("attribute", AnsiColor::Yellow, "#7a5c00", "#e2c08d"),
    class_style("boolean", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    class_style("comment", AnsiColor::BrightBlack, "#6a737d", "#8b949e"),
    class_style("constant", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    class_style("constructor", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    class_style("error", AnsiColor::Red, "#b00020", "#ff7b88"),
    class_style("escape", AnsiColor::BrightCyan, "#0f7a5a", "#8fe0c0"),
    class_style("function", AnsiColor::Blue, "#1f4fbf", "#8ab4ff"),
    class_style("keyword", AnsiColor::Magenta, "#8a1f8f", "#e08aeb"),
    class_style("label", AnsiColor::Yellow, "#7a5c00", "#e2c08d"),
    class_style("markup.heading", AnsiColor::BrightBlue, "#1f4fbf", "#8ab4ff"),
    class_style("markup.link", AnsiColor::BrightCyan, "#00627a", "#7fd4e8"),
    class_style("markup.raw", AnsiColor::Green, "#22702a", "#a5d6a0"),
    class_style("namespace", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    class_style("number", AnsiColor::Cyan, "#00627a", "#7fd4e8"),
    class_style("property", AnsiColor::BrightBlue, "#20567f", "#a8cdf0"),
    class_style("string", AnsiColor::Green, "#22702a", "#a5d6a0"),
    class_style("tag", AnsiColor::Red, "#a3324a", "#ff9aa8"),
    class_style("tag.attribute", AnsiColor::BrightBlue, "#20567f", "#a8cdf0"),
    class_style("type", AnsiColor::Yellow, "#8a4b00", "#f0b878"),
    class_style("variable.builtin", AnsiColor::Magenta, "#8a1f8f", "#e08aeb"),
    class_style("variable.parameter", AnsiColor::BrightYellow, "#5f5140", "#d8cbb8"),
];

fn style_of(class: HighlightClass) -> Option<&'static ClassStyle> {
    let mut name = class.name();
    loop {
        if let Some(found) = CLASS_STYLES.iter().find(|style| style.name == name) {
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
        Some(called) => Language::by_name(called),
        None => Language::detect(&name, &source),
    };
    let Some(language) = language else {
        let which = args.language.as_deref().unwrap_or("its language");
        anstream::eprintln!(
            "tandem highlight: {shown}: {which} is not supported; see `tandem languages`"
        );
        return ExitCode::FAILURE;
    };
    let is_timed_out = Arc::new(AtomicBool::new(false));
    let watched = is_timed_out.clone();
    std::thread::spawn(move || {
        std::thread::sleep(TIME_LIMIT);
        watched.store(true, Ordering::Relaxed);
    });
    let highlights = syntax::highlight(language, &source, &is_timed_out).unwrap_or_else(|| {
        anstream::eprintln!("tandem highlight: {shown}: parsing timed out, printed as plain text");
        Vec::new()
    });
    let text = match args.html {
        true => html(&source, &highlights, &name),
        false => for_terminal(&source, &highlights),
    };
    crate::stdout::write(format_args!("{text}"));
    ExitCode::SUCCESS
}

fn read(path: &Path) -> std::io::Result<String> {
    let bytes = crate::read_file::read(path, MAX_FILE_BYTES)?;
    let decoded = text::decode(bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
    Ok(decoded.text)
}

/// Splits the text into pieces with their classes.
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

fn for_terminal(source: &str, highlights: &[Highlight]) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    for (piece, class) in pieces(source, highlights) {
        // Escape sequences in the file must not reach the terminal.
        let piece: String = piece
            .chars()
            .map(
                |c| if c.is_control() && !matches!(c, '\n' | '\t' | '\r') { '\u{fffd}' } else { c },
            )
            .collect();
        let style = class.and_then(style_of).map_or(Style::new(), |style| style.terminal);
        let style = style.effects(class.map_or(Effects::new(), effects_of));
        // Styled line by line, so that pagers keep the colors.
        for line in piece.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            let _ = write!(out, "{style}{line}{style:#}{end}");
        }
    }
    out
}

fn html(source: &str, highlights: &[Highlight], title: &str) -> String {
    let mut style = String::new();
    for (theme, color) in [("", 0), ("dark", 1)] {
        let rules: String = HighlightClass::all()
            .filter_map(|class| {
                let style = style_of(class)?;
                let color = if color == 0 { style.light } else { style.dark };
                Some(format!(".{}{{color:{color}}}", class.name().replace('.', "-")))
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
