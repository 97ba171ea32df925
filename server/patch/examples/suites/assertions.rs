//! Calls in test sources: of the test framework, of files, and what is expected of a result.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::case::{Expected, Files};
use crate::evaluate::Evaluator;
use crate::value::Value;

/// Functions of test frameworks that run a function, and whether it sees the variables only.
const BLOCKS: [&str; 8] =
    ["describe", "it", "test", "suite", "context", "beforeEach", "beforeAll", "before"];

/// Names of Python's and Node's calls for files.
const WRITES: [&str; 3] = ["writeFile", "writeFileSync", "write_text"];
const READS: [&str; 4] = ["readFile", "readFileSync", "read_text", "read"];

impl<'t> Evaluator<'t> {
    /// A call, its arguments read first.
    pub(crate) fn call(&mut self, node: Node<'t>) -> Value {
        let Some(function) = node.child_by_field_name("function") else { return Value::Unknown };
        let list = node.child_by_field_name("arguments");
        let arguments: Vec<Node<'t>> = list
            .filter(|list| list.kind() != "template_string")
            .map(|list| {
                (0..list.named_child_count() as u32).filter_map(|at| list.named_child(at)).collect()
            })
            .unwrap_or_default();
        let arguments: Vec<Node<'t>> =
            arguments.into_iter().filter(|a| a.kind() != "comment").collect();
        let (object, name) = match function.kind() {
            "member_expression" | "attribute" => {
                let name = function
                    .child_by_field_name("property")
                    .or_else(|| function.child_by_field_name("attribute"));
                (
                    function.child_by_field_name("object"),
                    name.map(|name| self.raw(name)).unwrap_or_default(),
                )
            }
            "subscript_expression" => {
                let index = function.child_by_field_name("index");
                let name = index.map(|index| self.raw(index)).unwrap_or_default();
                (function.child_by_field_name("object"), name.trim_matches(['"', '\'']))
            }
            _ => (None, self.raw(function)),
        };
        if let Some(expected) = self.expectation(object) {
            self.expect(expected, object, name, &arguments);
            return Value::Unknown;
        }
        if self.block(function, &arguments) {
            return Value::Unknown;
        }
        if name == "withTempFile" {
            self.temporary_file(&arguments);
            return Value::Unknown;
        }
        let is_path = object.is_none_or(|object| matches!(self.raw(object), "path" | "os.path"));
        let object = object.map(|object| self.value(object));
        let mut values = Vec::new();
        let mut named = Vec::new();
        for argument in &arguments {
            match argument.kind() {
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name").map(|n| self.raw(n).to_owned());
                    let value = argument.child_by_field_name("value").map(|v| self.value(v));
                    named.push((name.unwrap_or_default(), value.unwrap_or_default()));
                }
                "arrow_function" | "function_expression" => {
                    self.run(*argument, &[]);
                    values.push(Value::Unknown);
                }
                _ => values.push(self.value(*argument)),
            }
        }
        if let Some(call) = self.call_named(name) {
            return self.case(call, &values, &Value::Map(named));
        }
        // An object of a class of Python, by its fields.
        if !named.is_empty() && values.is_empty() && name.starts_with(char::is_uppercase) {
            return Value::Map(named);
        }
        self.library(name, object.as_ref(), &values, is_path)
    }

    /// The few functions of libraries that tests make their texts and paths with.
    fn library(
        &mut self,
        name: &str,
        object: Option<&Value>,
        values: &[Value],
        is_path: bool,
    ) -> Value {
        let first = || values.first().cloned().unwrap_or_default();
        match (name, object) {
            ("assertEqual", _) => {
                if let [left, right, ..] = values {
                    self.expect_equal(left, right);
                }
                Value::Unknown
            }
            ("assertIn", _) => {
                if let [part, whole, ..] = values {
                    self.expect_inside(whole, part);
                }
                Value::Unknown
            }
            ("str" | "Path" | "open" | "parsePatch" | "list" | "String" | "dedent", _) => first(),
            ("join" | "resolve", _) if is_path => {
                let parts: Vec<&str> = values.iter().filter_map(Value::text).collect();
                Value::Text(parts.join("/").trim_start_matches('/').to_owned())
            }
            (name, _) if WRITES.contains(&name) || matches!(name, "write" | "_write") => {
                let (path, text) = match (object, values) {
                    (None, [Value::Text(folder), Value::Text(name), text]) => {
                        (Some(format!("{folder}/{name}").trim_start_matches('/').to_owned()), text)
                    }
                    (Some(Value::Text(path)), [text, ..]) => (Some(path.clone()), text),
                    (_, [path, text, ..]) => (path.text().map(str::to_owned), text),
                    _ => return Value::Unknown,
                };
                if let Some(path) = path {
                    self.scope.files.insert(path, text.text().map(str::to_owned));
                }
                Value::Unknown
            }
            (name, object) if READS.contains(&name) => {
                let path = object.filter(|o| o.text().is_some()).cloned().unwrap_or_else(first);
                path.text().map_or(Value::Unknown, |path| Value::File(path.to_owned()))
            }
            (_, Some(object)) => object.method(name, values),
            _ => Value::Unknown,
        }
    }

    /// `describe(…)`, `it(…)`, and `it.each(rows)(…)`.
    fn block(&mut self, function: Node<'t>, arguments: &[Node<'t>]) -> bool {
        let raw = self.raw(function);
        let head = raw.split(['.', '(']).next().unwrap_or_default();
        if !BLOCKS.contains(&head) {
            return false;
        }
        let Some(body) =
            arguments.iter().find(|a| matches!(a.kind(), "arrow_function" | "function_expression"))
        else {
            return raw.len() == head.len() || !raw.contains("each");
        };
        if head.starts_with("before") {
            self.run(*body, &[]);
            return true;
        }
        if let Some(Value::Text(name)) = arguments.first().map(|name| self.value(*name)) {
            self.set_name(&name);
        }
        let rows = match function.child_by_field_name("arguments") {
            Some(rows) => rows.named_child(0).map(|rows| self.value(rows)),
            None => Some(Value::List(vec![Value::Unknown])),
        };
        for row in rows.unwrap_or_default().list().to_vec() {
            let before = self.scope.clone();
            let values = match row {
                Value::List(values) => values,
                row => vec![row],
            };
            self.run(*body, &values);
            self.scope = before;
        }
        true
    }

    /// A suite's helper that calls a function with the path of a new file.
    fn temporary_file(&mut self, arguments: &[Node<'t>]) {
        let [text, body] = arguments else { return };
        let Value::Text(text) = self.value(*text) else { return };
        let before = self.scope.clone();
        self.scope.files.insert("example.txt".to_owned(), Some(text));
        self.run(*body, &[Value::Text("example.txt".to_owned())]);
        self.scope = before;
    }

    /// The `expect(…)` that a chain of matchers begins with.
    fn expectation(&self, object: Option<Node<'t>>) -> Option<Node<'t>> {
        let mut node = object?;
        loop {
            match node.kind() {
                "call_expression" => {
                    let function = node.child_by_field_name("function")?;
                    if self.raw(function) == "expect" {
                        return Some(node);
                    }
                    node = function;
                }
                "member_expression" | "subscript_expression" => {
                    node = node.child_by_field_name("object")?
                }
                _ => return None,
            }
        }
    }

    fn expect(
        &mut self,
        expected: Node<'t>,
        chain: Option<Node<'t>>,
        matcher: &str,
        arguments: &[Node<'t>],
    ) {
        let chain =
            chain.map(|chain| &self.raw(chain)[expected.byte_range().len()..]).unwrap_or_default();
        let negated = chain.contains(".not");
        let from = self.case_count();
        let subject =
            expected.child_by_field_name("arguments").and_then(|list| list.named_child(0));
        let Some(subject) = subject else { return };
        let value = match subject.kind() {
            "arrow_function" | "function_expression" => {
                self.run(subject, &[]);
                Value::Unknown
            }
            _ => self.value(subject),
        };
        if matcher.starts_with("toThrow") || matcher == "throw" {
            let expected = if negated { Expected::Success } else { Expected::Refusal };
            for at in from..self.case_count() {
                self.set_expected(at, expected.clone());
            }
            if let (Some(case), true) = (value.case(), chain.contains("rejects")) {
                self.set_expected(case, Expected::Refusal);
            }
            return;
        }
        let argument = arguments.first().map(|argument| self.value(*argument)).unwrap_or_default();
        match matcher {
            "toBe" | "toEqual" | "toStrictEqual" | "equal" | "eql" if !negated => {
                self.expect_equal(&value, &argument);
            }
            "toContain" if !negated => self.expect_inside(&value, &argument),
            _ => {}
        }
    }

    /// Two values are to be equal, one of which a call has made.
    pub(crate) fn expect_equal(&mut self, one: &Value, other: &Value) {
        let (made, expected) = match (one, other) {
            (Value::Outcome(_) | Value::Field(..) | Value::File(_), _) => (one, other),
            (_, Value::Outcome(_) | Value::Field(..) | Value::File(_)) => (other, one),
            _ => return,
        };
        match (made, expected) {
            (Value::File(path), Value::Text(text)) => {
                self.scope.files.insert(path.clone(), Some(text.clone()));
                let Some(last) = self.scope.last else { return };
                let files = BTreeMap::from([(path.clone(), Some(text.clone()))]);
                self.set_expected(last, Expected::Files(files));
            }
            (Value::Outcome(case), Value::Text(text)) => self.expect_text(*case, text),
            (Value::Outcome(case), Value::Bool(false)) => {
                self.set_expected(*case, Expected::Refusal)
            }
            (Value::Outcome(case), Value::List(list)) => self.expect_list(*case, list),
            (Value::Field(case, name), _) => match (name.as_str(), expected) {
                ("content" | "newContent" | "new_content", Value::Text(text)) => {
                    self.expect_text(*case, text)
                }
                ("success", Value::Bool(true)) => self.set_expected(*case, Expected::Success),
                ("success", Value::Bool(false)) => self.set_expected(*case, Expected::Refusal),
                ("occurrences", Value::Number(count)) if *count == 0.0 => {
                    self.set_expected(*case, Expected::Refusal);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// A text is to be in the file that a call has changed.
    pub(crate) fn expect_inside(&mut self, whole: &Value, part: &Value) {
        let Value::Text(part) = part else { return };
        let case = match whole {
            Value::File(_) => self.scope.last,
            Value::Outcome(case) => Some(*case),
            Value::Field(case, name) if name.to_lowercase().contains("content") => Some(*case),
            _ => None,
        };
        let Some(case) = case else { return };
        match &mut self.cases[case].expected {
            Some(Expected::Contains(parts)) => parts.push(part.clone()),
            Some(Expected::Files(_) | Expected::Refusal) => {}
            expected => *expected = Some(Expected::Contains(vec![part.clone()])),
        }
    }

    fn expect_text(&mut self, case: usize, text: &str) {
        let target = self.cases[case].target.clone();
        let files = BTreeMap::from([(target, Some(text.to_owned()))]);
        self.set_expected(case, Expected::Files(files));
    }

    /// Lines with what becomes of them, or the blocks that a patch was read into.
    fn expect_list(&mut self, case: usize, list: &[Value]) {
        let kept = |line: &Value| match line.get("type")?.text()? {
            "old" => Some(None),
            _ => Some(Some(line.get("line")?.text()?.to_owned())),
        };
        if let Some(lines) = list.iter().map(kept).collect::<Option<Vec<_>>>()
            && !lines.is_empty()
        {
            let before = self.cases[case].files.values().next().cloned().unwrap_or_default();
            let end = if before.ends_with('\n') { "\n" } else { "" };
            let lines: Vec<String> = lines.into_iter().flatten().collect();
            self.expect_text(case, &(lines.join("\n") + end));
            return;
        }
        let mut before = Files::new();
        let mut after = Files::new();
        for block in list {
            let [Value::Text(path), Value::Text(old), Value::Text(new)] = block.list() else {
                return;
            };
            before.entry(path.clone()).or_default().push_str(old);
            after.entry(path.clone()).or_default().push_str(new);
        }
        // A block without old text makes a new file.
        before.retain(|_, text| !text.is_empty());
        self.cases[case].files = before;
        self.set_expected(
            case,
            Expected::Files(after.into_iter().map(|(p, t)| (p, Some(t))).collect()),
        );
    }

    fn case_count(&self) -> usize {
        self.cases.len()
    }

    pub(crate) fn set_expected(&mut self, case: usize, expected: Expected) {
        let slot = &mut self.cases[case].expected;
        // What is said of the text tells more than that the call succeeds.
        if slot.is_none() || expected != Expected::Success {
            *slot = Some(expected);
        }
    }
}
