//! Writes the new function and the call that replaces its code.

use tree_sitter::Node;

use super::data_flow::DataFlow;
use super::required_types::{declared_type, declared_type_of_result, result_type};
use super::{Selection, any_outside_nested_functions, narrowing, types};
use crate::actions::context::{ActionContext, any_descendant};
use crate::actions::{ActionPlan, ActionRefusal, RefusalReason as Reason, refusal};

/// The parts of a function's head.
struct FunctionHead {
    name: String,
    parameters: Vec<(String, String)>,
    /// The return type; empty if it returns nothing or no type is written.
    result: String,
    is_async: bool,
}

/// The plan: the new function, and the call in place of its code.
pub(super) fn edits<'a>(
    ctx: &ActionContext<'a>,
    selection: &Selection<'a>,
    function: Node<'a>,
    top: Node<'a>,
    flow: &DataFlow,
    name: &str,
) -> Result<ActionPlan, ActionRefusal> {
    let awaits = |n: Node<'_>| matches!(n.kind(), "await" | "await_expression");
    let awaits = |n: Node<'_>| {
        let clause = n.parent().is_some_and(|p| !p.kind().contains("function"));
        awaits(n) || n.kind() == "async" && clause
    };
    let is_async = selection.nodes().iter().any(|n| any_outside_nested_functions(ctx, *n, &awaits));
    let returns = |n: Node<'_>| n.kind() == "return_statement";
    let has_return =
        selection.nodes().iter().any(|n| any_outside_nested_functions(ctx, *n, &returns));
    if has_return && !flow.results.is_empty() {
        return Err(refusal(
            Reason::Control,
            "it returns, and assigns variables that are read later",
        ));
    }
    let mut parameters = Vec::new();
    for (name, def) in &flow.parameters {
        let ty = match ctx.language {
            // A condition may have narrowed the annotated type.
            "python" if narrowing::name_is_narrowed(ctx, selection, function, name) => {
                String::new()
            }
            "python" => types::annotation(ctx, *def).unwrap_or_default(),
            "javascript" => String::new(),
            _ => declared_type(ctx, *def, function)?,
        };
        parameters.push((name.clone(), ty));
    }
    let result = result_type(ctx, selection, function, flow, has_return)?;
    if matches!(ctx.language, "typescript" | "tsx") && has_return {
        types::check_async(ctx, function, is_async)?;
    }
    let mut parts = FunctionHead { name: name.to_owned(), parameters, result, is_async };
    let names: Vec<String> = parts.parameters.iter().map(|(n, _)| n.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut call = format!("{name}({})", names.join(", "));
    let receiver =
        method_around(ctx, function).filter(|(_, receiver)| names.contains(&&**receiver));
    let mut top = top;
    if let Some((method, receiver)) = &receiver {
        // The new function is a method as well.
        top = *method;
        let others = names.iter().copied().filter(|n| n != receiver);
        call = format!("{receiver}.{name}({})", others.collect::<Vec<_>>().join(", "));
        parts.parameters.sort_by_key(|(n, _)| n != receiver);
    }
    if is_async {
        call = format!("await {call}");
    }
    let range = selection.range();
    let body_lines = body_lines(ctx, selection, flow)?;
    let call = match selection {
        Selection::Expression(_) if is_async => format!("({call})"),
        Selection::Expression(_) => call,
        Selection::Statements(_) => call_statement(ctx, selection, flow, has_return, &call)?,
    };
    let (at, written) = write_function(ctx, top, &parts, &body_lines)?;
    let plan = ActionPlan::from_edits(ctx.file, vec![(range, call), (at..at, written)]);
    Ok(plan.with_generated_name(ctx, name))
}

/// The Python method around the code, with its decorators, and the name of its receiver.
fn method_around<'a>(ctx: &ActionContext<'a>, function: Node<'a>) -> Option<(Node<'a>, String)> {
    if ctx.language != "python" || function.kind() != "function_definition" {
        return None;
    }
    let name = function.child_by_field_name("name").map_or("", |n| ctx.text(n));
    if matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") {
        return None;
    }
    let mut whole = function;
    if let Some(outer) = function.parent().filter(|p| p.kind() == "decorated_definition") {
        let plain = !ctx.text(outer).starts_with("@staticmethod")
            && !ctx.text(outer).contains("@classmethod");
        whole = Some(outer).filter(|_| plain)?;
    }
    let class = whole.parent()?.parent()?;
    let first = function.child_by_field_name("parameters")?.named_child(0)?;
    let is_method = class.kind() == "class_definition" && first.kind() == "identifier";
    is_method.then(|| (whole, ctx.text(first).to_owned()))
}

/// The call as a statement.
fn call_statement(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    flow: &DataFlow,
    has_return: bool,
    call: &str,
) -> Result<String, ActionRefusal> {
    let end = if matches!(ctx.language, "python" | "go") { "" } else { ";" };
    if has_return {
        let plain = selection
            .nodes()
            .iter()
            .any(|n| n.kind() == "return_statement" && n.named_child_count() == 0);
        if plain {
            return Err(refusal(Reason::Control, "it returns without a value"));
        }
        return Ok(format!("return {call}{end}"));
    }
    let names: Vec<_> = flow.results.iter().map(|(n, ..)| n.as_str()).collect();
    let fresh = flow.results.iter().filter(|(.., fresh)| *fresh).count();
    if names.is_empty() {
        return Ok(format!("{call}{end}"));
    }
    if fresh != 0 && fresh != names.len() && ctx.language != "python" {
        return Err(refusal(Reason::Assigned, "only some of the variables it assigns are new"));
    }
    let list = names.join(", ");
    let several = names.len() > 1;
    match ctx.language {
        "python" => Ok(format!("{list} = {call}")),
        "javascript" | "typescript" | "tsx" => {
            let list = if several { format!("[{list}]") } else { list };
            if fresh == 0 {
                return Ok(format!("{list} = {call};"));
            }
            let word = match declared_with(ctx, selection, &names) {
                Some(word) => word,
                None => {
                    return Err(refusal(
                        Reason::Unsupported,
                        "its variables are declared with both `const` and `let`",
                    ));
                }
            };
            Ok(format!("{word} {list} = {call};"))
        }
        _ if several => {
            Err(refusal(Reason::Assigned, "it assigns several variables that are read later"))
        }
        "go" => Ok(format!("{list} {} {call}", if fresh > 0 { ":=" } else { "=" })),
        _ if fresh == 0 && ctx.language != "rust" => Ok(format!("{list} = {call};")),
        "java" | "c" => {
            let ty = declared_type_of_result(ctx, flow)?;
            Ok(format!("{ty} {list} = {call};"))
        }
        _ => Err(refusal(Reason::Assigned, "it assigns a variable that is read later")),
    }
}

/// `const` or `let`, if all are declared with the same keyword.
fn declared_with(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    names: &[&str],
) -> Option<&'static str> {
    let mut word = None;
    for statement in selection.nodes().iter().filter(|n| n.kind() == "lexical_declaration") {
        let declares =
            names.iter().any(|n| !super::name_occurrences(ctx, *statement, n).is_empty());
        if declares {
            let own = if ctx.text(*statement).starts_with("const") { "const" } else { "let" };
            if word.is_some_and(|w| w != own) {
                return None;
            }
            word = Some(own);
        }
    }
    word
}

/// The lines of the function body, indented relative to the first.
fn body_lines(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    flow: &DataFlow,
) -> Result<Vec<String>, ActionRefusal> {
    let range = selection.range();
    let code = &ctx.source[range.clone()];
    if code.contains('\n') {
        for node in selection.nodes() {
            let text = |n: Node<'_>| {
                let kind = n.kind();
                let is_text = kind.contains("string")
                    || kind.contains("template")
                    || kind.contains("comment")
                    || kind.contains("heredoc")
                    || kind == "jsx_text";
                is_text && ctx.text(n).contains('\n')
            };
            if any_descendant(*node, &text) {
                return Err(refusal(
                    Reason::Unsupported,
                    "a string or comment in it has several lines",
                ));
            }
        }
    }
    let (end, return_keyword) = match ctx.language {
        "python" | "go" => ("", "return "),
        "rust" => ("", ""),
        _ => (";", "return "),
    };
    if let Selection::Expression(_) = selection {
        let lines: Vec<_> = code.lines().collect();
        if lines.len() > 1 {
            return match ctx.language {
                "python" => Ok(vec![format!("return ({code})")]),
                _ => Err(refusal(Reason::Unsupported, "the expression has several lines")),
            };
        }
        return Ok(vec![format!("{return_keyword}{code}{end}")]);
    }
    if !ctx.is_first_on_line(range.start) {
        return Err(refusal(
            Reason::Unsupported,
            "the statements share their line with other code",
        ));
    }
    let indent = ctx.indentation_at(range.start);
    let mut lines = Vec::new();
    for (n, line) in code.lines().enumerate() {
        match line.strip_prefix(indent) {
            Some(rest) if n > 0 => lines.push(rest.to_owned()),
            _ if n == 0 || line.trim().is_empty() => lines.push(line.to_owned()),
            _ => {
                return Err(refusal(
                    Reason::Unsupported,
                    "some lines are indented less than the first",
                ));
            }
        }
    }
    let names: Vec<_> = flow.results.iter().map(|(n, ..)| n.as_str()).collect();
    let list = names.join(", ");
    match (names.len(), ctx.language) {
        (0, _) => {}
        (2.., "javascript" | "typescript" | "tsx") => lines.push(format!("return [{list}];")),
        _ => lines.push(format!("{return_keyword}{list}{end}")),
    }
    Ok(lines)
}

/// The new function and where to insert it.
fn write_function(
    ctx: &ActionContext<'_>,
    top: Node<'_>,
    parts: &FunctionHead,
    body_lines: &[String],
) -> Result<(usize, String), ActionRefusal> {
    let line_end = ctx.line_end();
    if !ctx.is_first_on_line(top.start_byte()) {
        return Err(refusal(
            Reason::Unsupported,
            "the surrounding code shares its line with other code",
        ));
    }
    let outer = ctx.indentation_at(top.start_byte());
    let indentation_unit = indentation_unit(ctx);
    let typed = |separator: &str| {
        let all = parts.parameters.iter().map(|(n, t)| match t.is_empty() {
            true => n.clone(),
            false => format!("{n}{separator}{t}"),
        });
        all.collect::<Vec<_>>().join(", ")
    };
    let (name, result) = (&parts.name, &parts.result);
    let lead = if parts.is_async { "async " } else { "" };
    let (head, tail) = match ctx.language {
        "python" => {
            let return_type =
                if result.is_empty() { String::new() } else { format!(" -> {result}") };
            (format!("{lead}def {name}({}){return_type}:", typed(": ")), "")
        }
        "javascript" | "typescript" | "tsx" => {
            let return_type = if result.is_empty() { String::new() } else { format!(": {result}") };
            (format!("{lead}function {name}({}){return_type} {{", typed(": ")), "}")
        }
        "go" => {
            let gap = if result.is_empty() { "" } else { " " };
            (format!("func {name}({}) {result}{gap}{{", typed(" ")), "}")
        }
        "rust" => {
            let return_type =
                if result.is_empty() { String::new() } else { format!("-> {result} ") };
            if !outer.is_empty() {
                return Err(refusal(Reason::Scope, "it is in an `impl` or a module"));
            }
            (format!("fn {name}({}) {return_type}{{", typed(": ")), "}")
        }
        "java" | "c" => {
            let all = parts.parameters.iter().map(|(n, t)| {
                let gap = if t.ends_with('*') { "" } else { " " };
                format!("{t}{gap}{n}")
            });
            let list = all.collect::<Vec<_>>().join(", ");
            let list =
                if list.is_empty() && ctx.language == "c" { "void".to_owned() } else { list };
            let result = if result.is_empty() { "void" } else { result };
            let words =
                if ctx.language == "java" { java_modifiers(ctx, top)? } else { "static ".into() };
            let throws = if ctx.language == "java" { java_throws(ctx, top) } else { String::new() };
            (format!("{words}{result} {name}({list}){throws} {{"), "}")
        }
        _ => return Err(refusal(Reason::Unsupported, "this language is not supported")),
    };
    let mut lines = vec![format!("{outer}{head}")];
    for line in body_lines {
        let blank = line.trim().is_empty();
        lines.push(if blank { String::new() } else { format!("{outer}{indentation_unit}{line}") });
    }
    if !tail.is_empty() {
        lines.push(format!("{outer}{tail}"));
    }
    let code = lines.join(line_end);
    // These languages need the declaration before its use.
    if matches!(ctx.language, "python" | "c") {
        let wide = ctx.language == "python" && outer.is_empty();
        let gap = line_end.repeat(if wide { 3 } else { 2 });
        let top = first_overload(ctx, top);
        let at = ctx.line_start(ctx.request.syntax.comments_above(top.start_byte()));
        return Ok((at, format!("{code}{gap}")));
    }
    let rest = &ctx.source[top.end_byte()..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    if !line.trim_matches([' ', '\t', ';', ',']).is_empty() {
        return Err(refusal(
            Reason::Unsupported,
            "the surrounding code shares its line with other code",
        ));
    }
    Ok((top.end_byte() + line.len(), format!("{line_end}{line_end}{code}")))
}

/// The first `@overload` of a Python function, which must stay adjacent to it.
fn first_overload<'a>(ctx: &ActionContext<'_>, top: Node<'a>) -> Node<'a> {
    let name = |n: Node<'a>| {
        let function = n.child_by_field_name("definition").unwrap_or(n);
        function.child_by_field_name("name").map(|n| ctx.text(n).to_owned())
    };
    let (mut first, mut at) = (top, top);
    while let Some(before) = at.prev_named_sibling() {
        at = before;
        if before.kind() == "comment" {
            continue;
        }
        let overload = before.kind() == "decorated_definition"
            && before.named_child(0).is_some_and(|d| ctx.text(d).ends_with("overload"));
        if !overload || name(before) != name(top) {
            break;
        }
        first = before;
    }
    first
}

/// One level of indentation as the file uses it: the smallest.
pub(in crate::actions) fn indentation_unit(ctx: &ActionContext<'_>) -> String {
    let mut smallest = String::new();
    for line in ctx.source.lines().take(2_000) {
        let blank = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if blank.starts_with('\t') {
            return "\t".into();
        }
        let comment = line.trim_start().starts_with('*');
        if blank.len() > 1 && !comment && (smallest.is_empty() || blank.len() < smallest.len()) {
            smallest = blank.to_owned();
        }
    }
    if smallest.is_empty() { "    ".into() } else { smallest }
}

/// `private`, with `static` if the method around is static.
fn java_modifiers(ctx: &ActionContext<'_>, top: Node<'_>) -> Result<String, ActionRefusal> {
    if top.kind() != "method_declaration" {
        return Err(refusal(Reason::Scope, "it is not in a method"));
    }
    let in_class = top.parent().is_some_and(|p| p.kind() == "class_body");
    let mut cursor = top.walk();
    let modifiers = top.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
    let is_static =
        modifiers.is_some_and(|m| ctx.text(m).split_whitespace().any(|w| w == "static"));
    match in_class {
        true => Ok(if is_static { "private static ".into() } else { "private ".into() }),
        false => Err(refusal(Reason::Scope, "it is not in a class")),
    }
}

fn java_throws(ctx: &ActionContext<'_>, top: Node<'_>) -> String {
    let mut cursor = top.walk();
    let throws = top.named_children(&mut cursor).find(|c| c.kind() == "throws");
    throws.map_or(String::new(), |t| format!(" {}", ctx.text(t)))
}
