//! Colours as they are written.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use csscolorparser::Color;

use crate::Syntax;

/// Most colours of one text.
const MOST: usize = 10_000;
/// Longest text that is taken for a colour, in bytes.
const LONGEST: usize = 120;

/// A colour: red, green, blue and how opaque it is, each from 0 to 1.
pub type Rgba = [f32; 4];

impl Syntax {
    /// The colours by `queries/<language>/colors.scm`, whose capture is `@color`: what it marks and
    /// is no colour by CSS's rules is left out.
    /// `None` once `interrupt` is set.
    #[must_use]
    pub fn colors(&self, interrupt: &AtomicBool) -> Option<Vec<(Range<usize>, Rgba)>> {
        let mut colors = Vec::new();
        let Some(query) = self.language().colors() else { return Some(colors) };
        let marked = query.query.capture_index_for_name("color");
        self.each_match(query, interrupt, |found| {
            for capture in found.captures().iter().filter(|c| Some(c.index) == marked) {
                let span = capture.node.byte_range();
                if span.len() <= LONGEST {
                    let color = read(&self.text().slice(span.clone()));
                    colors.extend(color.map(|color| (span, color)));
                }
            }
            if colors.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        colors.sort_by_key(|(span, _)| span.start);
        colors.dedup_by(|(later, _), (kept, _)| later == kept);
        Some(colors)
    }
}

fn read(text: &str) -> Option<Rgba> {
    // The library also takes hexadecimal digits without their sign, which are no colour in CSS, and
    // no name of a colour is made of them alone.
    if text.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let color: Color = text.parse().ok()?;
    Some([color.r, color.g, color.b, color.a])
}

/// The ways to write a colour: `#rrggbb`, `rgb()`, `hsl()`.
#[must_use]
pub fn color_texts([r, g, b, a]: Rgba) -> Vec<String> {
    let color = Color::new(r, g, b, a);
    vec![
        color.to_css_hex().to_string(),
        color.to_css_rgb().to_string(),
        color.to_css_hsl().to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    #[test]
    fn colours_are_found_and_what_looks_like_one_is_not() {
        let source = "a { color: #f00; background: rgb(0 255 0 / 50%); border: 1px solid teal; \
                      font: bad face add; width: calc(1px) }";
        let language = Language::by_id("css").unwrap();
        let text = Text::new(source);
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &text, None, &go).unwrap();
        let found: Vec<_> =
            syntax.colors(&go).unwrap().into_iter().map(|(s, c)| (&source[s], c)).collect();
        assert_eq!(
            found,
            [
                ("#f00", [1.0, 0.0, 0.0, 1.0]),
                ("rgb(0 255 0 / 50%)", [0.0, 1.0, 0.0, 0.5]),
                ("teal", [0.0, 128.0 / 255.0, 128.0 / 255.0, 1.0]),
            ]
        );
        let texts = color_texts([1.0, 0.0, 0.0, 0.5]);
        assert_eq!(texts, ["#ff000080", "rgb(255 0 0 / 50%)", "hsl(0 100% 50% / 50%)"]);
    }
}
