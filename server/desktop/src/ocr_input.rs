//! Makes pictures of screens legible for Tesseract, which expects the print of books: dark on white, 30 pixels
//! high.

use crate::contours::is_box;
use crate::pixels::Pixels;
use crate::text_block::BoundingBox;

/// A picture of grays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gray {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) levels: Vec<u8>,
}

/// The size of the cells whose background is found, in pixels. They are low, because what is above each other on a
/// screen is of different windows and bars; letters do not fill one.
const CELL: usize = 24;
const CELL_HEIGHT: usize = 8;
/// How far a cell's surroundings count.
const NEIGHBOURS: usize = 1;
/// The white around the picture, in pixels before it is enlarged.
pub(crate) const MARGIN: u32 = 10;
/// How far the drawn edge of a rectangle reaches to both sides, in pixels. Text keeps more distance.
const EDGE: i32 = 3;
/// Lower rectangles are as high as the text in them, such as a selection; fields and buttons are higher.
const MIN_FRAME_HEIGHT: u32 = 20;
/// A difference to the background that is drawn black. Text is seldom closer to its background.
const FULL_CONTRAST: u32 = 120;
/// The factor by which small pictures are enlarged.
const ENLARGED: u32 = 3;
/// Pixels of an enlarged picture: Tesseract takes a second for four million.
const MAX_ENLARGED_PIXELS: u64 = 24_000_000;

/// The picture as dark text on white, and by which factor it was enlarged. The edges of `rectangles`, and what is
/// in those of check boxes, are left out: Tesseract takes them for letters.
pub(crate) fn prepared(pixels: &Pixels, rectangles: &[BoundingBox]) -> (Gray, u32) {
    let mut gray = on_white(&grays(pixels));
    for place in rectangles {
        erase_edges(&mut gray, *place);
    }
    let gray = with_margin(&gray);
    let count = u64::from(gray.width) * u64::from(gray.height);
    let factor = (1..=ENLARGED)
        .rev()
        .find(|factor| count * u64::from(factor * factor) <= MAX_ENLARGED_PIXELS)
        .unwrap_or(1);
    (enlarged(&gray, factor), factor)
}

/// Makes the edges of a rectangle white, and a small one altogether.
fn erase_edges(gray: &mut Gray, place: BoundingBox) {
    let (left, right) = (place.x, place.x + place.width as i32);
    let (top, bottom) = (place.y, place.y + place.height as i32);
    let mut erase = |left: i32, top: i32, right: i32, bottom: i32| {
        let clamp = |at: i32, most: u32| at.clamp(0, most as i32) as usize;
        let (left, right) = (clamp(left, gray.width), clamp(right, gray.width));
        for y in clamp(top, gray.height)..clamp(bottom, gray.height) {
            let row = y * gray.width as usize;
            gray.levels[row + left..row + right].fill(255);
        }
    };
    if is_box(place) {
        return erase(left - EDGE, top - EDGE, right + EDGE, bottom + EDGE);
    }
    if place.height < MIN_FRAME_HEIGHT {
        return;
    }
    erase(left - EDGE, top - EDGE, right + EDGE, top + EDGE);
    erase(left - EDGE, bottom - EDGE, right + EDGE, bottom + EDGE);
    erase(left - EDGE, top - EDGE, left + EDGE, bottom + EDGE);
    erase(right - EDGE, top - EDGE, right + EDGE, bottom + EDGE);
}

/// The picture with white around it: Tesseract misreads letters at an edge.
fn with_margin(gray: &Gray) -> Gray {
    let margin = MARGIN as usize;
    let width = gray.width as usize + 2 * margin;
    let height = gray.height as usize + 2 * margin;
    let mut levels = vec![255; width * height];
    for (y, line) in gray.levels.chunks_exact((gray.width as usize).max(1)).enumerate() {
        levels[(y + margin) * width + margin..][..line.len()].copy_from_slice(line);
    }
    Gray { width: width as u32, height: height as u32, levels }
}

/// A PGM file, the simplest that Tesseract reads.
pub(crate) fn pgm(gray: &Gray) -> Vec<u8> {
    let mut bytes = format!("P5\n{} {}\n255\n", gray.width, gray.height).into_bytes();
    bytes.extend_from_slice(&gray.levels);
    bytes
}

pub(crate) fn grays(pixels: &Pixels) -> Gray {
    let level = |p: &[u8; 3]| {
        let [red, green, blue] = p.map(u32::from);
        ((red * 299 + green * 587 + blue * 114 + 500) / 1_000) as u8
    };
    let levels = pixels.rgb.as_chunks::<3>().0.iter().map(level).collect();
    Gray { width: pixels.width, height: pixels.height, levels }
}

/// Draws what differs from the background around it black, and the background white: light text on dark and
/// dark text on light in one picture become alike.
fn on_white(gray: &Gray) -> Gray {
    let (width, height) = (gray.width as usize, gray.height as usize);
    let (columns, rows) = (width.div_ceil(CELL), height.div_ceil(CELL_HEIGHT));
    // How often each of 64 levels occurs in each cell.
    let mut counts = vec![[0_u32; 64]; columns * rows];
    for (y, line) in gray.levels.chunks_exact(width.max(1)).enumerate() {
        for (x, level) in line.iter().enumerate() {
            counts[y / CELL_HEIGHT * columns + x / CELL][usize::from(*level) / 4] += 1;
        }
    }
    let mut backgrounds = vec![0_u32; columns * rows];
    for row in 0..rows {
        for column in 0..columns {
            let mut sums = [0_u32; 64];
            for near_row in row.saturating_sub(NEIGHBOURS)..=(row + NEIGHBOURS).min(rows - 1) {
                for near in
                    column.saturating_sub(NEIGHBOURS)..=(column + NEIGHBOURS).min(columns - 1)
                {
                    // The cell itself counts most: a button is not the window around it.
                    let weight = if (near_row, near) == (row, column) { 3 } else { 1 };
                    for (sum, count) in sums.iter_mut().zip(&counts[near_row * columns + near]) {
                        *sum += count * weight;
                    }
                }
            }
            let usual =
                sums.iter().enumerate().max_by_key(|(_, sum)| **sum).map_or(0, |(level, _)| level);
            backgrounds[row * columns + column] = (usual * 4 + 2) as u32;
        }
    }
    let mut levels = Vec::with_capacity(gray.levels.len());
    for (y, line) in gray.levels.chunks_exact(width.max(1)).enumerate() {
        for (x, level) in line.iter().enumerate() {
            let background = backgrounds[y / CELL_HEIGHT * columns + x / CELL];
            let difference = background.abs_diff(u32::from(*level)).saturating_sub(3);
            levels.push((255 - (difference * 255 / FULL_CONTRAST).min(255)) as u8);
        }
    }
    Gray { levels, ..*gray }
}

/// The picture larger by a whole factor, with soft steps between its pixels.
fn enlarged(gray: &Gray, factor: u32) -> Gray {
    if factor <= 1 {
        return gray.clone();
    }
    let (width, height) = (gray.width as usize, gray.height as usize);
    let step = factor as usize;
    // The two pixels next to each new one, and how much the second counts, in 256ths.
    let weights = |length: usize| -> Vec<(usize, usize, u32)> {
        (0..length * step)
            .map(|index| {
                let place = (2 * index + 1) as i64 * 128 / step as i64 - 128;
                let first = place.div_euclid(256);
                let last = length as i64 - 1;
                let at = |place: i64| place.clamp(0, last) as usize;
                (at(first), at(first + 1), place.rem_euclid(256) as u32)
            })
            .collect()
    };
    let columns = weights(width);
    let mut levels = Vec::with_capacity(width * height * step * step);
    for (top, bottom, down) in weights(height) {
        let (top, bottom) =
            (&gray.levels[top * width..][..width], &gray.levels[bottom * width..][..width]);
        for (left, right, across) in &columns {
            let mix = |line: &[u8]| {
                u32::from(line[*left]) * (256 - across) + u32::from(line[*right]) * across
            };
            levels.push(((mix(top) * (256 - down) + mix(bottom) * down + 32_768) >> 16) as u8);
        }
    }
    Gray { width: gray.width * factor, height: gray.height * factor, levels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, color: impl Fn(u32, u32) -> u8) -> Pixels {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Pixels { width, height, rgb: places.flat_map(|(x, y)| [color(x, y); 3]).collect() }
    }

    #[test]
    fn text_becomes_dark_on_white_whatever_its_background() {
        // The left half is dark with light strokes, the right half light with dark ones.
        let is_stroke = |x: u32, y: u32| x % 8 == 3 && y % 16 < 10;
        let pixels = picture(240, 128, |x, y| match (x < 120, is_stroke(x, y)) {
            (true, false) => 30,
            (true, true) => 220,
            (false, false) => 240,
            (false, true) => 60,
        });
        let gray = on_white(&grays(&pixels));
        for (index, level) in gray.levels.iter().enumerate() {
            let (x, y) = (index as u32 % 240, index as u32 / 240);
            assert_eq!(*level, if is_stroke(x, y) { 0 } else { 255 }, "{x},{y}");
        }
    }

    #[test]
    fn enlarging_keeps_levels_and_order() {
        let gray = Gray { width: 2, height: 1, levels: vec![0, 255] };
        let large = enlarged(&gray, 3);
        assert_eq!((large.width, large.height), (6, 3));
        let line = &large.levels[..6];
        assert!(line.is_sorted() && line[0] == 0 && line[5] == 255, "{line:?}");
        let (prepared, factor) = prepared(&picture(10, 10, |_, _| 7), &[]);
        assert_eq!((prepared.width, factor), ((10 + 2 * MARGIN) * ENLARGED, ENLARGED));
        assert!(pgm(&gray).starts_with(b"P5\n2 1\n255\n"));
    }

    #[test]
    fn edges_of_rectangles_are_left_out() {
        // A frame with a letter in it, and a check box.
        let is_frame = |x: u32, y: u32| {
            (10..=90).contains(&x)
                && (10..=40).contains(&y)
                && (x == 10 || x == 90 || y == 10 || y == 40)
        };
        let is_letter = |x: u32, y: u32| x == 50 && (20..30).contains(&y);
        let is_check =
            |x: u32, y: u32| (110..122).contains(&x) && (20..32).contains(&y) && x == y + 90;
        let pixels = picture(140, 60, |x, y| {
            if is_frame(x, y) || is_letter(x, y) || is_check(x, y) { 40 } else { 240 }
        });
        let place = |x, y, width, height| BoundingBox { x, y, width, height };
        let mut gray = on_white(&grays(&pixels));
        for rectangle in [place(10, 10, 81, 31), place(110, 20, 12, 12), place(130, 50, 100, 100)] {
            erase_edges(&mut gray, rectangle);
        }
        for (index, level) in gray.levels.iter().enumerate() {
            let (x, y) = (index as u32 % 140, index as u32 / 140);
            assert_eq!(*level, if is_letter(x, y) { 0 } else { 255 }, "{x},{y}");
        }
    }
}
