//! An SDK's client, driven through its bridge: a call a line, an answer a line.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Sdk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The tools of which no call has succeeded yet.
    uncalled: BTreeSet<String>,
}

impl Sdk {
    /// Starts a bridge; its SDK connects and lists the tools.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stdin = child.stdin.take();
        let mut sdk = Self { child, stdin, stdout, uncalled: BTreeSet::new() };
        let listed = sdk.answer();
        let names = listed["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).iter();
        sdk.uncalled = names.map(|name| name.as_str().unwrap().to_owned()).collect();
        sdk
    }

    /// Does not expect calls of these tools.
    pub(crate) fn leave_out(&mut self, is_left_out: impl Fn(&str) -> bool) {
        self.uncalled.retain(|name| !is_left_out(name));
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the bridge ended: {line}"))
    }

    /// A call that must succeed, with a result that the SDK takes.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask(tool, &arguments);
        let result = answer["result"].take();
        assert!(result.is_object(), "{tool} {arguments}: {answer}");
        self.uncalled.remove(tool);
        result
    }

    /// A call that must fail with the contract's `code`: an error is no result of the schema's.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value, code: &str) {
        let answer = self.ask(tool, &arguments);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert!(error.contains(code), "{tool} {arguments}: {error}");
    }

    fn ask(&mut self, tool: &str, arguments: &Value) -> Value {
        let call = json!({ "tool": tool, "arguments": arguments });
        writeln!(self.stdin.as_mut().unwrap(), "{call}").unwrap();
        self.answer()
    }

    pub(crate) fn uncalled(&self) -> Vec<String> {
        self.uncalled.iter().cloned().collect()
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
