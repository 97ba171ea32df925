//! `cargo nextest run --message-format libtest-json-plus`, with cargo's own messages before it.

use serde_json::Value;

use super::cargo::Cargo;
use super::libtest;
use super::lines::LineFormat;
use super::text;
use crate::findings::Findings;

/// The format.
#[derive(Default)]
pub(crate) struct Nextest {
    cargo: Cargo,
}

impl LineFormat for Nextest {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let value = serde_json::from_str::<Value>(line).unwrap_or_default();
        if value["type"] != "test" {
            return self.cargo.line(line, found);
        }
        let Some(name) = text(&value["name"]) else { return };
        match value["event"].as_str() {
            Some("started") => found.begin(&name),
            Some("ok") => {
                found.end(&name);
                found.pass();
            }
            Some("ignored") => {
                found.end(&name);
                found.skip();
            }
            Some("failed") => {
                found.end(&name);
                let output = text(&value["stdout"]).unwrap_or_default();
                let lines = own_lines(&output);
                let reason = text(&value["reason"]);
                let mut failure = libtest::failure(test_name(&name), &lines);
                if let Some(reason) = reason.filter(|_| lines.is_empty()) {
                    failure.message = reason;
                }
                found.fail(failure);
            }
            _ => {}
        }
    }

    fn end(&mut self, found: &mut Findings) {
        self.cargo.end(found);
    }
}

/// The test's own name in `PACKAGE::PROGRAM$NAME`.
fn test_name(name: &str) -> &str {
    name.split_once('$').map_or(name, |(_, own)| own)
}

/// What a test printed, without the text of the test program around it.
fn own_lines(output: &str) -> Vec<String> {
    let lines = output.lines().skip_while(|line| !line.starts_with("---- ")).skip(1);
    let section: Vec<String> =
        lines.take_while(|line| *line != "failures:").map(str::to_owned).collect();
    if section.is_empty() { output.lines().map(str::to_owned).collect() } else { section }
}
