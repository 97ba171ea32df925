//! Pictures as PNG, JPEG and WebP.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use tools::{Code, ToolError};

use crate::limits::{MAX_PICTURE_BYTES, PIXELS_PER_TOKEN};
use crate::pixels::Pixels;

/// Quality of JPEGs: text stays legible.
const JPEG_QUALITY: u8 = 80;

/// The format of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Png,
    Jpeg,
    Webp,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }
}

/// The bytes of a picture's file.
pub(crate) fn encoded(tool: &str, pixels: &Pixels, format: Format) -> Result<Vec<u8>, ToolError> {
    let failed = |error: &dyn std::fmt::Display| {
        ToolError::new(Code::Internal, format!("{tool}: the picture cannot be encoded: {error}"))
    };
    let Pixels { width, height, rgb } = pixels;
    let mut bytes = Vec::with_capacity(rgb.len() / 8);
    match format {
        Format::Png => {
            let mut encoder = png::Encoder::new(&mut bytes, *width, *height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_compression(png::Compression::Fast);
            let mut writer = encoder.write_header().map_err(|error| failed(&error))?;
            writer.write_image_data(rgb).map_err(|error| failed(&error))?;
            writer.finish().map_err(|error| failed(&error))?;
        }
        Format::Jpeg => {
            let (Ok(width), Ok(height)) = (u16::try_from(*width), u16::try_from(*height)) else {
                return Err(failed(&"JPEGs have at most 65,535 pixels in a row"));
            };
            jpeg_encoder::Encoder::new(&mut bytes, JPEG_QUALITY)
                .encode(rgb, width, height, jpeg_encoder::ColorType::Rgb)
                .map_err(|error| failed(&error))?;
        }
        Format::Webp => image_webp::WebPEncoder::new(&mut bytes)
            .encode(rgb, *width, *height, image_webp::ColorType::Rgb8)
            .map_err(|error| failed(&error))?,
    }
    Ok(bytes)
}

/// A picture for a result.
pub(crate) struct ReturnedPicture {
    /// In base64.
    pub(crate) data: String,
    pub(crate) format: Format,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) scale: f64,
}

/// The scale at which a picture costs a model at most `tokens`.
pub(crate) fn scale_for(pixels: &Pixels, tokens: u32) -> f64 {
    let count = f64::from(pixels.width) * f64::from(pixels.height);
    (f64::from(tokens) * PIXELS_PER_TOKEN / count.max(1.0)).sqrt().min(1.0)
}

/// The picture within the limits of results: as a JPEG, or smaller, if there is no other way.
pub(crate) fn for_result(
    tool: &str,
    pixels: &Pixels,
    format: Format,
    tokens: u32,
) -> Result<ReturnedPicture, ToolError> {
    let first = scale_for(pixels, tokens);
    let attempts = [
        (1.0, format),
        (1.0, Format::Jpeg),
        (0.7, Format::Jpeg),
        (0.5, Format::Jpeg),
        (0.25, Format::Jpeg),
    ];
    for (factor, format) in attempts {
        let scale = first * factor;
        let smaller = (scale < 1.0).then(|| pixels.shrunk(scale));
        let pixels = smaller.as_ref().unwrap_or(pixels);
        let bytes = encoded(tool, pixels, format)?;
        if bytes.len() <= MAX_PICTURE_BYTES {
            let (width, height) = (pixels.width, pixels.height);
            return Ok(ReturnedPicture {
                data: STANDARD.encode(bytes),
                format,
                width,
                height,
                scale,
            });
        }
    }
    Err(ToolError::new(Code::TooLarge, format!("{tool}: the picture is too large for a result"))
        .hint("`path` stores it in a file"))
}
