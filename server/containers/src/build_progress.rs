//! What a daemon reports of a build, as steps.

use std::collections::VecDeque;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dockerfile::Instruction;
use crate::failure::{Failure, printable, printable_lines};
use crate::limits::{MESSAGE_BYTES, PROGRESS_BYTES, STEP_OUTPUT_BYTES};

/// A step of a build.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Step {
    /// Its number, from 1 on.
    pub(crate) step: usize,
    /// The instruction.
    pub(crate) instruction: String,
    /// Its line in the Dockerfile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// Whether the daemon had its result already.
    pub(crate) cached: bool,
    /// How long it took.
    pub(crate) duration_ms: u64,
    /// The last lines that it printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) output: String,
}

/// Collects a build's progress.
pub(crate) struct BuildProgress<'i> {
    instructions: &'i [Instruction],
    pub(crate) steps: Vec<Step>,
    /// The number of steps, as the first one writes it.
    total: String,
    /// The image's id.
    pub(crate) image: Option<String>,
    /// Why the build failed.
    pub(crate) error: Option<String>,
    received: u64,
    message: Vec<u8>,
    /// The text since the last line end.
    line: String,
    output: VecDeque<String>,
    output_bytes: usize,
    since: Instant,
}

/// A message of the daemon.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    stream: Option<String>,
    error: Option<String>,
    aux: Option<Aux>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Aux {
    #[serde(rename = "ID")]
    id: Option<String>,
}

impl<'i> BuildProgress<'i> {
    pub(crate) fn new(instructions: &'i [Instruction]) -> Self {
        Self {
            instructions,
            steps: Vec::new(),
            total: String::new(),
            image: None,
            error: None,
            received: 0,
            message: Vec::new(),
            line: String::new(),
            output: VecDeque::new(),
            output_bytes: 0,
            since: Instant::now(),
        }
    }

    /// Adds a piece of the daemon's answer.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<(), Failure> {
        self.received += piece.len() as u64;
        if self.received > PROGRESS_BYTES {
            let why =
                format!("the build printed more than {} MB and was ended", PROGRESS_BYTES >> 20);
            return Err(Failure::TooLarge(why));
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.message.extend_from_slice(part);
            if self.message.len() > MESSAGE_BYTES {
                let why = format!("a message of the build is longer than {MESSAGE_BYTES} bytes");
                return Err(Failure::Protocol(why));
            }
            if part.ends_with(b"\n") {
                self.take_message()?;
            }
        }
        Ok(())
    }

    /// Ends the last step.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.take_message()?;
        self.end_line();
        self.end_step();
        Ok(())
    }

    fn take_message(&mut self) -> Result<(), Failure> {
        let bytes = std::mem::take(&mut self.message);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let message: Message = serde_json::from_slice(&bytes).map_err(|_| {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
            Failure::Protocol(format!("`{start}` is no message of a build"))
        })?;
        if let Some(id) = message.aux.and_then(|aux| aux.id) {
            self.image = Some(id);
        }
        if let Some(error) = message.error {
            self.error = Some(printable(&error));
        }
        for part in message.stream.iter().flat_map(|text| text.split_inclusive('\n')) {
            self.line.push_str(part);
            if part.ends_with('\n') || self.line.len() > STEP_OUTPUT_BYTES {
                self.end_line();
            }
        }
        Ok(())
    }

    fn end_line(&mut self) {
        // What a command prints to its standard error is coloured, and the end of the colour is in the next line.
        let line = anstream::adapter::strip_str(&std::mem::take(&mut self.line)).to_string();
        let line = line.trim_end_matches(['\n', '\r']);
        if self.begin_step(line) {
            return;
        }
        let note = line.trim_start();
        if note.starts_with("---> Using cache") || note.starts_with("--> Using cache") {
            if let Some(step) = self.steps.last_mut() {
                step.cached = true;
            }
            return;
        }
        let is_note = [
            "---> ",
            "--> ",
            "Removing intermediate container ",
            "Successfully built ",
            "Successfully tagged ",
            "COMMIT ",
        ];
        if note.is_empty() || is_note.iter().any(|start| note.starts_with(start)) {
            return;
        }
        let line = printable_lines(line);
        self.output_bytes += line.len() + 1;
        self.output.push_back(line);
        while self.output_bytes > STEP_OUTPUT_BYTES && self.output.len() > 1 {
            self.output_bytes -= self.output.pop_front().map_or(0, |line| line.len() + 1);
        }
    }

    /// Begins the step that a line announces. What a command prints may look like that, so the number and the
    /// instruction must be those that come next, and the number of steps that of the first one.
    fn begin_step(&mut self, line: &str) -> bool {
        let Some(rest) = line.split_once("STEP ").or_else(|| line.split_once("Step ")) else {
            return false;
        };
        // Podman writes the stage in front.
        if !rest.0.is_empty() && !rest.0.starts_with('[') {
            return false;
        }
        let Some((numbers, text)) = rest.1.split_once(':') else { return false };
        let (number, total) = numbers.trim().split_once('/').unwrap_or((numbers.trim(), ""));
        let number = number.parse::<usize>().ok();
        let next = self.steps.len();
        let keyword = text.split_whitespace().next().unwrap_or_default();
        let (Some(number), Some(instruction)) = (number, self.instructions.get(next)) else {
            return false;
        };
        let is_next = number == next + 1 || rest.0.starts_with('[');
        if next > 0 && total != self.total {
            return false;
        }
        if !is_next || !keyword.eq_ignore_ascii_case(&instruction.keyword) {
            return false;
        }
        let line = instruction.line;
        if next == 0 {
            self.total = total.to_owned();
        }
        self.end_step();
        self.steps.push(Step {
            step: next + 1,
            instruction: printable(text.trim()),
            line: Some(line),
            cached: false,
            duration_ms: 0,
            output: String::new(),
        });
        true
    }

    fn end_step(&mut self) {
        let took = self.since.elapsed().as_millis();
        self.since = Instant::now();
        self.output_bytes = 0;
        let output: Vec<String> = self.output.drain(..).collect();
        if let Some(step) = self.steps.last_mut() {
            step.duration_ms = u64::try_from(took).unwrap_or(u64::MAX);
            step.output = output.join("\n");
        }
    }

    /// The line of the Dockerfile that an error is about: the one that it names, otherwise that of the last step.
    pub(crate) fn failing_line(&self, error: &str) -> Option<usize> {
        line_in(error).or_else(|| self.steps.last()?.line)
    }
}

/// The line that a parser's message names: `dockerfile parse error line 2: …`.
pub(crate) fn line_in(error: &str) -> Option<usize> {
    let rest = error.split_once("parse error")?.1;
    let digits = rest.split_once("line ")?.1;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dockerfile::instructions;

    #[test]
    fn steps_are_read_in_any_pieces() {
        let file = instructions("FROM base\n\nRUN make \\\n  all\nRUN false\n").unwrap();
        let answer = concat!(
            "{\"stream\":\"Step 1/3 : FROM base\"}\r\n{\"stream\":\"\\n\"}\r\n{\"stream\":\" ---\\u003e e20453df9e49\\n\"}\r\n",
            "{\"stream\":\"Step 2/3 : RUN make   all\"}\r\n{\"stream\":\"\\n\"}\r\n",
            "{\"stream\":\" ---\\u003e Using cache\\n\"}\r\n{\"stream\":\"\\u001b[0mStep 3/3 : RUN false\"}\r\n{\"stream\":\"\\n\"}\r\n",
            "{\"stream\":\"\\u001b[91mbad\\nStep 4/4 : RUN pretended\\n\\u001b[0m\"}\r\n",
            "{\"errorDetail\":{\"code\":1,\"message\":\"it failed\"},\"error\":\"it failed\"}\r\n",
        );
        for size in [1, 7, 10_000] {
            let mut progress = BuildProgress::new(&file);
            answer.as_bytes().chunks(size).for_each(|piece| progress.push(piece).unwrap());
            progress.finish().unwrap();
            let seen: Vec<_> = progress
                .steps
                .iter()
                .map(|step| (step.line, step.cached, step.output.as_str()))
                .collect();
            let printed = "bad\nStep 4/4 : RUN pretended";
            assert_eq!(
                seen,
                [(Some(1), false, ""), (Some(3), true, ""), (Some(5), false, printed)]
            );
            assert_eq!(progress.error.as_deref(), Some("it failed"));
            assert_eq!(progress.failing_line("it failed"), Some(5));
        }
    }

    #[test]
    fn garbage_and_endless_messages_end_the_build() {
        let mut progress = BuildProgress::new(&[]);
        assert!(matches!(progress.push(b"<html>\n"), Err(Failure::Protocol(_))));
        let mut progress = BuildProgress::new(&[]);
        assert!(matches!(progress.push(&vec![b'x'; MESSAGE_BYTES + 1]), Err(Failure::Protocol(_))));
        assert_eq!(line_in("dockerfile parse error line 12: unknown instruction"), Some(12));
        assert_eq!(line_in("line 3 is fine"), None);
    }

    #[test]
    fn what_a_step_prints_is_bounded() {
        let file = instructions("FROM base").unwrap();
        let mut progress = BuildProgress::new(&file);
        progress.push(b"{\"stream\":\"Step 1/1 : FROM base\\n\"}\n").unwrap();
        for _ in 0..10_000 {
            progress.push(b"{\"stream\":\"0123456789\\n\"}\n").unwrap();
        }
        progress.finish().unwrap();
        assert!(progress.steps[0].output.len() <= STEP_OUTPUT_BYTES);
    }
}
