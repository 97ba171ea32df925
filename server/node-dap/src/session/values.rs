//! Scopes, variables and expressions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::display::{MAX_TEXT, argument, check_exception, member, size_of, text_of, type_of};
use super::{MAIN_THREAD, Session};

/// How many elements are listed if the client requests no page.
const MAX_CHILDREN: usize = 10_000;
/// How long an expression may run, in milliseconds.
const EVALUATION_TIMEOUT_MS: u64 = 10_000;
/// Parameters that every CommonJS module has.
const MODULE_PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// What a `variablesReference` stands for.
#[derive(Debug, Clone)]
enum Holder {
    /// Scopes of a frame, inner ones first.
    Scopes {
        frame: usize,
        scopes: Vec<usize>,
    },
    Object {
        id: String,
        expression: Option<String>,
        count: Option<i64>,
    },
}

/// References of frames and values, which are valid while their thread is paused.
#[derive(Default)]
pub(crate) struct Values {
    last: i64,
    holders: BTreeMap<i64, (i64, Holder)>,
    frames: BTreeMap<i64, (i64, Option<usize>)>,
}

impl Values {
    /// Adds a frame; `index` is its place in the pause, if it still exists.
    pub(crate) fn add_frame(&mut self, thread: i64, index: Option<usize>) -> i64 {
        self.last += 1;
        self.frames.insert(self.last, (thread, index));
        self.last
    }

    fn add(&mut self, thread: i64, holder: Holder) -> i64 {
        self.last += 1;
        self.holders.insert(self.last, (thread, holder));
        self.last
    }

    pub(crate) fn forget(&mut self, thread: i64) {
        self.holders.retain(|_, (own, _)| *own != thread);
        self.frames.retain(|_, (own, _)| *own != thread);
    }
}

impl Session {
    fn frame(&self, arguments: &Value) -> Result<(i64, usize), String> {
        let id = arguments["frameId"].as_i64().unwrap_or(0);
        match self.values.frames.get(&id) {
            Some((thread, Some(index))) => Ok((*thread, *index)),
            Some((_, None)) => {
                Err("an asynchronous frame has ended: it has no variables".to_owned())
            }
            None => Err("there is no such frame; the program has gone on since".to_owned()),
        }
    }

    fn call_frame(&self, thread: i64, index: usize) -> Result<&Value, String> {
        let paused = self.threads.get(&thread).and_then(|one| one.paused.as_ref());
        paused.and_then(|it| it.frame(index)).ok_or_else(|| "the thread is not paused".to_owned())
    }

    /// `scopes`.
    pub(crate) fn scopes(&mut self, arguments: &Value) -> Result<Value, String> {
        let (thread, frame) = match self.frame(arguments) {
            Err(why) if why.starts_with("an asynchronous") => return Ok(json!({ "scopes": [] })),
            other => other?,
        };
        let chain = self.call_frame(thread, frame)?["scopeChain"].clone();
        let chain = chain.as_array().map_or(&[][..], Vec::as_slice);
        let kind = |index: usize| chain[index]["type"].as_str().unwrap_or_default();
        // The blocks of a function are shown with it: a report has one scope.
        let locals = (0..chain.len())
            .take_while(|index| matches!(kind(*index), "block" | "catch" | "with" | "eval"))
            .count();
        let ends_local = locals < chain.len() && matches!(kind(locals), "local" | "module");
        let locals = locals + usize::from(ends_local);
        let mut scopes = Vec::new();
        if locals > 0 {
            let holder = Holder::Scopes { frame, scopes: (0..locals).collect() };
            scopes.push(json!({
                "name": "Local", "presentationHint": "locals", "expensive": false,
                "variablesReference": self.values.add(thread, holder),
            }));
        }
        for (index, scope) in chain.iter().enumerate().skip(locals) {
            let label = match kind(index) {
                "closure" => match scope["name"].as_str().filter(|name| !name.is_empty()) {
                    Some(name) => format!("Closure ({name})"),
                    None => "Closure".to_owned(),
                },
                "block" => "Outer block".to_owned(),
                "module" => "Module".to_owned(),
                "script" => "Script".to_owned(),
                "global" => "Global".to_owned(),
                other => other.to_owned(),
            };
            let holder = Holder::Scopes { frame, scopes: vec![index] };
            scopes.push(json!({
                "name": label, "expensive": kind(index) == "global",
                "variablesReference": self.values.add(thread, holder),
            }));
        }
        Ok(json!({ "scopes": scopes }))
    }

    /// `variables`.
    pub(crate) fn variables(&mut self, arguments: &Value) -> Result<Value, String> {
        let (thread, holder) = self.holder(arguments)?;
        let mut all = Vec::new();
        match holder {
            Holder::Scopes { frame, scopes } => {
                let call_frame = self.call_frame(thread, frame)?.clone();
                for index in scopes {
                    let scope = &call_frame["scopeChain"][index];
                    let Some(id) = scope["object"]["objectId"].as_str() else { continue };
                    for (name, value) in self.properties(thread, id)?.named {
                        if !all.iter().any(|(own, _, _): &(String, _, _)| *own == name) {
                            all.push((name.clone(), value, Some(name)));
                        }
                    }
                    if scope["type"] == "local" {
                        let this = call_frame["this"].clone();
                        if this["type"] != "undefined" {
                            all.push(("this".to_owned(), this, Some("this".to_owned())));
                        }
                    }
                }
                // `exports`, `require` and the like come last: every file has them.
                let is_module =
                    MODULE_PARAMETERS.iter().all(|name| all.iter().any(|(own, ..)| own == name));
                if is_module {
                    let is_parameter = |name: &String| {
                        MODULE_PARAMETERS.contains(&name.as_str()) || name == "this"
                    };
                    let (last, first): (Vec<_>, Vec<_>) =
                        all.into_iter().partition(|(name, ..)| is_parameter(name));
                    all = first;
                    all.extend(last);
                }
                if !call_frame["returnValue"].is_null() {
                    all.insert(
                        0,
                        ("(returned)".to_owned(), call_frame["returnValue"].clone(), None),
                    );
                }
            }
            Holder::Object { id, expression, count } => {
                let filter = arguments["filter"].as_str().unwrap_or_default();
                let start = arguments["start"].as_u64().unwrap_or(0) as usize;
                let wanted = arguments["count"].as_u64().filter(|count| *count > 0);
                let wanted = wanted.map_or(MAX_CHILDREN, |count| count as usize);
                if let Some(count) = count.filter(|_| filter != "named") {
                    let length = usize::try_from(count).unwrap_or(0);
                    let wanted = wanted.min(length.saturating_sub(start));
                    for (index, value) in self.elements(thread, &id, start, wanted)? {
                        let name = index.to_string();
                        let expression = expression.as_ref().map(|it| format!("{it}[{index}]"));
                        all.push((name, value, expression));
                    }
                }
                if filter != "indexed" {
                    // The engine lists all elements with the names, so a long value has none.
                    let found = match count {
                        Some(_) => self.named_properties(thread, &id)?,
                        None => self.properties(thread, &id)?,
                    };
                    let all_named = found.named.into_iter().map(|(name, value)| {
                        let expression = expression.as_ref().map(|it| member(it, &name));
                        (name, value, expression)
                    });
                    let internal =
                        found.internal.into_iter().map(|(name, value)| (name, value, None));
                    let named = all_named.chain(internal);
                    if filter == "named" {
                        all.extend(named.skip(start).take(wanted));
                    } else {
                        all.extend(named);
                    }
                }
            }
        }
        let bodies: Vec<_> = all
            .into_iter()
            .take(MAX_CHILDREN)
            .map(|(name, value, expression)| {
                let mut body = self.value_body(thread, &value, expression);
                body["name"] = name.into();
                body
            })
            .collect();
        Ok(json!({ "variables": bodies }))
    }

    fn holder(&self, arguments: &Value) -> Result<(i64, Holder), String> {
        let reference = arguments["variablesReference"].as_i64().unwrap_or(0);
        let holder = self.values.holders.get(&reference).cloned();
        holder.ok_or_else(|| "there is no such value; the program has gone on since".to_owned())
    }

    fn properties(&self, thread: i64, id: &str) -> Result<Properties, String> {
        let params = json!({ "objectId": id, "ownProperties": true, "generatePreview": true });
        let found = self.call(thread, "Runtime.getProperties", params)?;
        let mut all = Properties::default();
        for list in ["result", "privateProperties"] {
            for one in found[list].as_array().into_iter().flatten() {
                let name = one["name"].as_str().unwrap_or_default();
                if name == "__proto__" {
                    continue;
                }
                let value = if one["value"].is_object() {
                    one["value"].clone()
                } else if one["get"]["type"] == "function" {
                    json!({ "type": "accessor", "description": "(getter)" })
                } else {
                    json!({ "type": "undefined" })
                };
                all.named.push((name.to_owned(), value));
            }
        }
        for one in found["internalProperties"].as_array().into_iter().flatten() {
            let name = one["name"].as_str().unwrap_or_default();
            let is_useful = matches!(
                name,
                "[[Entries]]"
                    | "[[PromiseState]]"
                    | "[[PromiseResult]]"
                    | "[[Target]]"
                    | "[[Handler]]"
                    | "[[PrimitiveValue]]"
                    | "[[BoundThis]]"
                    | "[[TargetFunction]]"
                    | "[[GeneratorState]]"
            );
            if is_useful && one["value"].is_object() {
                all.internal.push((name.to_owned(), one["value"].clone()));
            }
        }
        Ok(all)
    }

    /// The properties of an array that are no elements.
    fn named_properties(&self, thread: i64, id: &str) -> Result<Properties, String> {
        let function = "function() { const out = { __proto__: null }; for (const name of \
                        Object.getOwnPropertyNames(this).slice(-100)) { if (!/^\\d+$/.test(name) && \
                        name !== 'length' && name !== 'byteLength') out[name] = this[name]; } return out; }";
        let params = json!({
            "objectId": id, "functionDeclaration": function, "silent": true,
            "throwOnSideEffect": true,
        });
        match self.call(thread, "Runtime.callFunctionOn", params) {
            Ok(found) => match found["result"]["objectId"].as_str() {
                Some(copy) => self.properties(thread, copy),
                None => Ok(Properties::default()),
            },
            Err(_) => Ok(Properties::default()),
        }
    }

    /// Elements of an array from `start` on, without those before.
    fn elements(
        &self,
        thread: i64,
        id: &str,
        start: usize,
        count: usize,
    ) -> Result<Vec<(usize, Value)>, String> {
        let function = "function(start, count) { const out = { __proto__: null }; const end = \
                        Math.min(start + count, this.length); for (let i = start; i < end; i++) \
                        if (i in this) out[i] = this[i]; return out; }";
        let params = json!({
            "objectId": id, "functionDeclaration": function, "silent": true,
            "arguments": [{ "value": start }, { "value": count.min(MAX_CHILDREN) }],
        });
        let slice = self.call(thread, "Runtime.callFunctionOn", params)?;
        let slice = slice["result"]["objectId"].as_str().ok_or("the elements cannot be read")?;
        let found = self.properties(thread, slice)?.named.into_iter();
        Ok(found.filter_map(|(name, value)| Some((name.parse().ok()?, value))).collect())
    }

    /// A value as a client gets it.
    fn value_body(&mut self, thread: i64, value: &Value, expression: Option<String>) -> Value {
        let mut body = json!({ "value": text_of(value, MAX_TEXT), "variablesReference": 0 });
        body["type"] = type_of(value).into();
        if let Some(expression) = &expression {
            body["evaluateName"] = expression.clone().into();
        }
        let Some(id) = value["objectId"].as_str().filter(|_| value["type"] != "symbol") else {
            return body;
        };
        let mut holder_id = id.to_owned();
        let mut expression = expression;
        let mut count = match value["subtype"].as_str() {
            Some("array" | "typedarray") => size_of(value),
            _ => None,
        };
        // The elements of a map or set are those of a list that only the debugger sees.
        if matches!(value["subtype"].as_str(), Some("map" | "set"))
            && let Ok(found) = self.properties(thread, id)
            && let Some((_, entries)) =
                found.internal.iter().find(|(name, _)| name == "[[Entries]]")
            && let Some(entries_id) = entries["objectId"].as_str()
        {
            holder_id = entries_id.to_owned();
            expression = None;
            count = size_of(value);
        }
        if let Some(count) = count {
            body["indexedVariables"] = count.into();
            body["namedVariables"] = 0.into();
        }
        let holder = Holder::Object { id: holder_id, expression, count };
        body["variablesReference"] = self.values.add(thread, holder).into();
        body
    }

    /// `evaluate`.
    pub(crate) fn evaluate(&mut self, arguments: &Value) -> Result<Value, String> {
        let expression = arguments["expression"].as_str().unwrap_or_default();
        let context = arguments["context"].as_str().unwrap_or_default();
        let in_frame = arguments["frameId"].as_i64().is_some_and(|id| id != 0);
        let mut params = json!({
            "expression": expression, "silent": true, "generatePreview": true,
            "timeout": EVALUATION_TIMEOUT_MS, "throwOnSideEffect": context == "hover",
            "includeCommandLineAPI": context == "repl",
        });
        let (thread, done) = if in_frame {
            let (thread, frame) = self.frame(arguments)?;
            params["callFrameId"] = self.call_frame(thread, frame)?["callFrameId"].clone();
            (thread, self.call(thread, "Debugger.evaluateOnCallFrame", params)?)
        } else {
            params["replMode"] = (context == "repl").into();
            (MAIN_THREAD, self.call(MAIN_THREAD, "Runtime.evaluate", params)?)
        };
        check_exception(&done)?;
        let is_name =
            expression.trim().chars().all(|c| c.is_alphanumeric() || "_$.[]'\"".contains(c));
        let name = if is_name { expression.trim().to_owned() } else { format!("({expression})") };
        let mut body = self.value_body(thread, &done["result"], Some(name));
        let text = body.as_object_mut().and_then(|fields| fields.remove("value"));
        body["result"] = text.unwrap_or_default();
        Ok(body)
    }

    /// `setVariable`.
    pub(crate) fn set_variable(&mut self, arguments: &Value) -> Result<Value, String> {
        let (thread, holder) = self.holder(arguments)?;
        let name = arguments["name"].as_str().unwrap_or_default();
        let text = arguments["value"].as_str().unwrap_or_default();
        let frame = match &holder {
            Holder::Scopes { frame, .. } => *frame,
            Holder::Object { .. } => 0,
        };
        let call_frame = self.call_frame(thread, frame)?.clone();
        let params = json!({
            "callFrameId": call_frame["callFrameId"], "expression": format!("({text})"),
            "silent": true, "timeout": EVALUATION_TIMEOUT_MS, "generatePreview": true,
        });
        let done = self.call(thread, "Debugger.evaluateOnCallFrame", params)?;
        check_exception(&done)?;
        let new = argument(&done["result"]);
        match holder {
            Holder::Scopes { scopes, .. } => {
                let mut owner = None;
                for index in scopes {
                    let id = call_frame["scopeChain"][index]["object"]["objectId"].as_str();
                    let Some(id) = id else { continue };
                    if self.properties(thread, id)?.named.iter().any(|(own, _)| own == name) {
                        owner = Some(index);
                        break;
                    }
                }
                let owner = owner.ok_or_else(|| format!("`{name:.100}` cannot be set"))?;
                let params = json!({
                    "scopeNumber": owner, "variableName": name, "newValue": new,
                    "callFrameId": call_frame["callFrameId"],
                });
                self.call(thread, "Debugger.setVariableValue", params)?;
            }
            Holder::Object { id, .. } => {
                let params = json!({
                    "objectId": id, "functionDeclaration": "function(n, v) { this[n] = v; }",
                    "arguments": [{ "value": name }, new], "silent": true,
                });
                check_exception(&self.call(thread, "Runtime.callFunctionOn", params)?)?;
            }
        }
        Ok(self.value_body(thread, &done["result"], Some(name.to_owned())))
    }

    /// Output of the console's calls, of a process that writes elsewhere.
    pub(crate) fn console_output(&mut self, thread: i64, params: &Value) {
        let arguments = params["args"].as_array().cloned().unwrap_or_default();
        let plain = |value: &Value| match value["value"].as_str() {
            Some(text) => text.to_owned(),
            None => text_of(value, MAX_TEXT),
        };
        let text: Vec<_> = arguments.iter().map(plain).collect();
        let is_error = matches!(params["type"].as_str(), Some("error" | "warning" | "assert"));
        let category = if is_error { "stderr" } else { "stdout" };
        tracing::trace!("thread {thread} writes to its console");
        self.client.output(category, &format!("{}\n", text.join(" ")));
    }
}

#[derive(Default)]
struct Properties {
    named: Vec<(String, Value)>,
    internal: Vec<(String, Value)>,
}
