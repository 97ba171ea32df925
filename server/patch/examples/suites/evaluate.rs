//! Reads a test source statement by statement and collects the calls of the function under test
//! with what is expected of them.
//!
//! This is no interpreter: it knows literals, variables, a few methods of strings, files and the
//! usual assertions. What it does not know is `Unknown`, and a call with an unknown text is no case.

use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use crate::calls::Call;
use crate::case::{Case, Expected, Files};
use crate::value::{Value, unescaped};

/// Variables and files as they stand at a statement.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) values: HashMap<String, Value>,
    /// `None`: a call has changed it, and nothing says how.
    pub(crate) files: BTreeMap<String, Option<String>>,
    /// The last call of the function under test.
    pub(crate) last: Option<usize>,
}

pub(crate) struct Evaluator<'t> {
    source: &'t str,
    python: bool,
    calls: &'static [Call],
    pub(crate) scope: Scope,
    /// Fixtures of pytest: functions whose value a test asks for by a parameter's name.
    fixtures: HashMap<&'t str, Node<'t>>,
    returned: Option<Value>,
    name: String,
    pub(crate) cases: Vec<Case>,
}

impl<'t> Evaluator<'t> {
    pub(crate) fn new(source: &'t str, python: bool, calls: &'static [Call]) -> Self {
        Self {
            source,
            python,
            calls,
            scope: Scope::default(),
            fixtures: HashMap::new(),
            returned: None,
            name: String::new(),
            cases: Vec::new(),
        }
    }

    pub(crate) fn raw(&self, node: Node<'_>) -> &'t str {
        &self.source[node.byte_range()]
    }

    fn field(&self, node: Node<'t>, name: &str) -> Option<Node<'t>> {
        node.child_by_field_name(name)
    }

    fn children(node: Node<'t>) -> Vec<Node<'t>> {
        (0..node.named_child_count() as u32)
            .filter_map(|at| node.named_child(at))
            .filter(|child| child.kind() != "comment")
            .collect()
    }

    /// Reads a statement, or a list of them.
    pub(crate) fn statement(&mut self, node: Node<'t>) {
        match node.kind() {
            "program"
            | "module"
            | "statement_block"
            | "block"
            | "expression_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "class_definition"
            | "class_body"
            | "export_statement" => {
                for child in Self::children(node) {
                    self.statement(child);
                }
            }
            "variable_declarator" => {
                if let (Some(name), Some(value)) =
                    (self.field(node, "name"), self.field(node, "value"))
                {
                    let value = self.value(value);
                    self.bind(name, value);
                }
            }
            "function_definition" => self.python_function(node, &[]),
            "decorated_definition" => self.decorated(node),
            "if_statement" => {
                let branch = self.field(node, "consequence");
                branch.into_iter().for_each(|branch| self.statement(branch));
            }
            "try_statement" => {
                let body = self.field(node, "body");
                body.into_iter().for_each(|body| self.statement(body));
            }
            "for_in_statement" | "for_statement" => self.each(node),
            "with_statement" => self.with(node),
            "assert_statement" => {
                if let Some(child) = Self::children(node).first() {
                    self.assertion(*child);
                }
            }
            "return_statement" => {
                let value = Self::children(node).first().map(|child| self.value(*child));
                self.returned = value;
            }
            "function_declaration" | "import_statement" | "import_from_statement" | "comment" => {}
            _ => {
                self.value(node);
            }
        }
    }

    /// `for (const x of list)` and `for x in list`, where the list is known.
    fn each(&mut self, node: Node<'t>) {
        let part = |names: [&str; 2]| names.iter().find_map(|name| self.field(node, name));
        let (Some(name), Some(list), Some(body)) =
            (self.field(node, "left"), part(["right", "right"]), self.field(node, "body"))
        else {
            return;
        };
        for value in self.value(list).list().to_vec() {
            self.bind(name, value);
            self.statement(body);
        }
    }

    /// Gives names their values: a name, or a pattern of names.
    pub(crate) fn bind(&mut self, pattern: Node<'t>, value: Value) {
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                self.scope.values.insert(self.raw(pattern).to_owned(), value);
            }
            "object_pattern" => {
                for child in Self::children(pattern) {
                    let key = match child.kind() {
                        "pair_pattern" => self.field(child, "key").map(|key| self.raw(key)),
                        _ => Some(self.raw(child)),
                    };
                    let value = key.and_then(|key| value.get(key)).cloned().unwrap_or_default();
                    let target = self.field(child, "value").unwrap_or(child);
                    self.bind(target, value);
                }
            }
            "array_pattern" | "pattern_list" | "tuple_pattern" => {
                for (at, child) in Self::children(pattern).into_iter().enumerate() {
                    self.bind(child, value.list().get(at).cloned().unwrap_or_default());
                }
            }
            // Parameters with types or defaults.
            "required_parameter" | "optional_parameter" => {
                if let Some(name) = self.field(pattern, "pattern") {
                    self.bind(name, value);
                }
            }
            "typed_parameter" => {
                if let Some(name) = Self::children(pattern).first() {
                    self.bind(*name, value);
                }
            }
            _ => {}
        }
    }

    /// Runs the body of a function literal with these values of its parameters.
    pub(crate) fn run(&mut self, function: Node<'t>, arguments: &[Value]) -> Value {
        if let Some(parameter) = self.field(function, "parameter") {
            self.bind(parameter, arguments.first().cloned().unwrap_or_default());
        }
        if let Some(parameters) = self.field(function, "parameters") {
            for (at, parameter) in Self::children(parameters).into_iter().enumerate() {
                self.bind(parameter, arguments.get(at).cloned().unwrap_or_default());
            }
        }
        match self.field(function, "body") {
            Some(body) if body.kind() == "statement_block" => {
                self.statement(body);
                Value::Unknown
            }
            Some(body) => self.value(body),
            None => Value::Unknown,
        }
    }

    fn decorated(&mut self, node: Node<'t>) {
        let Some(definition) = self.field(node, "definition") else { return };
        let decorators: Vec<Node<'t>> =
            Self::children(node).into_iter().filter(|child| child.kind() == "decorator").collect();
        let name = self.field(definition, "name").map(|name| self.raw(name)).unwrap_or_default();
        if decorators.iter().any(|decorator| self.raw(*decorator).contains("fixture")) {
            self.fixtures.insert(name, definition);
            return;
        }
        let rows = decorators.iter().find(|d| self.raw(**d).contains("parametrize"));
        match rows.and_then(|decorator| self.rows(*decorator)) {
            Some((names, rows)) => {
                for row in rows {
                    let values = match (&row, names.len()) {
                        (Value::List(values), count) if count > 1 => values.clone(),
                        _ => vec![row.clone()],
                    };
                    let bound: Vec<_> = names.iter().cloned().zip(values).collect();
                    self.python_function(definition, &bound);
                }
            }
            None => self.statement(definition),
        }
    }

    /// The names and rows of `parametrize("a,b", [(1, 2), …])`.
    fn rows(&mut self, decorator: Node<'t>) -> Option<(Vec<String>, Vec<Value>)> {
        let call = Self::children(decorator).into_iter().find(|child| child.kind() == "call")?;
        let arguments = Self::children(self.field(call, "arguments")?);
        let names = match self.value(*arguments.first()?) {
            Value::Text(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
            Value::List(names) => {
                names.iter().filter_map(|n| n.text().map(str::to_owned)).collect()
            }
            _ => return None,
        };
        match self.value(*arguments.get(1)?) {
            Value::List(rows) => Some((names, rows)),
            _ => None,
        }
    }

    /// A test, or a function that is none: only tests run.
    fn python_function(&mut self, node: Node<'t>, bound: &[(String, Value)]) {
        let name = self.field(node, "name").map(|name| self.raw(name)).unwrap_or_default();
        if !name.starts_with("test") {
            return;
        }
        let before = self.scope.clone();
        name.clone_into(&mut self.name);
        let parameters = self.field(node, "parameters").map(Self::children).unwrap_or_default();
        for parameter in parameters {
            let name = match parameter.kind() {
                "typed_parameter" => Self::children(parameter).first().map(|n| self.raw(*n)),
                _ => Some(self.raw(parameter)),
            };
            let name = name.unwrap_or_default();
            let value = match self.fixtures.get(name).copied() {
                Some(fixture) => self.fixture(fixture),
                None if name.contains("file") => Value::Text("file.txt".to_owned()),
                // A temporary folder: paths in it are taken as relative ones.
                None if name.contains("tmp") || name.contains("temp") => Value::Text(String::new()),
                None => Value::Unknown,
            };
            self.scope.values.insert(name.to_owned(), value);
        }
        self.scope.values.extend(bound.iter().cloned());
        if let Some(body) = self.field(node, "body") {
            self.statement(body);
        }
        self.scope = before;
    }

    fn fixture(&mut self, node: Node<'t>) -> Value {
        self.scope.values.insert("tmp_path".to_owned(), Value::Text(String::new()));
        self.returned = None;
        if let Some(body) = self.field(node, "body") {
            self.statement(body);
        }
        self.returned.take().unwrap_or_default()
    }

    /// `with pytest.raises(…):` expects a refusal of the calls inside; `with open(f, "w") as f:`
    /// gives a path another name.
    fn with(&mut self, node: Node<'t>) {
        let head = &self.source[node.start_byte()
            ..self.field(node, "body").map_or(node.end_byte(), |b| b.start_byte())];
        let refused = head.contains("raises(") || head.contains("assertRaises(");
        let from = self.cases.len();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            for child in Self::children(next) {
                match child.kind() {
                    "with_clause" | "with_item" => stack.push(child),
                    "as_pattern" => {
                        let parts = Self::children(child);
                        let value = parts.first().map(|part| self.value(*part)).unwrap_or_default();
                        let target = parts.get(1).and_then(|target| target.named_child(0));
                        target.into_iter().for_each(|target| self.bind(target, value.clone()));
                    }
                    _ => {}
                }
            }
        }
        if let Some(body) = self.field(node, "body") {
            self.statement(body);
        }
        if refused {
            for case in &mut self.cases[from..] {
                case.expected = Some(Expected::Refusal);
            }
        }
    }

    /// `assert a == b` and `assert "x" in a`.
    fn assertion(&mut self, node: Node<'t>) {
        let (negated, inner) = match node.kind() {
            "not_operator" => (true, node.child_by_field_name("argument").unwrap_or(node)),
            _ => (false, node),
        };
        if node.kind() != "comparison_operator" {
            if let Value::Field(case, name) = self.value(inner)
                && name == "is_error"
            {
                self.set_expected(
                    case,
                    if negated { Expected::Success } else { Expected::Refusal },
                );
            }
            return;
        }
        let sides = Self::children(node);
        let [left, right] = sides[..] else { return };
        let between = self.source[left.end_byte()..right.start_byte()].trim();
        let (left, right) = (self.value(left), self.value(right));
        match between {
            "==" => self.expect_equal(&left, &right),
            "in" => self.expect_inside(&right, &left),
            _ => {}
        }
    }

    /// Whatever the value of an expression is; reading it runs the calls inside.
    pub(crate) fn value(&mut self, node: Node<'t>) -> Value {
        match node.kind() {
            "string" | "template_string" => self.literal(node),
            "concatenated_string" => {
                let parts: Vec<Value> =
                    Self::children(node).into_iter().map(|c| self.value(c)).collect();
                parts.into_iter().reduce(Value::plus).unwrap_or_default()
            }
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "undefined" | "none" => Value::Null,
            "number" | "integer" | "float" => {
                self.raw(node).parse().map_or(Value::Unknown, Value::Number)
            }
            "identifier" => self.scope.values.get(self.raw(node)).cloned().unwrap_or_default(),
            "array" | "list" | "tuple" | "expression_list" => {
                Value::List(Self::children(node).into_iter().map(|c| self.value(c)).collect())
            }
            "object" | "dictionary" => self.map(node),
            "parenthesized_expression"
            | "await_expression"
            | "await"
            | "as_expression"
            | "non_null_expression"
            | "satisfies_expression" => {
                Self::children(node).first().map_or(Value::Unknown, |child| self.value(*child))
            }
            "binary_expression" | "binary_operator" => self.operator(node),
            "assignment_expression" | "assignment" => {
                let value =
                    self.field(node, "right").map(|right| self.value(right)).unwrap_or_default();
                if let Some(left) = self.field(node, "left") {
                    self.bind(left, value.clone());
                }
                value
            }
            "member_expression" | "attribute" => {
                let object = self.field(node, "object").map(|o| self.value(o)).unwrap_or_default();
                let name = self.field(node, "property").or_else(|| self.field(node, "attribute"));
                let name = name.map(|name| self.raw(name)).unwrap_or_default();
                member(&object, name)
            }
            "subscript_expression" | "subscript" => {
                let object = self.field(node, "object").or_else(|| self.field(node, "value"));
                let object = object.map(|object| self.value(object)).unwrap_or_default();
                let index = self.field(node, "index").or_else(|| self.field(node, "subscript"));
                match index.map(|index| self.value(index)).unwrap_or_default() {
                    Value::Number(at) => {
                        object.list().get(at as usize).cloned().unwrap_or_default()
                    }
                    Value::Text(name) => member(&object, &name),
                    _ => Value::Unknown,
                }
            }
            "call_expression" | "call" => self.call(node),
            // A function that is not called here is not run.
            "arrow_function" | "function_expression" | "lambda" => Value::Unknown,
            _ => {
                Self::children(node).into_iter().for_each(|child| drop(self.value(child)));
                Value::Unknown
            }
        }
    }

    fn literal(&mut self, node: Node<'t>) -> Value {
        let raw = self.raw(node);
        let quote = raw.find(['"', '\'', '`']).unwrap_or(0);
        let prefix = if self.python { raw[..quote].to_ascii_lowercase() } else { String::new() };
        let mut text = String::new();
        let mut stack: Vec<Node<'t>> = Self::children(node).into_iter().rev().collect();
        while let Some(part) = stack.pop() {
            match part.kind() {
                // In Python, the escapes are inside of the content.
                "string_content" if part.named_child_count() > 0 && !prefix.contains('r') => {
                    let mut at = part.start_byte();
                    for child in Self::children(part) {
                        text.push_str(&self.source[at..child.start_byte()]);
                        text.push_str(&match child.kind() {
                            "escape_sequence" => unescaped(self.raw(child), true),
                            "escape_interpolation" => self.raw(child)[..1].to_owned(),
                            _ => self.raw(child).to_owned(),
                        });
                        at = child.end_byte();
                    }
                    text.push_str(&self.source[at..part.end_byte()]);
                }
                "string_fragment" | "string_content" => text.push_str(self.raw(part)),
                "escape_sequence" => text.push_str(&unescaped(self.raw(part), self.python)),
                "template_substitution" | "interpolation" => {
                    let value = part.named_child(0).map(|inner| self.value(inner));
                    match value {
                        Some(Value::Text(inner)) => text.push_str(&inner),
                        Some(Value::Number(number)) => text.push_str(&number.to_string()),
                        _ => return Value::Unknown,
                    }
                }
                _ => {}
            }
        }
        Value::Text(text)
    }

    fn map(&mut self, node: Node<'t>) -> Value {
        let mut entries = Vec::new();
        for child in Self::children(node) {
            match child.kind() {
                "pair" => {
                    let (Some(key), Some(value)) =
                        (self.field(child, "key"), self.field(child, "value"))
                    else {
                        continue;
                    };
                    let key = match key.kind() {
                        "property_identifier" => self.raw(key).to_owned(),
                        _ => self.value(key).text().unwrap_or_default().to_owned(),
                    };
                    entries.push((key, self.value(value)));
                }
                "method_definition" => {
                    let name = self.field(child, "name").map(|name| self.raw(name));
                    entries.push((name.unwrap_or_default().to_owned(), Value::Unknown));
                }
                "shorthand_property_identifier" => {
                    let name = self.raw(child);
                    let value = self.scope.values.get(name).cloned().unwrap_or_default();
                    entries.push((name.to_owned(), value));
                }
                _ => {}
            }
        }
        Value::Map(entries)
    }

    fn operator(&mut self, node: Node<'t>) -> Value {
        let (Some(left), Some(right)) = (self.field(node, "left"), self.field(node, "right"))
        else {
            return Value::Unknown;
        };
        let operator = self.source[left.end_byte()..right.start_byte()].trim();
        let (left, right) = (self.value(left), self.value(right));
        match (operator, &left, &right) {
            ("+", ..) => left.plus(right),
            ("*", Value::Text(_), Value::Number(_)) => left.method("repeat", &[right]),
            // A path of Python.
            ("/", Value::Text(folder), Value::Text(name)) => {
                Value::Text(format!("{folder}/{name}").trim_start_matches('/').to_owned())
            }
            _ => Value::Unknown,
        }
    }

    // What a call of the function under test makes.

    /// Puts a call on the list of cases, where it has one of the known shapes.
    pub(crate) fn case(&mut self, call: &Call, arguments: &[Value], named: &Value) -> Value {
        let known: Files = self
            .scope
            .files
            .iter()
            .filter_map(|(path, text)| Some((path.clone(), text.clone()?)))
            .collect();
        self.scope.last = None;
        let Some((files, parameters, target)) = call.shape.to_tool_call(arguments, named, &known)
        else {
            return Value::Unknown;
        };
        let case = Case { name: self.name.clone(), files, parameters, target, expected: None };
        for path in case.files.keys() {
            if let Some(text) = self.scope.files.get_mut(path) {
                *text = None;
            }
        }
        self.cases.push(case);
        let last = self.cases.len() - 1;
        self.scope.last = Some(last);
        match call.shape.returns_text() {
            true => Value::Outcome(last),
            false => Value::Report(last),
        }
    }

    pub(crate) fn call_named(&self, name: &str) -> Option<&'static Call> {
        self.calls.iter().find(|call| call.name == name)
    }

    pub(crate) fn set_name(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }
}

/// A field of a value.
fn member(object: &Value, name: &str) -> Value {
    match object {
        Value::Outcome(case) | Value::Report(case) => Value::Field(*case, name.to_owned()),
        Value::Text(text) if name == "length" => Value::Number(text.encode_utf16().count() as f64),
        _ => object.get(name).cloned().unwrap_or_default(),
    }
}
