//! `debug_disassemble`: the instructions that a stopped program is at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure;
use super::running::{at_once, session};
use super::shown;
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugDisassemble;

/// Most instructions of one result, how many there are without a wish, and the farthest offset.
const MOST: usize = 500;
const USUAL: usize = 20;
const FARTHEST: i64 = 100_000;
/// Most frames that one is looked for among.
const FRAMES: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The frame whose next instruction it begins at; the newest one by default.
    #[serde(default)]
    frame: Option<i64>,
    /// Or an address, as another result has it.
    #[serde(default)]
    address: Option<String>,
    /// How many instructions after that one it begins; before it where negative.
    #[serde(default)]
    offset: i64,
    /// How many instructions, up to 500; 20 by default.
    #[serde(default)]
    count: Option<usize>,
    /// The debug session, where several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The instructions, in the order of their addresses.
    instructions: Vec<Shown>,
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    /// Where it is.
    address: String,
    /// The instruction.
    instruction: String,
    /// Its bytes, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    /// The function that begins there or that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// The file of its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Its 1-based line, where that begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
}

impl Tool for DebugDisassemble {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_disassemble";
    const DESCRIPTION: &'static str = "The machine instructions around where a frame of a stopped \
        program is, or at an address, with functions and lines. Where the debugger can.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.offset.abs() > FARTHEST {
            let why = format!("`offset` must be within {FARTHEST}");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let session = session(context, Self::NAME, params.session)?;
        let failed = |error| failure::of(Self::NAME, error);
        let place = match params.address {
            Some(address) if address.len() <= 100 => address,
            Some(_) => return Err(failure::invalid(Self::NAME, "`address` is too long")),
            None => {
                let (frames, _) =
                    session.stack(None, 0, FRAMES, at_once(context)).map_err(failed)?;
                let mut frames = frames.into_iter();
                let frame = match params.frame {
                    Some(id) => frames.find(|frame| frame.id == id),
                    None => frames.next(),
                };
                let place = frame.and_then(|frame| frame.instruction_pointer_reference);
                place.ok_or_else(|| {
                    let message = format!("{}: the frame has no instruction", Self::NAME);
                    ToolError::new(Code::Unsupported, message)
                        .hint("`debug_stack` lists frames; not every debugger tells addresses")
                })?
            }
        };
        let count = params.count.unwrap_or(USUAL).clamp(1, MOST);
        let told = session.disassemble(&place, params.offset, count, at_once(context));
        let instructions = told.map_err(failed)?.into_iter().map(|one| Shown {
            address: shown::clipped(&one.address, 40),
            instruction: shown::clipped(&one.instruction, 200),
            bytes: one.instruction_bytes.map(|bytes| shown::clipped(&bytes, 60)),
            function: one.symbol.map(|symbol| shown::clipped(&symbol, 200)),
            file: one.location.and_then(|at| at.path).map(|file| shown::path(context, &file)),
            line: one.line.filter(|line| *line > 0),
        });
        Ok(Output { instructions: instructions.collect() })
    }
}
