//! Finds elements in a picture: by the rectangles that are drawn in it, and the text.
//!
//! This is a guess. The confidence of each type is how often it was right on some windows whose programs report what
//! they really show.

use crate::pixels::Pixels;
use crate::text_block::{BoundingBox, TextBlock};

/// An element that a picture seems to show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PictureElement {
    pub(crate) element_type: &'static str,
    pub(crate) place: BoundingBox,
    pub(crate) text: String,
    /// From 0 to 1.
    pub(crate) confidence: f64,
}

/// How far the colors of neighbours may be apart within one surface: less than a border and more than a gradient.
const TOLERANCE: u8 = 7;
/// The part of each side of a rectangle that must be drawn; corners may be round.
const SIDE: f64 = 0.6;
/// The smallest rectangle, in pixels: a check box.
const MIN_SIDE: u32 = 10;
/// How far an edge is from the surface that it surrounds.
const BORDER: i32 = 4;
/// Rectangles that are classified. A picture of noise has more.
const MAX_RECTANGLES: usize = 2_000;

/// The elements of a picture with these [`rectangles`] and words, from top to bottom.
pub(crate) fn elements(
    pixels: &Pixels,
    rectangles: &[BoundingBox],
    words: &[TextBlock],
) -> Vec<PictureElement> {
    let phrases = phrases(words);
    let mut is_used = vec![false; phrases.len()];
    let mut found = Vec::new();
    // The innermost first: a text is of the smallest rectangle around it.
    for place in rectangles.iter().copied() {
        let inside: Vec<usize> = (0..phrases.len())
            .filter(|index| !is_used[*index] && holds(place, phrases[*index].bounding_box))
            .collect();
        let Some((element_type, confidence)) =
            classified(place, inside.iter().map(|index| &phrases[*index]))
        else {
            continue;
        };
        let mut text = String::new();
        for index in inside.iter().filter(|_| element_type != "group") {
            is_used[*index] = true;
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&phrases[*index].text);
        }
        if element_type == "checkbox" {
            text = beside(place, &phrases).map(|phrase| phrase.text.clone()).unwrap_or_default();
        }
        found.push(PictureElement { element_type, place, text, confidence });
    }
    for (phrase, _) in phrases.iter().zip(&is_used).filter(|(_, is_used)| !**is_used) {
        let (element_type, confidence) = match is_blue(pixels, phrase.bounding_box) {
            true => ("link", LINK),
            false => ("text", phrase.confidence),
        };
        let (place, text) = (phrase.bounding_box, phrase.text.clone());
        found.push(PictureElement { element_type, place, text, confidence });
    }
    found.sort_by_key(|element| {
        (element.place.y + element.place.height as i32 / 2, element.place.x)
    });
    found
}

// How often guesses are right, measured by `cargo bench -p tests --bench desktop -- guesses` on eight windows of GTK 3
// (docs/desktop.md). Links were too few to measure.
const BUTTON: f64 = 0.8;
const INPUT: f64 = 0.55;
const CHECKBOX: f64 = 0.5;
const LINK: f64 = 0.3;
const GROUP: f64 = 0.8;

/// What a rectangle with these texts seems to be.
fn classified<'a>(
    place: BoundingBox,
    texts: impl Iterator<Item = &'a TextBlock>,
) -> Option<(&'static str, f64)> {
    let texts: Vec<&TextBlock> = texts.collect();
    let BoundingBox { x, width, height, .. } = place;
    if texts.is_empty() && is_box(place) {
        return Some(("checkbox", CHECKBOX));
    }
    let is_bar = (16..=60).contains(&height);
    match texts.as_slice() {
        [text] if is_bar && width <= 500 => {
            let text = text.bounding_box;
            let middle = |x: i32, width: u32| x + width as i32 / 2;
            let offset = (middle(text.x, text.width) - middle(x, width)).unsigned_abs();
            if offset <= (width / 12).max(5) {
                Some(("button", BUTTON))
            } else if text.x - x <= 24 && width >= 50 {
                Some(("input", INPUT))
            } else {
                None
            }
        }
        [] if is_bar && width >= 50 && width >= 2 * height => Some(("input", INPUT)),
        _ if width >= 60 && height >= 40 => Some(("group", GROUP)),
        _ => None,
    }
}

/// Whether a rectangle is as small as a check box.
pub(crate) fn is_box(place: BoundingBox) -> bool {
    place.width <= 28 && place.height <= 28 && place.width.abs_diff(place.height) <= 3
}

/// The text to the right of a small rectangle.
fn beside(place: BoundingBox, phrases: &[TextBlock]) -> Option<&TextBlock> {
    let end = place.x + place.width as i32;
    let middle = place.y + place.height as i32 / 2;
    phrases.iter().find(|phrase| {
        let text = phrase.bounding_box;
        (0..=16).contains(&(text.x - end))
            && (text.y - 3..=text.y + text.height as i32 + 3).contains(&middle)
    })
}

fn holds(place: BoundingBox, inner: BoundingBox) -> bool {
    let middle = (inner.x + inner.width as i32 / 2, inner.y + inner.height as i32 / 2);
    (place.x..place.x + place.width as i32).contains(&middle.0)
        && (place.y..place.y + place.height as i32).contains(&middle.1)
        && inner.width <= place.width
        && inner.height <= place.height + 4
}

/// Whether a word is a line that was taken for a letter: a caret, or the edge of something.
fn is_line(word: &TextBlock) -> bool {
    !word.text.is_empty() && word.text.chars().all(|c| "|¦_—–-[]".contains(c))
}

/// Words that are next to each other, without lines at the ends.
fn phrases(words: &[TextBlock]) -> Vec<TextBlock> {
    let mut phrases: Vec<TextBlock> = Vec::new();
    // One between two words is text, such as in `Help | About`.
    let near_text = |index: usize, other: Option<usize>| {
        let other = other.and_then(|other| words.get(other));
        other.is_some_and(|other| !is_line(other) && is_next(other, &words[index]))
    };
    let kept = words.iter().enumerate().filter(|(index, word)| {
        !is_line(word)
            || near_text(*index, index.checked_sub(1)) && near_text(*index, Some(index + 1))
    });
    for (_, word) in kept {
        let place = word.bounding_box;
        match phrases.last_mut().filter(|last| is_next(last, word)) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(&word.text);
                last.bounding_box = last.bounding_box.with(place);
                last.confidence = last.confidence.min(word.confidence);
            }
            None => phrases.push(word.clone()),
        }
    }
    phrases
}

/// Whether two texts are beside each other, in any order.
fn is_next(one: &TextBlock, other: &TextBlock) -> bool {
    let (one, other) = (one.bounding_box, other.bounding_box);
    let (left, right) = if one.x <= other.x { (one, other) } else { (other, one) };
    let gap = right.x - (left.x + left.width as i32);
    let height = left.height.max(right.height) as i32;
    let middle = right.y + right.height as i32 / 2;
    (-3..=height * 4 / 5).contains(&gap) && (left.y..left.y + left.height as i32).contains(&middle)
}

/// Whether a text is blue, as links are.
fn is_blue(pixels: &Pixels, place: BoundingBox) -> bool {
    let Some(area) = place.area().shared(crate::pixels::Area {
        x: 0,
        y: 0,
        width: pixels.width,
        height: pixels.height,
    }) else {
        return false;
    };
    let part = pixels.part(area);
    let colors = part.rgb.as_chunks::<3>().0;
    let blue = colors.iter().filter(|[red, green, blue]| {
        let (red, green, blue) = (i32::from(*red), i32::from(*green), i32::from(*blue));
        blue - red > 70 && blue - green > 30
    });
    let dark = colors.iter().filter(|color| color.iter().all(|level| *level < 90));
    let (blue, dark) = (blue.count(), dark.count());
    blue * 20 > colors.len() && blue > 2 * dark && blue * 2 < colors.len()
}

/// The rectangles of a picture, the smallest first. A surface and the border around it are one.
pub(crate) fn rectangles(pixels: &Pixels) -> Vec<BoundingBox> {
    let mut found: Vec<BoundingBox> = surfaces(pixels)
        .into_iter()
        .filter(|surface| surface.is_rectangle())
        .map(|surface| surface.place())
        .collect();
    let is_whole =
        |place: &BoundingBox| place.width + 8 >= pixels.width && place.height + 8 >= pixels.height;
    found.retain(|place| place.width >= MIN_SIDE && place.height >= MIN_SIDE && !is_whole(place));
    found.sort_by_key(|place| u64::from(place.width) * u64::from(place.height));
    found.truncate(MAX_RECTANGLES);
    // The outermost of nested ones is the element.
    let mut merged: Vec<BoundingBox> = Vec::new();
    for place in found.into_iter().rev() {
        let is_nested = merged.iter().any(|outer| {
            let gaps = [
                place.x - outer.x,
                place.y - outer.y,
                outer.x + outer.width as i32 - place.x - place.width as i32,
                outer.y + outer.height as i32 - place.y - place.height as i32,
            ];
            gaps.iter().all(|gap| (-1..=BORDER).contains(gap))
        });
        if !is_nested {
            merged.push(place);
        }
    }
    merged.reverse();
    merged
}

/// Pixels of nearly the same color that touch each other.
#[derive(Debug, Clone, Copy)]
struct Surface {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
    /// How many of its pixels are on each side of the rectangle around it.
    sides: [u32; 4],
}

impl Surface {
    fn place(&self) -> BoundingBox {
        BoundingBox {
            x: self.left as i32,
            y: self.top as i32,
            width: self.right - self.left + 1,
            height: self.bottom - self.top + 1,
        }
    }

    fn is_rectangle(&self) -> bool {
        let BoundingBox { width, height, .. } = self.place();
        let lengths = [width, width, height, height];
        self.sides
            .iter()
            .zip(lengths)
            .all(|(drawn, length)| f64::from(*drawn) >= SIDE * f64::from(length))
    }
}

/// All surfaces of a picture.
fn surfaces(pixels: &Pixels) -> Vec<Surface> {
    let (width, height) = (pixels.width as usize, pixels.height as usize);
    let colors = pixels.rgb.as_chunks::<3>().0;
    let is_alike = |one: usize, other: usize| {
        colors[one].iter().zip(&colors[other]).all(|(a, b)| a.abs_diff(*b) <= TOLERANCE)
    };
    let mut labels = vec![u32::MAX; colors.len()];
    let mut surfaces: Vec<Surface> = Vec::new();
    let mut open = Vec::new();
    for start in 0..colors.len() {
        if labels[start] != u32::MAX {
            continue;
        }
        let label = surfaces.len() as u32;
        let (x, y) = ((start % width) as u32, (start / width) as u32);
        let mut surface = Surface { left: x, top: y, right: x, bottom: y, sides: [0; 4] };
        labels[start] = label;
        open.push(start);
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            surface.left = surface.left.min(x as u32);
            surface.right = surface.right.max(x as u32);
            surface.bottom = surface.bottom.max(y as u32);
            let near = [
                (x > 0).then(|| at - 1),
                (x + 1 < width).then(|| at + 1),
                (y > 0).then(|| at - width),
                (y + 1 < height).then(|| at + width),
            ];
            for next in near.into_iter().flatten() {
                if labels[next] == u32::MAX && is_alike(at, next) {
                    labels[next] = label;
                    open.push(next);
                }
            }
        }
        surfaces.push(surface);
    }
    for (at, label) in labels.iter().enumerate() {
        let surface = &mut surfaces[*label as usize];
        let (x, y) = ((at % width) as u32, (at / width) as u32);
        let is_on = [y == surface.top, y == surface.bottom, x == surface.left, x == surface.right];
        for (side, is_on) in surface.sides.iter_mut().zip(is_on) {
            *side += u32::from(is_on);
        }
    }
    surfaces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(width: u32, height: u32) -> Pixels {
        Pixels { width, height, rgb: vec![240; (width * height * 3) as usize] }
    }

    fn fill(pixels: &mut Pixels, (x, y, width, height): (u32, u32, u32, u32), color: [u8; 3]) {
        for row in y..y + height {
            for column in x..x + width {
                let at = ((row * pixels.width + column) * 3) as usize;
                pixels.rgb[at..at + 3].copy_from_slice(&color);
            }
        }
    }

    fn boxed(pixels: &mut Pixels, (x, y, width, height): (u32, u32, u32, u32), inner: [u8; 3]) {
        fill(pixels, (x, y, width, height), [120; 3]);
        fill(pixels, (x + 1, y + 1, width - 2, height - 2), inner);
    }

    fn word(text: &str, x: i32, y: i32, width: u32) -> TextBlock {
        TextBlock {
            text: text.to_owned(),
            bounding_box: BoundingBox { x, y, width, height: 12 },
            confidence: 0.9,
        }
    }

    fn guessed(pixels: &Pixels, words: &[TextBlock]) -> Vec<PictureElement> {
        elements(pixels, &rectangles(pixels), words)
    }

    #[test]
    fn lines_that_were_read_as_letters_are_no_text() {
        let mut pixels = canvas(400, 120);
        boxed(&mut pixels, (100, 20, 80, 30), [230; 3]);
        boxed(&mut pixels, (100, 70, 200, 30), [255; 3]);
        let words = [
            word("|", 101, 28, 2),
            word("Cancel", 118, 28, 44),
            // A caret.
            word("|", 108, 78, 1),
            word("Help", 10, 100, 28),
            word("|", 42, 100, 2),
            word("About", 48, 100, 34),
        ];
        let found = guessed(&pixels, &words);
        let listed: Vec<_> =
            found.iter().map(|element| (element.element_type, element.text.as_str())).collect();
        assert_eq!(listed, [("button", "Cancel"), ("input", ""), ("text", "Help | About")]);
    }

    #[test]
    fn rectangles_with_text_are_elements() {
        let mut pixels = canvas(400, 200);
        boxed(&mut pixels, (100, 20, 200, 30), [255; 3]);
        boxed(&mut pixels, (20, 80, 16, 16), [255; 3]);
        boxed(&mut pixels, (300, 150, 80, 30), [230; 3]);
        let words = [
            word("Full", 20, 28, 30),
            word("name", 55, 28, 35),
            word("Remember", 44, 82, 70),
            word("Save", 322, 159, 36),
        ];
        let found = guessed(&pixels, &words);
        let listed: Vec<_> = found
            .iter()
            .map(|element| {
                (element.element_type, element.text.as_str(), element.place.x, element.place.width)
            })
            .collect();
        assert_eq!(
            listed,
            [
                ("text", "Full name", 20, 70),
                ("input", "", 100, 200),
                ("checkbox", "Remember", 20, 16),
                ("text", "Remember", 44, 70),
                ("button", "Save", 300, 80),
            ]
        );
    }

    #[test]
    fn letters_and_the_whole_picture_are_no_rectangles() {
        let mut pixels = canvas(100, 100);
        // An L and a diagonal.
        fill(&mut pixels, (10, 10, 4, 40), [0; 3]);
        fill(&mut pixels, (10, 46, 30, 4), [0; 3]);
        (0..30).for_each(|at| fill(&mut pixels, (50 + at, 20 + at, 2, 2), [0; 3]));
        assert_eq!(guessed(&pixels, &[]), []);
        assert_eq!(guessed(&canvas(1, 1), &[]), []);
        assert_eq!(guessed(&Pixels { width: 0, height: 0, rgb: Vec::new() }, &[]), []);
    }

    #[test]
    fn blue_text_seems_to_be_a_link() {
        let mut pixels = canvas(200, 40);
        (0..12).for_each(|at| fill(&mut pixels, (20 + 4 * at, 10, 1, 12), [20, 60, 220]));
        let found = guessed(&pixels, &[word("More", 20, 10, 48)]);
        assert_eq!((found[0].element_type, found.len()), ("link", 1));
    }
}
