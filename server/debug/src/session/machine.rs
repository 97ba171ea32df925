//! Instructions and memory of a stopped program.

use serde::Deserialize;
use serde_json::json;

use super::Session;
use crate::{DebugError, Instruction, Patience};

#[derive(Deserialize)]
struct Instructions {
    #[serde(default)]
    instructions: Vec<Instruction>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Memory {
    address: String,
    data: Option<String>,
    unreadable_bytes: Option<u64>,
}

impl Session {
    /// Instructions from `offset` of them after the one at `place` on: an address, or a frame's
    /// `instruction_pointer_reference`.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn disassemble(
        &self,
        place: &str,
        offset: i64,
        count: usize,
        patience: Patience<'_>,
    ) -> Result<Vec<Instruction>, DebugError> {
        if !self.capabilities().supports_disassemble_request {
            return Err(self.unable("show instructions"));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let arguments = json!({
                "memoryReference": place, "instructionOffset": offset,
                "instructionCount": count, "resolveSymbols": true,
            });
            let mut told: Instructions = self.ask("disassemble", &arguments, patience).await?;
            told.instructions.truncate(count);
            Ok(told.instructions)
        })
    }

    /// Memory from `offset` bytes after `place` on, in base 64, with the address where it begins
    /// and how many of the bytes cannot be read.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn memory(
        &self,
        place: &str,
        offset: i64,
        count: usize,
        patience: Patience<'_>,
    ) -> Result<(String, String, u64), DebugError> {
        if !self.capabilities().supports_read_memory_request {
            return Err(self.unable("read memory"));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let arguments = json!({ "memoryReference": place, "offset": offset, "count": count });
            let told: Memory = self.ask("readMemory", &arguments, patience).await?;
            Ok((told.address, told.data.unwrap_or_default(), told.unreadable_bytes.unwrap_or(0)))
        })
    }

    pub(super) fn unable(&self, what: &str) -> DebugError {
        DebugError::Unsupported { adapter: self.adapter.name.clone(), what: what.to_owned() }
    }
}
