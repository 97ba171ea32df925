//! Bodies of DAP responses and events, as far as we use them. Every field may be missing.

use serde::{Deserialize, Deserializer};

/// What an adapter supports.
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

/// An exception filter that an adapter offers.
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

/// Deserializes a list, skipping invalid elements.
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
    /// Its id.
    pub id: i64,
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// A source location's file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// A short name.
    pub name: Option<String>,
    /// The absolute path, if it is a file.
    pub path: Option<String>,
    /// The adapter's reference for code without a file; 0 for none.
    pub source_reference: Option<i64>,
}

/// A stack frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Its id, valid while the program is stopped.
    pub id: i64,
    /// The function's name.
    #[serde(default)]
    pub name: String,
    /// The file of its code.
    #[serde(default)]
    pub source: Option<Source>,
    /// 1-based; 0 if there is none.
    #[serde(default)]
    pub line: i64,
    /// 1-based; 0 if there is none.
    #[serde(default)]
    pub column: i64,
    /// The address of its next instruction, for
    /// [`Session::disassemble`](crate::Session::disassemble).
    #[serde(default)]
    pub instruction_pointer_reference: Option<String>,
    /// `label` if it is no real frame, such as "3 frames hidden".
    #[serde(default)]
    pub presentation_hint: Option<String>,
}

/// A scope of a frame: a group of variables.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `arguments`, `locals`, `registers`, or an adapter's own hint.
    #[serde(default)]
    pub presentation_hint: Option<String>,
    /// The reference of its variables.
    #[serde(default)]
    pub variables_reference: i64,
    /// Whether its variables are expensive to get.
    #[serde(default)]
    pub expensive: bool,
}

impl Scope {
    /// Whether it holds the frame's own variables.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let hint = self.presentation_hint.as_deref().unwrap_or_default();
        matches!(hint, "locals" | "arguments") || name.contains("local") || name == "arguments"
    }
}

/// A variable, an element, or an expression's value.
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
    /// The reference of its children; 0 for none.
    pub variables_reference: i64,
    /// How many elements it has.
    pub indexed_variables: Option<i64>,
    /// How many named children it has.
    pub named_variables: Option<i64>,
    /// The expression that evaluates to it.
    pub evaluate_name: Option<String>,
    /// Its address, for [`Session::memory`](crate::Session::memory).
    pub memory_reference: Option<String>,
}

/// A disassembled instruction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Instruction {
    /// Its address, as the adapter writes it.
    pub address: String,
    /// Its bytes in hexadecimal.
    pub instruction_bytes: Option<String>,
    /// Mnemonic and operands.
    pub instruction: String,
    /// The function it belongs to.
    pub symbol: Option<String>,
    /// The file of its source line.
    pub location: Option<Source>,
    /// Its source line, if it is the line's first instruction.
    pub line: Option<i64>,
}

/// An adapter's response about one breakpoint.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoundBreakpoint {
    /// The adapter's id for it.
    pub id: Option<i64>,
    /// Whether the program will stop there.
    pub verified: bool,
    /// Why not, or a remark.
    pub message: Option<String>,
    /// Its actual file.
    pub source: Option<Source>,
    /// Its actual line.
    pub line: Option<i64>,
}

/// The body of `stopped`.
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

/// The body of `continued`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Continued {
    pub(crate) thread_id: Option<i64>,
    pub(crate) all_threads_continued: Option<bool>,
}

/// The body of `output`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Output {
    pub(crate) category: Option<String>,
    pub(crate) output: String,
}
