//! A picture in memory.

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Area {
    /// What two areas share; `None` if nothing.
    pub(crate) fn shared(self, other: Self) -> Option<Self> {
        let end = |start: i32, length: u32| i64::from(start) + i64::from(length);
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = end(self.x, self.width).min(end(other.x, other.width));
        let bottom = end(self.y, self.height).min(end(other.y, other.height));
        let width = u32::try_from(right - i64::from(x)).ok().filter(|width| *width > 0)?;
        let height = u32::try_from(bottom - i64::from(y)).ok().filter(|height| *height > 0)?;
        Some(Self { x, y, width, height })
    }
}

/// A picture: three bytes for each pixel, red, green and blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgb: Vec<u8>,
}

impl Pixels {
    /// A part of it, which must lie inside.
    pub(crate) fn part(&self, area: Area) -> Self {
        let row = self.width as usize * 3;
        let (x, width) = (area.x.max(0) as usize, area.width as usize);
        let mut rgb = Vec::with_capacity(width * area.height as usize * 3);
        for line in self
            .rgb
            .chunks_exact(row.max(1))
            .skip(area.y.max(0) as usize)
            .take(area.height as usize)
        {
            rgb.extend_from_slice(&line[x * 3..(x + width) * 3]);
        }
        Self { width: area.width, height: area.height, rgb }
    }

    /// The picture at `scale`, below 1: each new pixel is the mean of those that it stands for.
    pub(crate) fn shrunk(&self, scale: f64) -> Self {
        let length = |whole: u32| ((f64::from(whole) * scale).round() as u32).clamp(1, whole);
        let (width, height) = (length(self.width), length(self.height));
        let bounds = |index: u32, new: u32, old: u32| {
            let at = |index: u64| (index * u64::from(old) / u64::from(new)) as usize;
            let start = at(index.into());
            (start, at(u64::from(index) + 1).max(start + 1))
        };
        let row = self.width as usize * 3;
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        let columns: Vec<_> = (0..width).map(|x| bounds(x, width, self.width)).collect();
        for y in 0..height {
            let (top, bottom) = bounds(y, height, self.height);
            for (left, right) in &columns {
                let mut sums = [0_u32; 3];
                for line in self.rgb[top * row..bottom * row].chunks_exact(row) {
                    for pixel in line[left * 3..right * 3].chunks_exact(3) {
                        for (sum, value) in sums.iter_mut().zip(pixel) {
                            *sum += u32::from(*value);
                        }
                    }
                }
                let count = ((bottom - top) * (right - left)) as u32;
                rgb.extend(sums.map(|sum| ((sum + count / 2) / count) as u8));
            }
        }
        Self { width, height, rgb }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(x: i32, y: i32, width: u32, height: u32) -> Area {
        Area { x, y, width, height }
    }

    #[test]
    fn areas_share_what_lies_in_both() {
        let screen = area(0, 0, 100, 50);
        assert_eq!(area(-10, 40, 30, 30).shared(screen), Some(area(0, 40, 20, 10)));
        assert_eq!(area(100, 0, 5, 5).shared(screen), None);
        assert_eq!(area(i32::MAX, 0, u32::MAX, 5).shared(screen), None);
        assert_eq!(area(0, 0, u32::MAX, u32::MAX).shared(screen), Some(screen));
    }

    #[test]
    fn parts_and_smaller_pictures_keep_their_colors() {
        let rgb: Vec<u8> = (0..4 * 2 * 3).map(|n| n as u8 * 10).collect();
        let whole = Pixels { width: 4, height: 2, rgb };
        let part = whole.part(area(1, 1, 2, 1));
        assert_eq!(part.rgb, [150, 160, 170, 180, 190, 200]);
        let small = whole.shrunk(0.5);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!(small.rgb[..3], [75, 85, 95], "the mean of four pixels");
        assert_eq!(whole.shrunk(0.0001).rgb.len(), 3);
    }
}
