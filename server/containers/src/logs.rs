//! Reading a container's output: pages by a cursor, and waiting for a line.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use http::Method;
use jiff::Timestamp;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use tools::{Code, ToolError};

use crate::client::{Content, Dial, path};
use crate::failure::Failure;
use crate::frames::{Frames, OutputStream};
use crate::limits::{OUTPUT_BYTES, PAGE_BYTES};
use crate::output::plain;

/// A position in an output: how many of the entries of one moment are before it. Daemons find entries by time only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LogCursor {
    seconds: i64,
    nanoseconds: i32,
    count: u32,
}

impl LogCursor {
    pub(crate) fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let parsed = || {
            let (time, count) = written.split_once(':')?;
            let (seconds, nanoseconds) = time.split_once('.')?;
            let is_whole =
                nanoseconds.len() == 9 && nanoseconds.chars().all(|c| c.is_ascii_digit());
            let (seconds, nanoseconds) = (seconds.parse().ok()?, nanoseconds.parse().ok()?);
            is_whole.then_some(Self { seconds, nanoseconds, count: count.parse().ok()? })
        };
        parsed().ok_or_else(|| {
            ToolError::new(Code::InvalidParams, format!("{tool}: `cursor` is no cursor"))
                .hint("pass `next_cursor` of an earlier result")
        })
    }

    pub(crate) fn text(self) -> String {
        format!("{}:{}", self.time(), self.count)
    }

    fn time(self) -> String {
        format!("{}.{:09}", self.seconds, self.nanoseconds)
    }

    /// The position behind one more entry of this moment.
    fn behind(self, at: Timestamp) -> Self {
        let is_same = (at.as_second(), at.subsec_nanosecond()) == (self.seconds, self.nanoseconds);
        let count = if is_same { self.count.saturating_add(1) } else { 1 };
        Self { seconds: at.as_second(), nanoseconds: at.subsec_nanosecond(), count }
    }
}

/// What to read of an output.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LogRange {
    /// From here on; otherwise from the start.
    pub(crate) from: Option<LogCursor>,
    /// The last entries only.
    pub(crate) tail: Option<usize>,
    /// Whether to wait for more.
    pub(crate) follow: bool,
}

/// Passes the entries of an output on with the position behind each, until `entry` returns false. Returns whether it
/// never did: then the output has ended.
pub(crate) async fn read(
    dial: &Dial,
    id: &str,
    has_terminal: bool,
    range: LogRange,
    mut entry: impl FnMut(OutputStream, &[u8], LogCursor) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    let since = range.from.map(LogCursor::time);
    let tail = range.tail.map(|lines| lines.to_string());
    let mut query = vec![("stdout", "1"), ("stderr", "1"), ("timestamps", "1")];
    query.extend(since.as_deref().map(|since| ("since", since)));
    query.extend(tail.as_deref().map(|tail| ("tail", tail)));
    if range.follow {
        query.push(("follow", "1"));
    }
    let path = path(&format!("/containers/{id}/logs"), &query);
    let mut frames = Frames::new(has_terminal);
    let mut position = LogCursor::default();
    let mut received = 0_u64;
    let mut one = |stream: OutputStream, bytes: &[u8]| {
        let (at, text) = timed(bytes);
        if let Some(at) = at {
            position = position.behind(at);
        }
        // The entries of this moment that were read before.
        let is_known = range
            .from
            .is_some_and(|from| position.time() == from.time() && position.count <= from.count);
        if is_known { Ok(true) } else { entry(stream, text, position) }
    };
    let ended = dial
        .stream(Method::GET, &path, Content::Nothing, |piece| {
            received += piece.len() as u64;
            if received > OUTPUT_BYTES {
                return Err(Failure::TooLarge("the output is too large to be searched".to_owned()));
            }
            let goes_on = frames.push(piece, &mut one)?;
            Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })
        .await?;
    if let (true, Some(last)) = (ended, frames.finish()) {
        one(OutputStream::Stdout, &last)?;
    }
    Ok(ended)
}

/// An entry's time, and its text.
fn timed(bytes: &[u8]) -> (Option<Timestamp>, &[u8]) {
    let Some(end) = bytes.iter().take(64).position(|byte| *byte == b' ') else {
        return (None, bytes);
    };
    let time = std::str::from_utf8(&bytes[..end]).ok().and_then(|time| time.parse().ok());
    // What has no time in front goes on with the entry before.
    if time.is_some() { (time, &bytes[end + 1..]) } else { (None, bytes) }
}

/// A page of an output.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct LogPage {
    /// Output of both streams, in order.
    pub(crate) output: String,
    /// Pass as `cursor` for what comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    /// Whether there is more now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) more: bool,
    /// Bytes before `output`, or in a long line of it, that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) skipped: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LogPage {
    /// The entries from a cursor on.
    pub(crate) async fn from_cursor(
        dial: &Dial,
        id: &str,
        has_terminal: bool,
        from: LogCursor,
    ) -> Result<Self, Failure> {
        let mut bytes: Vec<u8> = Vec::new();
        let (mut next, mut skipped) = (from, 0);
        let range = LogRange { from: Some(from), ..LogRange::default() };
        let ended = read(dial, id, has_terminal, range, |_, text, behind| {
            if !bytes.is_empty() && bytes.len() + text.len() > PAGE_BYTES {
                return Ok(false);
            }
            let shown = &text[..text.len().min(PAGE_BYTES)];
            skipped += (text.len() - shown.len()) as u64;
            bytes.extend_from_slice(shown);
            next = behind;
            Ok(true)
        })
        .await?;
        Ok(Self { output: plain(&bytes), next_cursor: Some(next.text()), more: !ended, skipped })
    }

    /// The last lines.
    pub(crate) async fn last_lines(
        dial: &Dial,
        id: &str,
        has_terminal: bool,
        lines: usize,
    ) -> Result<Self, Failure> {
        let mut kept: VecDeque<Vec<u8>> = VecDeque::new();
        let (mut size, mut skipped, mut next) = (0, 0, None);
        let range = LogRange { tail: Some(lines), ..LogRange::default() };
        read(dial, id, has_terminal, range, |_, text, behind| {
            let shown = &text[text.len().saturating_sub(PAGE_BYTES)..];
            skipped += (text.len() - shown.len()) as u64;
            size += shown.len();
            kept.push_back(shown.to_vec());
            while size > PAGE_BYTES && kept.len() > 1 {
                let gone = kept.pop_front().map_or(0, |line| line.len());
                size -= gone;
                skipped += gone as u64;
            }
            next = Some(behind);
            Ok(true)
        })
        .await?;
        let bytes: Vec<u8> = kept.into_iter().flatten().collect();
        Ok(Self {
            output: plain(&bytes),
            next_cursor: next.map(LogCursor::text),
            more: false,
            skipped,
        })
    }
}

/// Longest line that a pattern sees.
const LINE_BYTES: usize = 64 << 10;

/// The lines of an output whose entries may be parts of lines.
pub(crate) struct LineSearch {
    pattern: Regex,
    lines: [Vec<u8>; 2],
}

impl LineSearch {
    /// # Errors
    /// If the pattern is none.
    pub(crate) fn new(tool: &str, name: &str, pattern: &str) -> Result<Self, ToolError> {
        let built = regex::bytes::RegexBuilder::new(pattern).size_limit(1 << 20).build();
        let pattern = built.map_err(|error| {
            let why: String = error.to_string().chars().take(300).collect();
            ToolError::new(Code::InvalidParams, format!("{tool}: `{name}`: {why}"))
        })?;
        Ok(Self { pattern, lines: [Vec::new(), Vec::new()] })
    }

    /// Adds a part of the output; returns the line that matches.
    pub(crate) fn push(&mut self, stream: OutputStream, text: &[u8]) -> Option<String> {
        let line = &mut self.lines[usize::from(stream == OutputStream::Stderr)];
        for part in text.split_inclusive(|byte| *byte == b'\n') {
            let has_room = LINE_BYTES.saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(has_room)]);
            // A line that has not ended matches, too: a prompt has no end.
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            if self.pattern.is_match(body) {
                return Some(plain(body).chars().take(1_000).collect());
            }
            if part.ends_with(b"\n") {
                line.clear();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_their_text() {
        let at: Timestamp = "2026-11-28T16:36:52.431200872Z".parse().unwrap();
        let cursor = LogCursor::default().behind(at).behind(at);
        assert_eq!(cursor.text(), "1795883812.431200872:2");
        assert_eq!(LogCursor::parse("t", &cursor.text()).unwrap(), cursor);
        for bad in ["", "1:2", "1.2:3", "x.431200872:2", "1.431200872:-1", "1.4312008x2:1"] {
            assert!(LogCursor::parse("t", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn entries_have_their_time_in_front() {
        let (at, text) = timed(b"2026-11-28T16:36:52.431200872Z a b\n");
        assert!(at.is_some());
        assert_eq!(text, b"a b\n");
        assert_eq!(timed(b"no time\n").1, b"no time\n");
    }

    #[test]
    fn a_pattern_sees_whole_lines_of_one_stream() {
        let mut search = LineSearch::new("t", "pattern", "^ready on \\d+$").unwrap();
        assert_eq!(search.push(OutputStream::Stdout, b"ready "), None);
        assert_eq!(search.push(OutputStream::Stderr, b"on 80\n"), None);
        assert_eq!(search.push(OutputStream::Stdout, b"on 80\n").as_deref(), Some("ready on 80"));
        assert!(LineSearch::new("t", "pattern", "(").is_err());
    }
}
