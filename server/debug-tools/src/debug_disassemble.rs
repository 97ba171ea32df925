//! `debug_disassemble`: machine instructions of a stopped program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::display;
use super::failure;
use super::sessions::{request_limits, session};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, clip};

pub(crate) struct DebugDisassemble;

/// Limits: instructions of one result, default count, and offset.
const MAX_INSTRUCTIONS: usize = 500;
const DEFAULT_INSTRUCTIONS: usize = 20;
const MAX_OFFSET: i64 = 100_000;
/// How many frames are searched for the given one.
const MAX_FRAMES_SEARCHED: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The frame to start at; by default the newest.
    #[serde(default)]
    frame: Option<i64>,
    /// Or an address from another result.
    #[serde(default)]
    address: Option<String>,
    /// Start this many instructions later; earlier if negative.
    #[serde(default)]
    offset: i64,
    /// Number of instructions, up to 500; 20 by default.
    #[serde(default)]
    count: Option<usize>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The instructions, by address.
    instructions: Vec<InstructionOutput>,
}

#[derive(Serialize, JsonSchema)]
struct InstructionOutput {
    /// Its address.
    address: String,
    /// The instruction.
    instruction: String,
    /// Its bytes, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    /// The function that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// Its source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Its source line, 1-based, at the line's first instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
}

impl Tool for DebugDisassemble {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_disassemble";
    const DESCRIPTION: &'static str = "Disassemble around a frame of a stopped program, or at an \
        address, with functions and lines. Depends on the debugger.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.offset.abs() > MAX_OFFSET {
            let why = format!("`offset` must be within {MAX_OFFSET}");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let session = session(context, Self::NAME, params.session)?;
        let failed = |error| failure::from_debug_error(Self::NAME, error);
        let place = match params.address {
            Some(address) if address.len() <= 100 => address,
            Some(_) => return Err(failure::invalid(Self::NAME, "`address` is too long")),
            None => {
                let (frames, _) = session
                    .stack(None, 0, MAX_FRAMES_SEARCHED, request_limits(context))
                    .map_err(failed)?;
                let mut frames = frames.into_iter();
                let frame = match params.frame {
                    Some(id) => frames.find(|frame| frame.id == id),
                    None => frames.next(),
                };
                let place = frame.and_then(|frame| frame.instruction_pointer_reference);
                place.ok_or_else(|| {
                    let message = format!("{}: the frame has no instruction", Self::NAME);
                    ToolError::new(Code::Unsupported, message)
                        .hint("`debug_stack` lists frames; not every debugger reports addresses")
                })?
            }
        };
        let count = params.count.unwrap_or(DEFAULT_INSTRUCTIONS).clamp(1, MAX_INSTRUCTIONS);
        let disassembly =
            session.disassemble(&place, params.offset, count, request_limits(context));
        let instructions = disassembly.map_err(failed)?.into_iter().map(|one| InstructionOutput {
            address: clip(&one.address, 40),
            instruction: clip(&one.instruction, 200),
            bytes: one.instruction_bytes.map(|bytes| clip(&bytes, 60)),
            function: one.symbol.map(|symbol| clip(&symbol, 200)),
            file: one
                .location
                .and_then(|at| at.path)
                .map(|file| display::display_path(context, &file)),
            line: one.line.filter(|line| *line > 0),
        });
        Ok(Output { instructions: instructions.collect() })
    }
}
