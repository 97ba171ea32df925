//! Compares two pictures of the same size.

use crate::ocr_input::grays;
use crate::pixels::Pixels;
use crate::text_block::BoundingBox;

/// The side of the squares by which differing places are joined to regions, in pixels.
const CELL: usize = 8;
/// The side of the windows of the similarity, in pixels.
const WINDOW: usize = 8;

/// What two pictures have in common.
pub(crate) struct Difference {
    /// How many pixels differ by more than the tolerance.
    pub(crate) pixels: u64,
    /// Structural similarity, from 0 to 1.
    pub(crate) similarity: f64,
    /// Where they differ, the largest first.
    pub(crate) regions: Vec<(BoundingBox, u64)>,
    marked: Vec<bool>,
}

/// Compares pictures of the same size. Colors that are at most `tolerance` apart are the same.
pub(crate) fn compared(first: &Pixels, second: &Pixels, tolerance: u8) -> Difference {
    let pairs = first.rgb.as_chunks::<3>().0.iter().zip(second.rgb.as_chunks::<3>().0);
    let marked: Vec<bool> = pairs
        .map(|(one, other)| one.iter().zip(other).any(|(a, b)| a.abs_diff(*b) > tolerance))
        .collect();
    Difference {
        pixels: marked.iter().filter(|is_marked| **is_marked).count() as u64,
        similarity: similarity(first, second),
        regions: regions(&marked, first.width as usize, first.height as usize),
        marked,
    }
}

impl Difference {
    /// The second picture, pale, with what differs in red.
    pub(crate) fn picture(&self, second: &Pixels) -> Pixels {
        let pixels = second.rgb.as_chunks::<3>().0.iter().zip(&self.marked);
        let rgb = pixels.flat_map(|(pixel, is_marked)| match is_marked {
            true => [230, 0, 40],
            false => pixel.map(|value| 190 + value / 4),
        });
        Pixels { rgb: rgb.collect(), ..*second }
    }
}

/// The mean structural similarity of grays, over windows that do not overlap.
fn similarity(first: &Pixels, second: &Pixels) -> f64 {
    // The usual constants, which keep flat windows from dividing by nothing.
    const C1: f64 = 6.5025;
    const C2: f64 = 58.5225;
    let (first, second) = (grays(first), grays(second));
    let (width, height) = (first.width as usize, first.height as usize);
    let (mut total, mut count) = (0.0, 0_u32);
    for top in (0..height).step_by(WINDOW) {
        for left in (0..width).step_by(WINDOW) {
            let (mut n, mut a, mut b, mut aa, mut bb, mut ab) =
                (0_u64, 0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
            for y in top..(top + WINDOW).min(height) {
                for x in left..(left + WINDOW).min(width) {
                    let (one, other) = (
                        u64::from(first.levels[y * width + x]),
                        u64::from(second.levels[y * width + x]),
                    );
                    n += 1;
                    a += one;
                    b += other;
                    aa += one * one;
                    bb += other * other;
                    ab += one * other;
                }
            }
            let n = n as f64;
            let (mean_a, mean_b) = (a as f64 / n, b as f64 / n);
            let (var_a, var_b) = (aa as f64 / n - mean_a * mean_a, bb as f64 / n - mean_b * mean_b);
            let both = ab as f64 / n - mean_a * mean_b;
            total += (2.0 * mean_a * mean_b + C1) * (2.0 * both + C2)
                / ((mean_a * mean_a + mean_b * mean_b + C1) * (var_a + var_b + C2));
            count += 1;
        }
    }
    (total / f64::from(count.max(1))).clamp(0.0, 1.0)
}

/// The regions of marked pixels: those whose squares touch are one.
fn regions(marked: &[bool], width: usize, height: usize) -> Vec<(BoundingBox, u64)> {
    let (columns, rows) = (width.div_ceil(CELL), height.div_ceil(CELL));
    // For each square what is marked in it.
    let mut cells: Vec<Option<(BoundingBox, u64)>> = vec![None; columns * rows];
    for (index, _) in marked.iter().enumerate().filter(|(_, is_marked)| **is_marked) {
        let (x, y) = (index % width, index / width);
        let pixel = BoundingBox { x: x as i32, y: y as i32, width: 1, height: 1 };
        let cell = &mut cells[y / CELL * columns + x / CELL];
        *cell = Some(cell.map_or((pixel, 1), |(place, count)| (place.with(pixel), count + 1)));
    }
    let mut found = Vec::new();
    for start in 0..cells.len() {
        let Some(mut region) = cells[start].take() else { continue };
        let mut open = vec![start];
        while let Some(index) = open.pop() {
            let (column, row) = (index % columns, index / columns);
            for near_row in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
                for near_column in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                    let near = near_row * columns + near_column;
                    if let Some((place, count)) = cells[near].take() {
                        region = (region.0.with(place), region.1 + count);
                        open.push(near);
                    }
                }
            }
        }
        found.push(region);
    }
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: u32, height: u32) -> Pixels {
        Pixels { width, height, rgb: vec![255; (width * height * 3) as usize] }
    }

    fn fill(pixels: &mut Pixels, x: u32, y: u32, size: u32) {
        for row in y..y + size {
            for column in x..x + size {
                let at = ((row * pixels.width + column) * 3) as usize;
                pixels.rgb[at..at + 3].copy_from_slice(&[0, 0, 0]);
            }
        }
    }

    #[test]
    fn what_differs_is_counted_and_found() {
        let first = white(100, 60);
        let same = compared(&first, &first, 0);
        assert_eq!((same.pixels, same.regions.len(), same.similarity), (0, 0, 1.0));
        let mut second = first.clone();
        fill(&mut second, 10, 10, 12);
        fill(&mut second, 70, 40, 5);
        let found = compared(&first, &second, 0);
        assert_eq!(found.pixels, 12 * 12 + 25);
        let places: Vec<_> = found
            .regions
            .iter()
            .map(|(place, count)| (place.x, place.y, place.width, *count))
            .collect();
        assert_eq!(places, [(10, 10, 12, 144), (70, 40, 5, 25)]);
        assert!(found.similarity < 0.99 && found.similarity > 0.5, "{}", found.similarity);
        let picture = found.picture(&second);
        assert_eq!(&picture.rgb[..3], [253, 253, 253]);
        assert_eq!(picture.rgb[(10 * 100 + 10) * 3], 230);
    }

    #[test]
    fn small_differences_of_color_can_be_tolerated() {
        let (first, mut second) = (white(16, 16), white(16, 16));
        second.rgb.iter_mut().for_each(|value| *value -= 4);
        assert_eq!(compared(&first, &second, 3).pixels, 256);
        assert_eq!(compared(&first, &second, 4).pixels, 0);
    }
}
