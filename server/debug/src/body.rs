//! Bodies of answers, as far as they are used. Adapters leave out what they like.

use serde::{Deserialize, Deserializer};

/// What an adapter can do.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs, clippy::struct_excessive_bools)]
pub struct Capabilities {
    pub supports_configuration_done_request: bool,
    pub supports_function_breakpoints: bool,
    pub supports_conditional_breakpoints: bool,
    pub supports_hit_conditional_breakpoints: bool,
    pub supports_log_points: bool,
    pub supports_set_variable: bool,
    pub supports_set_expression: bool,
    pub supports_restart_request: bool,
    pub supports_terminate_request: bool,
    pub support_terminate_debuggee: bool,
    pub supports_cancel_request: bool,
    pub supports_evaluate_for_hovers: bool,
    pub supports_exception_info_request: bool,
    pub supports_delayed_stack_trace_loading: bool,
    pub supports_exception_filter_options: bool,
    pub supports_data_breakpoints: bool,
    pub supports_disassemble_request: bool,
    pub supports_read_memory_request: bool,
    #[serde(deserialize_with = "lenient")]
    pub exception_breakpoint_filters: Vec<ExceptionFilter>,
}

/// A kind of exceptions that an adapter can stop at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct ExceptionFilter {
    pub filter: String,
    pub label: String,
    pub default: bool,
    #[serde(rename = "supportsCondition")]
    pub supports_condition: bool,
}

/// Whatever of a list can be understood.
fn lenient<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let values = Option::<Vec<serde_json::Value>>::deserialize(deserializer)?;
    let values = values.unwrap_or_default().into_iter();
    Ok(values.filter_map(|value| serde_json::from_value(value).ok()).collect())
}

/// A thread of the program.
#[derive(Debug, Clone, Deserialize)]
pub struct Thread {
    /// Its number.
    pub id: i64,
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// Where code stands.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// A short name.
    pub name: Option<String>,
    /// The absolute path, where it is a file.
    pub path: Option<String>,
    /// The adapter's own number for code that is in no file; 0 for none.
    pub source_reference: Option<i64>,
}

/// A frame of a stack.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// Its number, while the program is stopped.
    pub id: i64,
    /// The function.
    #[serde(default)]
    pub name: String,
    /// Where its code stands.
    #[serde(default)]
    pub source: Option<Source>,
    /// 1-based; 0 where there is none.
    #[serde(default)]
    pub line: i64,
    /// 1-based; 0 where there is none.
    #[serde(default)]
    pub column: i64,
    /// Where its next instruction is, for [`Session::disassemble`](crate::Session::disassemble).
    #[serde(default)]
    pub instruction_pointer_reference: Option<String>,
    /// `label` for what is no frame but tells of some.
    #[serde(default)]
    pub presentation_hint: Option<String>,
}

/// A group of variables of a frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `arguments`, `locals`, `registers`, or the adapter's own.
    #[serde(default)]
    pub presentation_hint: Option<String>,
    /// The number of what it holds.
    #[serde(default)]
    pub variables_reference: i64,
    /// Whether it is costly to ask for what it holds.
    #[serde(default)]
    pub expensive: bool,
}

impl Scope {
    /// Whether it holds what belongs to the frame alone.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let hint = self.presentation_hint.as_deref().unwrap_or_default();
        matches!(hint, "locals" | "arguments") || name.contains("local") || name == "arguments"
    }
}

/// A variable, an element, or the value of an expression.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value as text.
    #[serde(alias = "result")]
    pub value: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The number of what it holds; 0 for nothing.
    pub variables_reference: i64,
    /// How many elements it holds.
    pub indexed_variables: Option<i64>,
    /// How many named parts it holds.
    pub named_variables: Option<i64>,
    /// The expression for it.
    pub evaluate_name: Option<String>,
    /// Where it is in memory, for [`Session::memory`](crate::Session::memory).
    pub memory_reference: Option<String>,
}

/// An instruction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Instruction {
    /// Its address, as the adapter writes it.
    pub address: String,
    /// Its bytes, in hexadecimal.
    pub instruction_bytes: Option<String>,
    /// The instruction in words.
    pub instruction: String,
    /// The function that it is in.
    pub symbol: Option<String>,
    /// The file of its line.
    pub location: Option<Source>,
    /// Its line, where that begins.
    pub line: Option<i64>,
}

/// What an adapter made of a breakpoint.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoundBreakpoint {
    /// The adapter's number for it.
    pub id: Option<i64>,
    /// Whether the program will stop there.
    pub verified: bool,
    /// Why not, or how.
    pub message: Option<String>,
    /// Where it is.
    pub source: Option<Source>,
    /// The line where it is.
    pub line: Option<i64>,
}

/// The program stopped.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stopped {
    pub(crate) reason: String,
    pub(crate) description: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) thread_id: Option<i64>,
    pub(crate) all_threads_stopped: Option<bool>,
    pub(crate) hit_breakpoint_ids: Vec<i64>,
}

/// The program goes on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Continued {
    pub(crate) thread_id: Option<i64>,
    pub(crate) all_threads_continued: Option<bool>,
}

/// Somebody wrote something.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Output {
    pub(crate) category: Option<String>,
    pub(crate) output: String,
}
