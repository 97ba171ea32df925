//! Disassembly and memory of a stopped program.

use serde::Deserialize;
use serde_json::json;

use super::Session;
use crate::{DebugError, Instruction, WaitLimits};

#[derive(Deserialize)]
struct DisassembleBody {
    #[serde(default)]
    instructions: Vec<Instruction>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReadMemoryBody {
    address: String,
    data: Option<String>,
    unreadable_bytes: Option<u64>,
}

impl Session {
    /// Disassembles `count` instructions, starting `offset` instructions after `reference`: an address,
    /// or a frame's `instruction_pointer_reference`.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn disassemble(
        &self,
        reference: &str,
        offset: i64,
        count: usize,
        patience: WaitLimits<'_>,
    ) -> Result<Vec<Instruction>, DebugError> {
        if !self.capabilities().supports_disassemble_request {
            return Err(self.unsupported("show instructions"));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let arguments = json!({
                "memoryReference": reference, "instructionOffset": offset,
                "instructionCount": count, "resolveSymbols": true,
            });
            let mut body: DisassembleBody =
                self.request("disassemble", &arguments, patience).await?;
            body.instructions.truncate(count);
            Ok(body.instructions)
        })
    }

    /// Reads memory from `offset` bytes after `reference` on: its address, its content in base 64, and
    /// the number of unreadable bytes.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn memory(
        &self,
        reference: &str,
        offset: i64,
        count: usize,
        patience: WaitLimits<'_>,
    ) -> Result<(String, String, u64), DebugError> {
        if !self.capabilities().supports_read_memory_request {
            return Err(self.unsupported("read memory"));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let arguments =
                json!({ "memoryReference": reference, "offset": offset, "count": count });
            let body: ReadMemoryBody = self.request("readMemory", &arguments, patience).await?;
            Ok((body.address, body.data.unwrap_or_default(), body.unreadable_bytes.unwrap_or(0)))
        })
    }

    pub(super) fn unsupported(&self, what: &str) -> DebugError {
        DebugError::Unsupported { adapter: self.adapter.name.clone(), what: what.to_owned() }
    }
}
