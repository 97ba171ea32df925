//! Reads PNG, JPEG and WebP. The header is read first: pictures that are too large are not decoded.

use std::io::Cursor;

use image_webp::WebPDecoder;
use tools::{Code, ToolError};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::limits::MAX_PIXELS;
use crate::pixels::Pixels;

/// The picture in a file's bytes. Where it is transparent, it is white.
pub(crate) fn decoded(tool: &str, bytes: &[u8]) -> Result<Pixels, ToolError> {
    let broken = |why: &dyn std::fmt::Display| {
        ToolError::new(Code::InvalidParams, format!("{tool}: the picture is broken: {why:.200}"))
    };
    if bytes.starts_with(b"\x89PNG") {
        return png(tool, bytes, &broken);
    }
    if bytes.starts_with(b"\xff\xd8") {
        return jpeg(tool, bytes, &broken);
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return webp(tool, bytes, &broken);
    }
    Err(ToolError::new(Code::Unsupported, format!("{tool}: this is no PNG, JPEG or WebP")))
}

type Broken<'b> = &'b dyn Fn(&dyn std::fmt::Display) -> ToolError;

/// Refuses pictures that are too large.
fn check_size(tool: &str, width: u64, height: u64) -> Result<(), ToolError> {
    if width * height <= MAX_PIXELS {
        return Ok(());
    }
    let message =
        format!("{tool}: {width}×{height} pixels are too many; {MAX_PIXELS} is the limit");
    Err(ToolError::new(Code::TooLarge, message).hint("cut or shrink it first"))
}

fn png(tool: &str, bytes: &[u8], broken: Broken<'_>) -> Result<Pixels, ToolError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Eight bits for each color, and no palettes.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let info = decoder.read_header_info().map_err(|error| broken(&error))?;
    check_size(tool, info.width.into(), info.height.into())?;
    let mut reader = decoder.read_info().map_err(|error| broken(&error))?;
    let size = reader.output_buffer_size().ok_or_else(|| broken(&"it is too large"))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|error| broken(&error))?;
    pixels.truncate(info.buffer_size());
    let rgb = match info.color_type {
        png::ColorType::Rgb => pixels,
        png::ColorType::Rgba => pixels
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|p| on_white([p[0], p[1], p[2]], p[3]))
            .collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|gray| [*gray; 3]).collect(),
        png::ColorType::GrayscaleAlpha => {
            pixels.as_chunks::<2>().0.iter().flat_map(|p| on_white([p[0]; 3], p[1])).collect()
        }
        png::ColorType::Indexed => return Err(broken(&"its palette is missing")),
    };
    Ok(Pixels { width: info.width, height: info.height, rgb })
}

fn jpeg(tool: &str, bytes: &[u8], broken: Broken<'_>) -> Result<Pixels, ToolError> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| broken(&error))?;
    let info = decoder.info().ok_or_else(|| broken(&"it has no header"))?;
    check_size(tool, info.width.into(), info.height.into())?;
    let rgb = decoder.decode().map_err(|error| broken(&error))?;
    Ok(Pixels { width: info.width.into(), height: info.height.into(), rgb })
}

fn webp(tool: &str, bytes: &[u8], broken: Broken<'_>) -> Result<Pixels, ToolError> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let (width, height) = decoder.dimensions();
    check_size(tool, width.into(), height.into())?;
    let size = decoder.output_buffer_size().ok_or_else(|| broken(&"it is too large"))?;
    let mut pixels = vec![0; size];
    decoder.read_image(&mut pixels).map_err(|error| broken(&error))?;
    let rgb = if decoder.has_alpha() {
        pixels.as_chunks::<4>().0.iter().flat_map(|p| on_white([p[0], p[1], p[2]], p[3])).collect()
    } else {
        pixels
    };
    Ok(Pixels { width, height, rgb })
}

/// A color as it looks on white.
fn on_white(color: [u8; 3], alpha: u8) -> [u8; 3] {
    let alpha = u32::from(alpha);
    color.map(|value| ((u32::from(value) * alpha + 255 * (255 - alpha)) / 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture_file::{Format, encoded};

    #[test]
    fn pictures_are_read_as_they_were_written() {
        let rgb: Vec<u8> = (0..16 * 8 * 3).map(|n| (n / 3 * 2) as u8).collect();
        let picture = Pixels { width: 16, height: 8, rgb };
        for format in [Format::Png, Format::Webp] {
            let bytes = encoded("t", &picture, format).unwrap();
            assert_eq!(decoded("t", &bytes).unwrap(), picture, "{format:?}");
        }
        let jpeg = decoded("t", &encoded("t", &picture, Format::Jpeg).unwrap()).unwrap();
        assert_eq!((jpeg.width, jpeg.height, jpeg.rgb.len()), (16, 8, picture.rgb.len()));
    }

    #[test]
    fn large_pictures_are_refused_by_their_header_and_broken_ones_fail() {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 100_000, 10_000);
        encoder.set_color(png::ColorType::Grayscale);
        drop(encoder.write_header().unwrap());
        assert_eq!(decoded("t", &png).unwrap_err().code, Code::TooLarge);
        let whole =
            encoded("t", &Pixels { width: 4, height: 4, rgb: vec![9; 48] }, Format::Png).unwrap();
        for bytes in
            [&whole[..20], &whole[..whole.len() - 20], b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBPVP8 "]
        {
            assert_eq!(decoded("t", bytes).unwrap_err().code, Code::InvalidParams, "{bytes:?}");
        }
        assert_eq!(decoded("t", b"GIF89a").unwrap_err().code, Code::Unsupported);
    }
}
