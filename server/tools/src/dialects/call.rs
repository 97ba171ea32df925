//! A call in a dialect: its translation to a call of our tool, and of the outcome back.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::tool::{Dialect, DialectTool, LazyFilter};
use crate::{Code, EffectKind, Entry, ToolError, arguments, registry};

/// How similar a name must be to be suggested, up to 1.
const MIN_SIMILARITY: f64 = 0.5;

/// A translated call, to be made as a call of [`DialectCall::tool`] by any front end.
pub struct DialectCall {
    dialect: Arc<Dialect>,
    /// The tool as it was called.
    called: String,
    /// The parameters as they were sent.
    params: Value,
    /// The canonical tool.
    tool: String,
    arguments: Map<String, Value>,
    started: Instant,
}

/// An error in the dialect's form.
#[derive(Debug, Clone, PartialEq)]
pub struct DialectError {
    /// The JSON-RPC code: the dialect's own if its form has one.
    pub rpc_code: i64,
    /// What happened, and where.
    pub message: String,
    /// The error as the dialect documents it.
    pub value: Value,
}

impl Dialect {
    /// Translates a call of the tool `called`. A canonical name that the dialect does not have is called as
    /// it is.
    ///
    /// # Errors
    /// The dialect's error, if it has no such tool or the parameters are wrong.
    pub fn translate(
        self: &Arc<Self>,
        called: &str,
        params: Value,
    ) -> Result<DialectCall, DialectError> {
        let mut call = DialectCall {
            dialect: self.clone(),
            called: called.to_owned(),
            params,
            tool: called.to_owned(),
            arguments: Map::new(),
            started: Instant::now(),
        };
        match call.prepare() {
            Ok(()) => Ok(call),
            Err(error) => Err(call.error(error.data())),
        }
    }

    fn unknown(&self, called: &str) -> ToolError {
        let shown: String = called.chars().take(60).collect();
        let error =
            ToolError::new(Code::ToolNotFound, format!("{}: unknown tool `{shown}`", self.name()));
        let served =
            self.tools().iter().filter(|tool| tool.entry().is_some()).map(DialectTool::name);
        let similarity = |name: &&str| strsim::normalized_damerau_levenshtein(name, &shown);
        let similar = served.filter(|name| similarity(name) >= MIN_SIMILARITY);
        let nearest = similar.max_by(|one, two| similarity(one).total_cmp(&similarity(two)));
        let guess = nearest.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
        error.hint(format!("{guess}`tandem tools --dialect {}` lists all", self.name()))
    }
}

impl DialectCall {
    /// The canonical name of the tool to call.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments of that call.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let mut arguments = self.arguments.clone();
        // Filters of results may use every field.
        arguments.insert("verbose".to_owned(), true.into());
        arguments
    }

    /// Translates the outcome of the call.
    ///
    /// # Errors
    /// The dialect's error.
    pub fn outcome(&self, outcome: Result<Value, Value>) -> Result<Value, DialectError> {
        let result = outcome.map_err(|error| self.error(error))?;
        let sandbox = result["sandbox"].is_object();
        let tool = self.dialect.find(&self.called);
        let filters = [tool.and_then(|tool| tool.result.as_ref()), self.dialect.result.as_ref()];
        // If the call changed something, what it returned must not get lost in a broken filter.
        let only_reads = |entry: &Entry| entry.effects.iter().all(|kind| *kind == EffectKind::Read);
        let is_kept = !registry::find(&self.tool).is_some_and(only_reads);
        let mut translated = result;
        for filter in filters.into_iter().flatten() {
            let kept = is_kept.then(|| translated.clone());
            translated = self.run(filter, translated, sandbox).map_err(|error| {
                let error =
                    error.hint("the call was made; only its result could not be translated");
                let details = json!({ "result": kept });
                self.error(if is_kept { error.details(details) } else { error }.data())
            })?;
        }
        Ok(translated)
    }

    fn prepare(&mut self) -> Result<(), ToolError> {
        let Some(tool) = self.dialect.find(&self.called) else {
            let canonical = registry::find(&self.called);
            self.arguments = arguments::object(vec![self.params.clone()])?;
            return canonical.map(drop).ok_or_else(|| self.dialect.unknown(&self.called));
        };
        let Some(entry) = tool.entry() else {
            if let Some(error) = tool.not_built_in() {
                return Err(error);
            }
            let message = format!("{}: no tool of tandem serves it yet", tool.name());
            return Err(ToolError::new(Code::Unavailable, message).hint(format!(
                "`tandem tools --dialect {} --missing` lists all such tools",
                self.dialect.name()
            )));
        };
        self.called = tool.name().to_owned();
        self.params = tool.checked(self.params.take())?;
        self.tool = entry.name.to_owned();
        let translated = match &tool.arguments {
            None => self.params.clone(),
            Some(filter) => self.run(filter, self.params.clone(), false)?,
        };
        let Value::Object(arguments) = translated else {
            let message = format!(
                "dialect `{}`: {}: arguments: must be an object",
                self.dialect.name(),
                tool.name()
            );
            return Err(ToolError::new(Code::InvalidParams, message));
        };
        self.arguments = arguments;
        Ok(())
    }

    /// The dialect's form of an error of the contract.
    fn error(&self, error: Value) -> DialectError {
        // A broken filter must not hide what went wrong.
        let value = match &self.dialect.error {
            Some(filter) => {
                self.run(filter, error.clone(), false).unwrap_or_else(|_| error.clone())
            }
            None => error.clone(),
        };
        let error = ToolError::from_data(error);
        let rpc_code = value["code"].as_i64().unwrap_or_else(|| error.code.rpc_code());
        DialectError { rpc_code, message: error.message, value }
    }

    fn run(&self, filter: &LazyFilter, input: Value, sandbox: bool) -> Result<Value, ToolError> {
        let name = self.dialect.name();
        let compiled = filter.compiled().map_err(|mistake| mistake.clone().into_error(name))?;
        let duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let meta = json!({ "duration_ms": duration_ms, "sandbox": sandbox });
        let params = if filter.uses_params { self.params.clone() } else { Value::Null };
        let variables = [params, Value::from(self.called.as_str()), meta];
        let result = compiled.run(input, variables);
        result.map_err(|message| filter.mistake(0, &message).into_error(name))
    }
}
