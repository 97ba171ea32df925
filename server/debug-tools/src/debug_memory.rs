//! `debug_memory`: reads memory of a stopped program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::debug_evaluate::code_in_program;
use super::failure;
use super::sessions::{request_limits, session};
use tools::{Context, Effect, EffectKind, Tool, ToolError, results::is_zero};

pub(crate) struct DebugMemory;

/// Largest and default count, in bytes.
const MAX_BYTES: usize = 16 << 10;
const DEFAULT_BYTES: usize = 256;
/// Bytes a line.
const BYTES_PER_LINE: usize = 16;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An address, `0x7ffd10`, or a value's `memory` from `debug_evaluate`.
    address: String,
    /// Start this many bytes later; earlier if negative.
    #[serde(default)]
    offset: i64,
    /// Number of bytes, up to 16,384; 256 by default.
    #[serde(default)]
    count: Option<usize>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// First address.
    address: String,
    /// Lines of 16 bytes: offset, hexadecimal, text.
    dump: String,
    /// Number of bytes.
    count: usize,
    /// Number of requested bytes that cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: u64,
}

impl Tool for DebugMemory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_memory";
    const DESCRIPTION: &'static str = "Hex dump of memory of a stopped program. Depends on the \
        debugger. Needs approval, because bytes cannot be searched for secrets.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.address.is_empty() || params.address.len() > 100 {
            return Err(failure::invalid(Self::NAME, "`address` is empty or too long"));
        }
        let session = session(context, Self::NAME, params.session)?;
        let what = format!("read memory at {}", params.address);
        Ok(vec![code_in_program(session.title(), session.id(), &what)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let count = params.count.unwrap_or(DEFAULT_BYTES).clamp(1, MAX_BYTES);
        let read = session.memory(&params.address, params.offset, count, request_limits(context));
        let (address, data, unreadable) =
            read.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        let mut bytes = decode_base64(&data)
            .ok_or_else(|| failure::invalid(Self::NAME, "the debugger's answer is no base 64"))?;
        bytes.truncate(count);
        Ok(Output { address, dump: hex_dump(&bytes), count: bytes.len(), unreadable })
    }
}

/// Decodes base 64 (RFC 4648).
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xff) as u8);
        }
    }
    Some(out)
}

fn hex_dump(bytes: &[u8]) -> String {
    let lines = bytes.chunks(BYTES_PER_LINE).enumerate().map(|(number, line)| {
        let hex: Vec<_> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (b' '..=b'~').contains(byte) { *byte as char } else { '.' };
        let text: String = line.iter().map(shown).collect();
        format!("{:06x}  {:47}  {text}", number * BYTES_PER_LINE, hex.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_a_hex_dump() {
        assert_eq!(decode_base64("YW55IGNhcm5hbCBwbGVhcw==").unwrap(), b"any carnal pleas");
        assert_eq!(decode_base64("AP8=").unwrap(), [0, 255]);
        assert_eq!((decode_base64(""), decode_base64("*")), (Some(Vec::new()), None));
        let shown = hex_dump(b"0123456789abcdef\x00z");
        let lines: Vec<_> = shown.lines().collect();
        assert!(lines[0].starts_with("000000  30 31") && lines[0].ends_with("0123456789abcdef"));
        assert!(lines[1].starts_with("000010  00 7a ") && lines[1].ends_with(".z"), "{shown}");
    }
}
