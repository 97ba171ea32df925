//! JUnit XML, as pytest, ctest, Maven, Gradle and many others write it; and TRX, which dotnet writes.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::comparison::comparison;
use super::document::decode;
use super::place::place;
use crate::findings::{Failure, Findings};

/// Longest text that is kept of one element, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Last lines of the output that are the message if there is no other.
const MESSAGE_LINES: usize = 5;

/// Reads the reports in a text. They may begin anywhere, and break off anywhere.
pub(crate) fn read(output: &str, found: &mut Findings) {
    read_with(output, found, failure);
}

/// Reads reports of a runner whose failed test cases `failure` understands.
pub(super) fn read_with(output: &str, found: &mut Findings, failure: fn(Case) -> Failure) {
    let mut rest = output;
    while let Some(start) = start(rest) {
        let end = ["</testsuites>", "</TestRun>"]
            .iter()
            .find_map(|end| rest[start..].find(end).map(|at| start + at + end.len()));
        let end = end.unwrap_or(rest.len());
        read_xml(&rest[start..end], found, failure);
        rest = &rest[end..];
    }
}

/// Reads the bytes of a report file.
pub(crate) fn read_report(bytes: &[u8], found: &mut Findings) {
    read(&decode(bytes), found);
}

fn start(text: &str) -> Option<usize> {
    let starts = ["<?xml", "<testsuites", "<testsuite", "<TestRun"].map(|tag| text.find(tag));
    starts.into_iter().flatten().min()
}

/// A test as it is being read.
#[derive(Default)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) class: String,
    file: Option<String>,
    line: Option<u32>,
    status: Status,
    pub(super) message: String,
    pub(super) trace: String,
    pub(super) output: String,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Status {
    #[default]
    Passed,
    Failed,
    Skipped,
}

fn read_xml(xml: &str, found: &mut Findings, failure: fn(Case) -> Failure) {
    let mut reader = Reader::from_str(xml);
    // Node writes elements within text without escaping them.
    reader.config_mut().check_end_names = false;
    let mut case: Option<Case> = None;
    let mut element = Vec::new();
    found.has_tests = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                element = tag.local_name().as_ref().to_vec();
                open(&tag, &mut case);
            }
            Ok(Event::Empty(tag)) => {
                open(&tag, &mut case);
                if is_case(tag.local_name().as_ref()) {
                    finish(case.take(), found, failure);
                }
            }
            Ok(Event::Text(text)) => {
                let text = text.decode().map(std::borrow::Cow::into_owned).unwrap_or_default();
                append(&mut case, &element, &text);
            }
            Ok(Event::CData(text)) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                append(&mut case, &element, &text);
            }
            Ok(Event::GeneralRef(reference)) => {
                let name = String::from_utf8_lossy(&reference).into_owned();
                append(&mut case, &element, &entity(&name));
            }
            Ok(Event::End(tag)) => {
                element.clear();
                if is_case(tag.local_name().as_ref()) {
                    finish(case.take(), found, failure);
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                found.broken = Some(format!("the report breaks off: {error}"));
                break;
            }
        }
    }
    // The report ends within a test case: report the test as one that did not end.
    if let Some(case) = case {
        found.broken.get_or_insert_with(|| "the report breaks off".to_owned());
        found.begin(&case.full_name());
    }
}

fn is_case(name: &[u8]) -> bool {
    matches!(name, b"testcase" | b"UnitTestResult")
}

fn open(tag: &BytesStart<'_>, case: &mut Option<Case>) {
    let attribute = |name: &str| {
        let attribute = tag.attributes().flatten().find(|one| one.key.as_ref() == name.as_bytes());
        let value = String::from_utf8_lossy(&attribute?.value).into_owned();
        Some(unescape(&value))
    };
    match tag.local_name().as_ref() {
        b"testcase" => {
            let status = match attribute("status").as_deref() {
                Some("notrun" | "disabled" | "skipped") => Status::Skipped,
                Some("fail") => Status::Failed,
                _ => Status::Passed,
            };
            *case = Some(Case {
                name: attribute("name").unwrap_or_default(),
                class: attribute("classname").unwrap_or_default(),
                file: attribute("file"),
                line: attribute("line").and_then(|line| line.parse().ok()),
                status,
                ..Case::default()
            });
        }
        b"UnitTestResult" => {
            let status = match attribute("outcome").as_deref() {
                Some("Passed") => Status::Passed,
                Some("NotExecuted") => Status::Skipped,
                _ => Status::Failed,
            };
            let name = attribute("testName").unwrap_or_default();
            *case = Some(Case { name, status, ..Case::default() });
        }
        b"failure" | b"error" => {
            if let Some(case) = case {
                case.status = Status::Failed;
                if case.message.is_empty() {
                    case.message = attribute("message").unwrap_or_default();
                }
            }
        }
        b"skipped" => {
            if let Some(case) = case {
                case.status = Status::Skipped;
            }
        }
        _ => {}
    }
}

fn append(case: &mut Option<Case>, element: &[u8], text: &str) {
    let Some(case) = case else { return };
    let into = match element {
        b"failure" | b"error" | b"StackTrace" => &mut case.trace,
        b"system-out" | b"system-err" | b"StdOut" | b"StdErr" => &mut case.output,
        b"Message" => &mut case.message,
        _ => return,
    };
    let left = MAX_TEXT_BYTES.saturating_sub(into.len());
    into.push_str(&text[..text.floor_char_boundary(left)]);
}

impl Case {
    /// Its name with its file or class.
    fn full_name(&self) -> String {
        if let Some(file) = self.file.as_ref().filter(|file| file.ends_with(".py")) {
            return self.node_id(file);
        }
        match self.class.as_str() {
            "" | "test" => self.name.clone(),
            class if class == self.name => self.name.clone(),
            class => format!("{class}.{}", self.name),
        }
    }

    /// What runs only this test. `CLASS#NAME` must not be mistaken for a name with dots.
    fn id(&self) -> String {
        match (&self.file, self.class.as_str()) {
            (Some(file), _) if file.ends_with(".py") => self.node_id(file),
            (_, "" | "test") => self.name.clone(),
            (_, class) if class == self.name => self.name.clone(),
            (_, class) => format!("{class}#{}", self.name),
        }
    }

    /// pytest's `FILE::CLASS::NAME`. A class name of the report is `MODULE.CLASS`.
    fn node_id(&self, file: &str) -> String {
        if self.class.is_empty() {
            return file.to_owned();
        }
        let module = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
        let class = self.class.strip_prefix(&module).unwrap_or_default();
        let classes = class.split('.').filter(|class| !class.is_empty());
        let parts: Vec<&str> =
            std::iter::once(file).chain(classes).chain([self.name.as_str()]).collect();
        parts.join("::")
    }
}

fn finish(case: Option<Case>, found: &mut Findings, failure: fn(Case) -> Failure) {
    let Some(case) = case else { return };
    match case.status {
        Status::Passed => found.pass(),
        Status::Skipped => found.skip(),
        Status::Failed => found.fail(failure(case)),
    }
}

fn failure(case: Case) -> Failure {
    let (name, id) = (case.full_name(), case.id());
    let is_python = case.file.as_ref().is_some_and(|file| file.ends_with(".py"));
    let mut message = case.message.trim().to_owned();
    let trace = case.trace.trim();
    if is_python {
        message = python_message(&message, trace);
    } else if message.is_empty() || message == "null" || message == "Failed" {
        message = if trace.is_empty() { last_lines(&case.output) } else { first_lines(trace) };
    }
    if message.is_empty() {
        message = "it failed".to_owned();
    }
    let (expected, found) = comparison(&format!("{message}\n{trace}"));
    let at = place(trace).or_else(|| place(&message)).or_else(|| place(&case.output));
    let (file, line) = match at {
        Some((file, line)) => (Some(file), Some(line)),
        // pytest counts lines of definitions from 0.
        None => (case.file, case.line.map(|line| line + u32::from(is_python))),
    };
    let output = own_output(&case.output);
    Failure { name, id, unit: Vec::new(), file, line, message, expected, found, output }
}

/// The lines that pytest marks with `E`, without the marks; they explain the assertion.
fn python_message(message: &str, trace: &str) -> String {
    let marked: Vec<&str> = trace
        .lines()
        .filter_map(|line| line.strip_prefix("E "))
        .map(|line| line.strip_prefix("  ").unwrap_or(line).trim_end())
        .filter(|line| !line.trim().is_empty())
        .filter(|line| !line.contains("to get more diff") && !line.contains("use -vv to show"))
        .collect();
    if marked.is_empty() { message.to_owned() } else { marked.join("\n") }
}

/// What a test printed, without pytest's headings.
fn own_output(output: &str) -> String {
    let is_heading = |line: &str| {
        line.starts_with("-----") && line.contains(" Captured ") && line.ends_with('-')
    };
    let lines: Vec<&str> = output.lines().filter(|line| !is_heading(line)).collect();
    lines.join("\n").trim().to_owned()
}

fn first_lines(text: &str) -> String {
    text.lines().take(MESSAGE_LINES).collect::<Vec<_>>().join("\n")
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MESSAGE_LINES)..].join("\n")
}

/// The text of `&NAME;`.
fn entity(name: &str) -> String {
    let code = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => number.parse().ok(),
    });
    match (name, code.and_then(char::from_u32)) {
        ("lt", _) => "<".to_owned(),
        ("gt", _) => ">".to_owned(),
        ("amp", _) => "&".to_owned(),
        ("quot", _) => "\"".to_owned(),
        ("apos", _) => "'".to_owned(),
        (_, Some(character)) => character.to_string(),
        _ => format!("&{name};"),
    }
}

fn unescape(text: &str) -> String {
    match quick_xml::escape::unescape(text) {
        Ok(unescaped) => unescaped.into_owned(),
        Err(_) => text.to_owned(),
    }
}
