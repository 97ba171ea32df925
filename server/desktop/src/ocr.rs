//! `ocr`: the text in a picture.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::image_source::ImageSource;
use crate::ocr_input::{MARGIN, pgm, prepared};
use crate::pixels::Pixels;
use crate::screenshot::Region;
use crate::tesseract::{Word, languages, recognized};
use crate::text::push;
use crate::text_block::{BoundingBox, TextBlock};

pub(crate) struct Ocr;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A picture in the workspace: PNG, JPEG or WebP. Without any source, the screen is read.
    #[serde(default)]
    path: Option<String>,
    /// A picture in base64.
    #[serde(default)]
    data: Option<String>,
    /// The window to read, also if others cover it.
    #[serde(default)]
    window_id: Option<String>,
    /// Only this part, in pixels of the picture.
    #[serde(default)]
    region: Option<Region>,
    /// The language: `eng` (default), `deu`, `eng+deu`.
    #[serde(default)]
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The text, line by line.
    pub(crate) text: String,
    /// The lines, with their places in the picture.
    pub(crate) lines: Vec<TextBlock>,
    /// The words.
    pub(crate) blocks: Vec<TextBlock>,
}

impl Tool for Ocr {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ocr";
    const DESCRIPTION: &'static str = "Read the text in a picture, a window or the screen, by Tesseract: lines and words \
        with their places and confidence. Small and light-on-dark text is enlarged and inverted first. For web pages \
        `browser_snapshot` is exact.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin, EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const VERBOSE_FIELDS: &'static [&'static str] = &["blocks"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("image", "path"), ("window", "window_id"), ("lang", "language")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        for line in result["lines"].as_array()? {
            let place = &line["bounding_box"];
            let doubt = match line["confidence"].as_f64() {
                Some(confidence) if confidence < 0.6 => format!(" ({confidence})"),
                _ => String::new(),
            };
            push(
                &mut text,
                format_args!(
                    "{},{} {}×{}: {}{doubt}",
                    place["x"],
                    place["y"],
                    place["width"],
                    place["height"],
                    line["text"].as_str().unwrap_or_default()
                ),
            );
        }
        if text.is_empty() {
            push(&mut text, "no text");
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        languages(Self::NAME, params.language.as_deref())?;
        source(params)?.effects(context, Self::NAME, "read its text")
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let languages = languages(Self::NAME, params.language.as_deref())?;
        let image = source(&params)?.read(context, Self::NAME, params.region)?;
        read_text(context, Self::NAME, &image.pixels, (image.x, image.y), &languages)
    }
}

/// The text in a picture, of which the upper left corner is at a place of a larger one.
pub(crate) fn read_text(
    context: &Context<'_>,
    tool: &str,
    pixels: &Pixels,
    (x, y): (i32, i32),
    languages: &str,
) -> Result<Output, ToolError> {
    read_text_between(context, tool, pixels, &[], (x, y), languages)
}

/// The text in a picture, without the edges of `rectangles` in it.
pub(crate) fn read_text_between(
    context: &Context<'_>,
    tool: &str,
    pixels: &Pixels,
    rectangles: &[BoundingBox],
    (x, y): (i32, i32),
    languages: &str,
) -> Result<Output, ToolError> {
    let (gray, factor) = prepared(pixels, rectangles);
    let words = recognized(context, tool, pgm(&gray), languages)?;
    let margin = MARGIN as i32;
    Ok(output(&words, factor, (x - margin, y - margin)))
}

fn source(params: &Params) -> Result<ImageSource<'_>, ToolError> {
    ImageSource::new(
        Ocr::NAME,
        params.path.as_deref(),
        params.data.as_deref(),
        params.window_id.as_deref(),
    )
}

/// Words in places of the picture, and the lines that they are in.
fn output(words: &[Word], factor: u32, (left, top): (i32, i32)) -> Output {
    let scale = factor as i32;
    let blocks: Vec<TextBlock> = words
        .iter()
        .map(|word| TextBlock {
            text: word.text.clone(),
            bounding_box: BoundingBox {
                x: word.x / scale + left,
                y: word.y / scale + top,
                width: word.width.div_ceil(factor),
                height: word.height.div_ceil(factor),
            },
            confidence: (word.confidence * 1_000.0).round() / 1_000.0,
        })
        .collect();
    let mut lines: Vec<TextBlock> = Vec::new();
    let mut last = None;
    for (word, block) in words.iter().zip(&blocks) {
        match lines.last_mut().filter(|_| last == Some(word.line)) {
            Some(line) => {
                line.text.push(' ');
                line.text.push_str(&block.text);
                line.bounding_box = line.bounding_box.with(block.bounding_box);
                line.confidence = line.confidence.min(block.confidence);
            }
            None => lines.push(block.clone()),
        }
        last = Some(word.line);
    }
    // As a person reads them.
    lines.sort_by_key(|line| {
        (line.bounding_box.y + line.bounding_box.height as i32 / 2, line.bounding_box.x)
    });
    let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    Output { text, lines, blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_line_are_joined() {
        let word = |line, x, y, text: &str| Word {
            line: (1, 1, line),
            x,
            y,
            width: 30,
            height: 12,
            confidence: 0.9,
            text: text.to_owned(),
        };
        let words = [
            word(2, 0, 60, "below"),
            word(1, 0, 0, "one"),
            Word { confidence: 0.5, ..word(1, 60, 3, "two") },
        ];
        let output = output(&words, 3, (100, 10));
        assert_eq!(output.text, "one two\nbelow");
        let line = &output.lines[0];
        assert_eq!(line.bounding_box, BoundingBox { x: 100, y: 10, width: 30, height: 5 });
        assert_eq!((line.confidence, output.blocks.len()), (0.5, 3));
    }
}
