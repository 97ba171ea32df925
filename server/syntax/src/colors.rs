//! Colour literals (`textDocument/documentColor`).

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use csscolorparser::Color;

use crate::Syntax;

/// Limit of colours per text.
const MAX_COLORS: usize = 10_000;
/// Longest text that is parsed as a colour, in bytes.
const MAX_COLOR_LEN: usize = 120;

/// A colour: red, green, blue and alpha, each from 0 to 1.
pub type Rgba = [f32; 4];

impl Syntax {
    /// The colour literals that `queries/<language>/colors.scm` captures as `@color`, without those
    /// that CSS does not accept as a colour. `None` once `interrupt` is set.
    #[must_use]
    pub fn colors(&self, interrupt: &AtomicBool) -> Option<Vec<(Range<usize>, Rgba)>> {
        let mut colors = Vec::new();
        let Some(query) = self.language().colors() else { return Some(colors) };
        let color_capture = query.query.capture_index_for_name("color");
        self.each_match(query, interrupt, |found| {
            for capture in found.captures().iter().filter(|c| Some(c.index) == color_capture) {
                let span = capture.node.byte_range();
                if span.len() <= MAX_COLOR_LEN {
                    let color = parse_color(&self.text().slice(span.clone()));
                    colors.extend(color.map(|color| (span, color)));
                }
            }
            if colors.len() < MAX_COLORS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        colors.sort_by_key(|(span, _)| span.start);
        colors.dedup_by(|(later, _), (kept, _)| later == kept);
        Some(colors)
    }
}

fn parse_color(text: &str) -> Option<Rgba> {
    // The library also accepts hexadecimal digits without `#`, which CSS does not. No colour name
    // consists of hexadecimal digits only.
    if text.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let color: Color = text.parse().ok()?;
    Some([color.r, color.g, color.b, color.a])
}

/// The notations of a colour that an editor can insert: `#rrggbb`, `rgb()`, `hsl()`.
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
    fn only_valid_css_colours_are_found() {
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
