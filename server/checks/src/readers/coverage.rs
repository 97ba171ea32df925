//! Which lines tests ran: lcov, Cobertura's XML, and the profiles of Go, in either stream of a run.

use std::sync::LazyLock;

use regex::Regex;

use crate::findings::Coverage;

/// Limits of what is kept.
const MAX_FILES: usize = 20_000;
const MAX_LINES: usize = 4_000_000;
/// Longest line of a report, in bytes.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Attributes of an element of XML.
static ATTRIBUTE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b(filename|number|hits)=["']([^"']*)["']"#).ok());

/// Reads one stream.
#[derive(Debug, Default)]
pub(crate) struct CoverageReader {
    line: Vec<u8>,
    /// Whether XML has begun: its elements may all be on one line.
    is_xml: bool,
    file: Option<String>,
    lines: usize,
}

impl CoverageReader {
    /// Takes the next piece of the stream. Lines of anything else are ignored.
    pub(crate) fn push(&mut self, bytes: &[u8], coverage: &mut Coverage) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let is_end = |byte: &u8| *byte == b'\n' || self.is_xml && *byte == b'>';
            let end = rest.iter().position(is_end).map_or(rest.len(), |at| at + 1);
            let (piece, after) = rest.split_at(end);
            rest = after;
            let left = MAX_LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(left)]);
            if piece.ends_with(b"\n") || self.is_xml && piece.ends_with(b">") {
                let line = std::mem::take(&mut self.line);
                if let Ok(line) = std::str::from_utf8(&line) {
                    self.take(line.trim(), coverage);
                }
            }
        }
    }

    fn take(&mut self, line: &str, coverage: &mut Coverage) {
        if line.starts_with("<?xml") || line.starts_with("<coverage") {
            self.is_xml = true;
        } else if self.is_xml && line.starts_with('<') {
            self.element(line, coverage);
        } else if let Some(file) = line.strip_prefix("SF:") {
            self.file = Some(file.to_owned());
        } else if line == "end_of_record" {
            self.file = None;
        } else if let Some(data) = line.strip_prefix("DA:")
            && let Some(file) = self.file.clone()
        {
            let mut parts = data.split(',');
            let number = parts.next().and_then(|number| number.parse::<u32>().ok());
            let hits = parts.next().and_then(|hits| hits.parse::<f64>().ok());
            if let (Some(number), Some(hits)) = (number, hits) {
                self.set(coverage, &file, number..=number, hits > 0.0);
            }
        } else if let Some((file, lines, is_run)) = go_block(line) {
            self.set(coverage, file, lines, is_run);
        }
    }

    /// An element of Cobertura: a class has a file, and lines.
    fn element(&mut self, element: &str, coverage: &mut Coverage) {
        let attribute = |name: &str| {
            let mut attributes = ATTRIBUTE.as_ref()?.captures_iter(element);
            Some(attributes.find(|found| &found[1] == name)?.get(2)?.as_str())
        };
        if element.starts_with("<class ") {
            self.file = attribute("filename").map(unescape);
        } else if element.starts_with("</class") {
            self.file = None;
        } else if element.starts_with("</coverage") {
            self.is_xml = false;
        } else if element.starts_with("<line ")
            && let Some(file) = self.file.clone()
            && let Some(number) = attribute("number").and_then(|number| number.parse().ok())
            && let Some(hits) = attribute("hits").and_then(|hits| hits.parse::<u64>().ok())
        {
            self.set(coverage, &file, number..=number, hits > 0);
        }
    }

    fn set(
        &mut self,
        coverage: &mut Coverage,
        file: &str,
        numbers: std::ops::RangeInclusive<u32>,
        is_run: bool,
    ) {
        if !coverage.contains_key(file) && coverage.len() >= MAX_FILES {
            return;
        }
        let lines = coverage.entry(file.to_owned()).or_default();
        for number in numbers {
            self.lines += 1;
            if self.lines > MAX_LINES {
                return;
            }
            *lines.entry(number).or_default() |= is_run;
        }
    }
}

fn unescape(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), |text| text.into_owned())
}

/// A line of a Go profile: `FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT`.
fn go_block(line: &str) -> Option<(&str, std::ops::RangeInclusive<u32>, bool)> {
    let (rest, count) = line.rsplit_once(' ')?;
    let (rest, statements) = rest.rsplit_once(' ')?;
    let count: u64 = count.parse().ok()?;
    statements.parse::<u64>().ok()?;
    let (file, block) = rest.rsplit_once(':')?;
    let (from, to) = block.split_once(',')?;
    let line_of = |place: &str| place.split_once('.')?.0.parse::<u32>().ok();
    let (from, to) = (line_of(from)?, line_of(to)?);
    file.ends_with(".go").then_some((file, from..=to, count > 0))
}

/// Line numbers as ranges: `3-5, 9`.
pub(crate) fn ranges(numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == number => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(text: &str) -> Coverage {
        let (mut reader, mut coverage) = (CoverageReader::default(), Coverage::new());
        for piece in text.as_bytes().chunks(5) {
            reader.push(piece, &mut coverage);
        }
        coverage
    }

    #[test]
    fn lcov_is_read_among_other_output() {
        let text = "noise\nTN:\nSF:a.py\nDA:1,2\nDA:2,0,hash\nDA:x,1\nLF:2\nend_of_record\nDA:9,1\nSF:b.py\nDA:1,0\nend_of";
        let coverage = read(text);
        assert_eq!(coverage["a.py"], BTreeMap::from([(1, true), (2, false)]));
        assert_eq!(coverage["b.py"], BTreeMap::from([(1, false)]));
    }

    #[test]
    fn cobertura_is_read_whatever_its_lines() {
        let text = "noise\n<?xml version=\"1.0\"?>\n<coverage line-rate=\"0.5\"><packages><package><classes>\
                    <class name=\"A\" filename=\"src/a&amp;b.php\"><methods><method><lines>\
                    <line number=\"3\" hits=\"2\"/></lines></method></methods>\n<lines>\n\
                    <line number='4' hits='0' branch='true'/>\n<line number=\"x\" hits=\"1\"/></lines></class>\n\
                    <line number=\"9\" hits=\"1\"/></classes></package></packages></coverage>\nSF:c.js\nDA:1,1\n";
        let coverage = read(text);
        assert_eq!(coverage["src/a&b.php"], BTreeMap::from([(3, true), (4, false)]));
        assert_eq!(coverage["c.js"], BTreeMap::from([(1, true)]));
        assert_eq!(coverage.len(), 2);
    }

    #[test]
    fn profiles_of_go_are_read() {
        let text =
            "mode: set\nx.org/m/a.go:3.10,5.2 1 1\nx.org/m/a.go:5.2,7.1 2 0\nnot a block 1 2\n";
        let lines = &read(text)["x.org/m/a.go"];
        assert_eq!(
            lines,
            &BTreeMap::from([(3, true), (4, true), (5, true), (6, false), (7, false)])
        );
        assert_eq!(ranges([3, 4, 5, 9].into_iter()), [(3, 5), (9, 9)]);
    }
}
