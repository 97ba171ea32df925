//! `compare_images`: where two pictures differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{
    Code, Context, Effect, EffectKind, StoredFile, Tool, ToolError, storage_effect, storage_path,
    store_bytes,
};

use crate::difference::compared;
use crate::image_source::ImageSource;
use crate::picture_file::{Format, encoded};
use crate::screenshot::Region;
use crate::text::push;
use crate::text_block::BoundingBox;

pub(crate) struct CompareImages;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A picture in the workspace: PNG, JPEG or WebP.
    before_path: String,
    /// The picture to compare with it; without it, the window or the screen as it is now.
    #[serde(default)]
    after_path: Option<String>,
    /// The window to compare with it.
    #[serde(default)]
    window_id: Option<String>,
    /// Only this part of both.
    #[serde(default)]
    region: Option<Region>,
    /// Colors that are at most so far apart, of 255, are the same; 8 by default.
    #[serde(default = "default_tolerance")]
    tolerance: u8,
    /// Store the second picture, with what differs in red, in this PNG file of the workspace.
    #[serde(default)]
    difference_path: Option<String>,
    /// Replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
}

fn default_tolerance() -> u8 {
    8
}

/// Regions that a result lists.
const MAX_REGIONS: usize = 50;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether no pixel differs by more than the tolerance.
    equal: bool,
    /// How similar their structure is, from 0 to 1.
    similarity: f64,
    /// How many pixels differ.
    different_pixels: u64,
    /// Their share of all, from 0 to 1.
    different_share: f64,
    /// Where they differ, the largest difference first.
    regions: Vec<DifferentRegion>,
    /// How many regions there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_regions: Option<usize>,
    /// The file in which the difference was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

/// A part in which pictures differ.
#[derive(Serialize, JsonSchema)]
struct DifferentRegion {
    bounding_box: BoundingBox,
    /// How many of its pixels differ.
    pixels: u64,
}

impl Tool for CompareImages {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "compare_images";
    const DESCRIPTION: &'static str = "Compare two pictures of the same size, or one with a window or the screen as it is \
        now: similarity, how many pixels differ, and in which regions. Stores the difference as a picture with `difference_path`.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Admin, EffectKind::Read, EffectKind::Write];
    const OWN_SANDBOX: bool = true;
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("before", "before_path"),
        ("first", "before_path"),
        ("after", "after_path"),
        ("second", "after_path"),
        ("path", "difference_path"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if result["equal"] == true {
            push(&mut text, "equal");
        } else {
            let share = result["different_share"].as_f64().unwrap_or_default() * 100.0;
            push(
                &mut text,
                format_args!(
                    "{} pixels differ ({share:.2} %), similarity {}",
                    result["different_pixels"], result["similarity"]
                ),
            );
        }
        for region in result["regions"].as_array()? {
            let place = &region["bounding_box"];
            push(
                &mut text,
                format_args!(
                    "{},{} {}×{}: {} pixels",
                    place["x"], place["y"], place["width"], place["height"], region["pixels"]
                ),
            );
        }
        if let Some(total) = result["total_regions"].as_u64() {
            push(&mut text, format_args!("[{total} regions in all]"));
        }
        if let Some(path) = result["saved"]["path"].as_str() {
            push(&mut text, format_args!("stored in {path}"));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = Vec::new();
        let path = params.difference_path.as_deref();
        effects.extend(storage_effect(context, Self::NAME, path, params.overwrite)?);
        for source in sources(params)? {
            effects.extend(source.effects(context, Self::NAME, "compare it with a picture")?);
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let [first, second] = sources(&params)?;
        let first = first.read(context, Self::NAME, params.region)?;
        let second = second.read(context, Self::NAME, params.region)?;
        let size = |image: &crate::image_source::Image| (image.pixels.width, image.pixels.height);
        if size(&first) != size(&second) {
            let ((width, height), (other_width, other_height)) = (size(&first), size(&second));
            let message = format!(
                "{}: the pictures have different sizes: {width}×{height} and {other_width}×{other_height}",
                Self::NAME
            );
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("`region` names a part that both have"));
        }
        let difference = compared(&first.pixels, &second.pixels, params.tolerance);
        let count = u64::from(first.pixels.width) * u64::from(first.pixels.height);
        let saved = match &params.difference_path {
            Some(path) => {
                let bytes = encoded(Self::NAME, &difference.picture(&second.pixels), Format::Png)?;
                let path = storage_path(context, Self::NAME, path, params.overwrite)?;
                Some(store_bytes(context, Self::NAME, &path, bytes, params.overwrite)?)
            }
            None => None,
        };
        let total = difference.regions.len();
        let regions =
            difference.regions.iter().take(MAX_REGIONS).map(|(place, pixels)| DifferentRegion {
                bounding_box: BoundingBox { x: place.x + first.x, y: place.y + first.y, ..*place },
                pixels: *pixels,
            });
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        Ok(Output {
            equal: difference.pixels == 0,
            similarity: rounded(difference.similarity),
            different_pixels: difference.pixels,
            different_share: rounded(difference.pixels as f64 / count.max(1) as f64),
            regions: regions.collect(),
            total_regions: (total > MAX_REGIONS).then_some(total),
            action: saved.as_ref().and_then(|saved| saved.action.clone()),
            saved,
        })
    }
}

fn sources(params: &Params) -> Result<[ImageSource<'_>; 2], ToolError> {
    let window_id = params.window_id.as_deref();
    let after =
        ImageSource::new(CompareImages::NAME, params.after_path.as_deref(), None, window_id)?;
    Ok([ImageSource::File(&params.before_path), after])
}
