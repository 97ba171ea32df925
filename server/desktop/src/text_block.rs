//! Text in a picture, and places there.

use schemars::JsonSchema;
use serde::Serialize;

use crate::pixels::Area;

/// A recognized word or line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TextBlock {
    pub(crate) text: String,
    pub(crate) bounding_box: BoundingBox,
    /// From 0 to 1; a line has that of its worst word.
    pub(crate) confidence: f64,
}

/// A place in a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct BoundingBox {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl BoundingBox {
    pub(crate) fn area(self) -> Area {
        Area { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    /// The smallest that both lie in.
    pub(crate) fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = (self.x + self.width as i32).max(other.x + other.width as i32);
        let bottom = (self.y + self.height as i32).max(other.y + other.height as i32);
        Self { x, y, width: (right - x) as u32, height: (bottom - y) as u32 }
    }
}
