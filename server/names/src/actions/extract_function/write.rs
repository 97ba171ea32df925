//! The new function as it is written, and the call that takes the place of its code.

use tree_sitter::Node;

use super::flow::Flow;
use super::{Stretch, holds_own, narrowed, types};
use crate::actions::site::{Site, any};
use crate::actions::value_type;
use crate::actions::{ActionPlan, ActionRefusal, RefusalReason as Why, refusal};
use crate::vocabulary::DefinitionKind;

/// The parts of a function.
struct Parts {
    name: String,
    parameters: Vec<(String, String)>,
    /// The type of what it gives; empty where it gives nothing, or none is written.
    result: String,
    is_async: bool,
}

pub(super) fn edits<'a>(
    site: &Site<'a>,
    stretch: &Stretch<'a>,
    function: Node<'a>,
    top: Node<'a>,
    flow: &Flow,
    name: &str,
) -> Result<ActionPlan, ActionRefusal> {
    let awaits = |n: Node<'_>| matches!(n.kind(), "await" | "await_expression");
    let awaits = |n: Node<'_>| {
        let clause = n.parent().is_some_and(|p| !p.kind().contains("function"));
        awaits(n) || n.kind() == "async" && clause
    };
    let is_async = stretch.nodes().iter().any(|n| holds_own(site, *n, &awaits));
    let returns = |n: Node<'_>| n.kind() == "return_statement";
    let gives_back = stretch.nodes().iter().any(|n| holds_own(site, *n, &returns));
    if gives_back && !flow.results.is_empty() {
        return Err(refusal(Why::Control, "it returns, and leaves values behind"));
    }
    let mut parameters = Vec::new();
    for (name, def) in &flow.parameters {
        let ty = match site.language {
            // A condition may have told more than the annotation says.
            "python" if narrowed::name_is_narrowed(site, stretch, function, name) => String::new(),
            "python" => types::annotation(site, *def).unwrap_or_default(),
            "javascript" => String::new(),
            _ => declared_type(site, *def, function)?,
        };
        parameters.push((name.clone(), ty));
    }
    let result = result_type(site, stretch, function, flow, gives_back)?;
    if matches!(site.language, "typescript" | "tsx") && gives_back {
        types::check_async(site, function, is_async)?;
    }
    let mut parts = Parts { name: name.to_owned(), parameters, result, is_async };
    let names: Vec<String> = parts.parameters.iter().map(|(n, _)| n.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut call = format!("{name}({})", names.join(", "));
    let receiver =
        method_around(site, function).filter(|(_, receiver)| names.contains(&&**receiver));
    let mut top = top;
    if let Some((method, receiver)) = &receiver {
        // It becomes a method itself.
        top = *method;
        let others = names.iter().copied().filter(|n| n != receiver);
        call = format!("{receiver}.{name}({})", others.collect::<Vec<_>>().join(", "));
        parts.parameters.sort_by_key(|(n, _)| n != receiver);
    }
    if is_async {
        call = format!("await {call}");
    }
    let range = stretch.range();
    let body = body(site, stretch, flow)?;
    let call = match stretch {
        Stretch::Expression(_) if is_async => format!("({call})"),
        Stretch::Expression(_) => call,
        Stretch::Statements(_) => statement(site, stretch, flow, gives_back, &call)?,
    };
    let (at, written) = beside(site, top, &parts, &body)?;
    let plan = ActionPlan::of(site.file, vec![(range, call), (at..at, written)]);
    Ok(plan.named(site, name))
}

/// The method of Python that a function is, with its decorators, and what its object is called.
fn method_around<'a>(site: &Site<'a>, function: Node<'a>) -> Option<(Node<'a>, String)> {
    if site.language != "python" || function.kind() != "function_definition" {
        return None;
    }
    let name = function.child_by_field_name("name").map_or("", |n| site.text(n));
    if matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") {
        return None;
    }
    let mut whole = function;
    if let Some(outer) = function.parent().filter(|p| p.kind() == "decorated_definition") {
        let plain = !site.text(outer).starts_with("@staticmethod")
            && !site.text(outer).contains("@classmethod");
        whole = Some(outer).filter(|_| plain)?;
    }
    let class = whole.parent()?.parent()?;
    let first = function.child_by_field_name("parameters")?.named_child(0)?;
    let own = class.kind() == "class_definition" && first.kind() == "identifier";
    own.then(|| (whole, site.text(first).to_owned()))
}

/// The call as a statement.
fn statement(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    flow: &Flow,
    gives_back: bool,
    call: &str,
) -> Result<String, ActionRefusal> {
    let end = if matches!(site.language, "python" | "go") { "" } else { ";" };
    if gives_back {
        let plain = stretch
            .nodes()
            .iter()
            .any(|n| n.kind() == "return_statement" && n.named_child_count() == 0);
        if plain {
            return Err(refusal(Why::Control, "it returns nothing"));
        }
        return Ok(format!("return {call}{end}"));
    }
    let names: Vec<_> = flow.results.iter().map(|(n, ..)| n.as_str()).collect();
    let fresh = flow.results.iter().filter(|(.., fresh)| *fresh).count();
    if names.is_empty() {
        return Ok(format!("{call}{end}"));
    }
    if fresh != 0 && fresh != names.len() && site.language != "python" {
        return Err(refusal(Why::Assigned, "some of what it leaves behind was there before"));
    }
    let list = names.join(", ");
    let several = names.len() > 1;
    match site.language {
        "python" => Ok(format!("{list} = {call}")),
        "javascript" | "typescript" | "tsx" => {
            let list = if several { format!("[{list}]") } else { list };
            if fresh == 0 {
                return Ok(format!("{list} = {call};"));
            }
            let word = match declared_with(site, stretch, &names) {
                Some(word) => word,
                None => return Err(refusal(Why::Shape, "its variables are not declared alike")),
            };
            Ok(format!("{word} {list} = {call};"))
        }
        _ if several => Err(refusal(Why::Assigned, "it leaves several values behind")),
        "go" => Ok(format!("{list} {} {call}", if fresh > 0 { ":=" } else { "=" })),
        _ if fresh == 0 && site.language != "rust" => Ok(format!("{list} = {call};")),
        "java" | "c" => {
            let ty = declared_type_of_result(site, flow)?;
            Ok(format!("{ty} {list} = {call};"))
        }
        _ => Err(refusal(Why::Assigned, "it leaves a value behind")),
    }
}

/// `const` or `let`, where all are declared with the same.
fn declared_with(site: &Site<'_>, stretch: &Stretch<'_>, names: &[&str]) -> Option<&'static str> {
    let mut word = None;
    for statement in stretch.nodes().iter().filter(|n| n.kind() == "lexical_declaration") {
        let declares = names.iter().any(|n| !super::mentions(site, *statement, n).is_empty());
        if declares {
            let own = if site.text(*statement).starts_with("const") { "const" } else { "let" };
            if word.is_some_and(|w| w != own) {
                return None;
            }
            word = Some(own);
        }
    }
    word
}

/// The code of the function, each line with its indentation below the first's.
fn body(site: &Site<'_>, stretch: &Stretch<'_>, flow: &Flow) -> Result<Vec<String>, ActionRefusal> {
    let range = stretch.range();
    let code = &site.source[range.clone()];
    if code.contains('\n') {
        for node in stretch.nodes() {
            let text = |n: Node<'_>| {
                let kind = n.kind();
                let is_text = kind.contains("string")
                    || kind.contains("template")
                    || kind.contains("comment")
                    || kind.contains("heredoc")
                    || kind == "jsx_text";
                is_text && site.text(n).contains('\n')
            };
            if any(*node, &text) {
                return Err(refusal(Why::Shape, "a text in it is of several lines"));
            }
        }
    }
    let (end, gives) = match site.language {
        "python" | "go" => ("", "return "),
        "rust" => ("", ""),
        _ => (";", "return "),
    };
    if let Stretch::Expression(_) = stretch {
        let lines: Vec<_> = code.lines().collect();
        if lines.len() > 1 {
            return match site.language {
                "python" => Ok(vec![format!("return ({code})")]),
                _ => Err(refusal(Why::Shape, "the expression is of several lines")),
            };
        }
        return Ok(vec![format!("{gives}{code}{end}")]);
    }
    if !site.begins_line(range.start) {
        return Err(refusal(Why::Shape, "the statements share their line with others"));
    }
    let indent = site.indent_at(range.start);
    let mut lines = Vec::new();
    for (n, line) in code.lines().enumerate() {
        match line.strip_prefix(indent) {
            Some(rest) if n > 0 => lines.push(rest.to_owned()),
            _ if n == 0 || line.trim().is_empty() => lines.push(line.to_owned()),
            _ => return Err(refusal(Why::Shape, "its lines stand further out than its first")),
        }
    }
    let names: Vec<_> = flow.results.iter().map(|(n, ..)| n.as_str()).collect();
    let list = names.join(", ");
    match (names.len(), site.language) {
        (0, _) => {}
        (2.., "javascript" | "typescript" | "tsx") => lines.push(format!("return [{list}];")),
        _ => lines.push(format!("{gives}{list}{end}")),
    }
    Ok(lines)
}

/// The type that a name is declared with, as it is written.
fn declared_type(site: &Site<'_>, def: u32, function: Node<'_>) -> Result<String, ActionRefusal> {
    let own = site.def(def);
    let name = site.name_of(def);
    let unsure = || refusal(Why::Type, format!("the type of `{name}` is not certain"));
    let root = site.place.syntax.root();
    let node = root
        .named_descendant_for_byte_range(own.name_start as usize, own.name_end as usize)
        .ok_or_else(unsure)?;
    let parent = node.parent().ok_or_else(unsure)?;
    if own.kind == DefinitionKind::Function {
        return Err(unsure());
    }
    let text = |n: Option<Node<'_>>| n.map(|n| site.text(n).to_owned());
    let found = match site.language {
        "typescript" | "tsx" if parent.kind() == "required_parameter" => {
            let ty = parent.child_by_field_name("type");
            let value = parent.child_by_field_name("value").is_some();
            text(ty).filter(|_| !value).map(|t| t.trim_start_matches(':').trim().to_owned())
        }
        "rust" if matches!(parent.kind(), "parameter") => text(parent.child_by_field_name("type")),
        "go" if parent.kind() == "parameter_declaration" => {
            text(parent.child_by_field_name("type")).filter(|t| !t.starts_with("..."))
        }
        "java" if matches!(parent.kind(), "formal_parameter") => {
            text(parent.child_by_field_name("type"))
        }
        "java" if parent.kind() == "variable_declarator" => {
            let outer = parent.parent().ok_or_else(unsure)?;
            let plain = parent.child_by_field_name("dimensions").is_none();
            text(outer.child_by_field_name("type")).filter(|t| plain && t != "var")
        }
        "c" if matches!(
            parent.kind(),
            "parameter_declaration" | "init_declarator" | "declaration" | "pointer_declarator"
        ) =>
        {
            c_type(site, node)
        }
        _ => None,
    };
    let found = found.ok_or_else(unsure)?;
    // Type parameters and lifetimes are the function's own.
    let generic = any(function, &|n| {
        matches!(n.kind(), "type_parameters" | "type_parameter_list" | "lifetime" | "where_clause")
    }) || crate::actions::site::any_above(function, root, &|n| {
        let mut cursor = n.walk();
        let found = n
            .children(&mut cursor)
            .any(|c| matches!(c.kind(), "type_parameters" | "type_parameter_list"));
        found || n.kind() == "template_declaration"
    });
    let go_generic = site.language == "go" && found.contains('[');
    if generic
        || go_generic && !found.starts_with("[]")
        || found.contains("impl ")
        || found.contains("Self")
    {
        return Err(unsure());
    }
    if site.language == "rust" {
        let copied = [
            "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64",
            "bool", "char",
        ];
        let plain =
            copied.contains(&&*found) || found.starts_with('&') && !found.starts_with("&mut");
        if !plain {
            return Err(refusal(Why::Type, format!("`{name}` would be moved")));
        }
    }
    if found.contains('\n') {
        return Err(unsure());
    }
    Ok(found)
}

/// A plain C declaration's type: words and stars before the name, nothing after it.
fn c_type(site: &Site<'_>, name: Node<'_>) -> Option<String> {
    let mut at = name;
    let mut stars = String::new();
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "pointer_declarator" => stars.push('*'),
            "init_declarator" => {}
            "declaration" | "parameter_declaration" => {
                let ty = site.text(parent.child_by_field_name("type")?);
                let mut cursor = parent.walk();
                let mut qualifiers = String::new();
                for child in parent.named_children(&mut cursor) {
                    match child.kind() {
                        "type_qualifier" => qualifiers.push_str(&format!("{} ", site.text(child))),
                        "storage_class_specifier" => return None,
                        _ => {}
                    }
                }
                let gap = if stars.is_empty() { "" } else { " " };
                return Some(format!("{qualifiers}{ty}{gap}{stars}"));
            }
            _ => return None,
        }
        at = parent;
    }
    None
}

fn declared_type_of_result(site: &Site<'_>, flow: &Flow) -> Result<String, ActionRefusal> {
    let Some((name, def, _)) = flow.results.first() else { return Ok(String::new()) };
    let unsure = || refusal(Why::Type, format!("the type of `{name}` is not certain"));
    let at = site.def(*def);
    let root = site.place.syntax.root();
    let node = root
        .named_descendant_for_byte_range(at.name_start as usize, at.name_end as usize)
        .ok_or_else(unsure)?;
    declared_type(site, *def, site.function_around(node))
}

fn result_type(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    function: Node<'_>,
    flow: &Flow,
    gives_back: bool,
) -> Result<String, ActionRefusal> {
    let unsure = || refusal(Why::Type, "the type of what it gives is not certain");
    if site.language == "python" {
        return Ok(types::python_result(site, function, flow, gives_back, stretch));
    }
    if matches!(site.language, "typescript" | "tsx") && gives_back {
        return types::ecma_result(site, function).ok_or_else(unsure);
    }
    if matches!(site.language, "javascript" | "typescript" | "tsx") {
        let several = flow.results.len() > 1;
        // What the function gives may follow from its type.
        let typed = site.language != "javascript";
        return match typed && (several || matches!(stretch, Stretch::Expression(_))) {
            true => Err(unsure()),
            false => Ok(String::new()),
        };
    }
    if gives_back {
        let ty = match site.language {
            "java" => function.child_by_field_name("type"),
            "go" => function.child_by_field_name("result"),
            "rust" => function.child_by_field_name("return_type"),
            _ => None,
        };
        let written = ty.map(|t| site.text(t).to_owned()).ok_or_else(unsure)?;
        let named = site.language == "go" && written.starts_with('(');
        let open = written.contains("impl ")
            || written.contains("Self")
            || written.contains('\'')
            || written.contains('&');
        let generic =
            any(function, &|n| matches!(n.kind(), "type_parameters" | "type_parameter_list"));
        return if named || open || generic || written.contains('\n') {
            Err(unsure())
        } else {
            Ok(written)
        };
    }
    match stretch {
        Stretch::Expression(node) => value_type::known(site, *node).ok_or_else(unsure),
        Stretch::Statements(_) => match flow.results.len() {
            0 if site.language == "rust" => {
                // The last statement may be the block's value.
                let last = stretch.nodes().last().is_some_and(|n| {
                    n.kind() == "expression_statement" && site.text(*n).ends_with(';')
                        || n.kind() == "let_declaration"
                });
                if last { Ok(String::new()) } else { Err(unsure()) }
            }
            0 => Ok(String::new()),
            1 => declared_type_of_result(site, flow),
            _ => Err(unsure()),
        },
    }
}

/// The function, and where it goes.
fn beside(
    site: &Site<'_>,
    top: Node<'_>,
    parts: &Parts,
    body: &[String],
) -> Result<(usize, String), ActionRefusal> {
    let line_end = site.line_end();
    if !site.begins_line(top.start_byte()) {
        return Err(refusal(Why::Shape, "the code around shares its line with others"));
    }
    let outer = site.indent_at(top.start_byte());
    let unit = unit(site);
    let typed = |separator: &str| {
        let all = parts.parameters.iter().map(|(n, t)| match t.is_empty() {
            true => n.clone(),
            false => format!("{n}{separator}{t}"),
        });
        all.collect::<Vec<_>>().join(", ")
    };
    let (name, result) = (&parts.name, &parts.result);
    let lead = if parts.is_async { "async " } else { "" };
    let (head, tail) = match site.language {
        "python" => {
            let gives = if result.is_empty() { String::new() } else { format!(" -> {result}") };
            (format!("{lead}def {name}({}){gives}:", typed(": ")), "")
        }
        "javascript" | "typescript" | "tsx" => {
            let gives = if result.is_empty() { String::new() } else { format!(": {result}") };
            (format!("{lead}function {name}({}){gives} {{", typed(": ")), "}")
        }
        "go" => {
            let gap = if result.is_empty() { "" } else { " " };
            (format!("func {name}({}) {result}{gap}{{", typed(" ")), "}")
        }
        "rust" => {
            let gives = if result.is_empty() { String::new() } else { format!("-> {result} ") };
            if !outer.is_empty() {
                return Err(refusal(Why::Scope, "it is in an `impl` or a module"));
            }
            (format!("fn {name}({}) {gives}{{", typed(": ")), "}")
        }
        "java" | "c" => {
            let all = parts.parameters.iter().map(|(n, t)| {
                let gap = if t.ends_with('*') { "" } else { " " };
                format!("{t}{gap}{n}")
            });
            let list = all.collect::<Vec<_>>().join(", ");
            let list =
                if list.is_empty() && site.language == "c" { "void".to_owned() } else { list };
            let result = if result.is_empty() { "void" } else { result };
            let words =
                if site.language == "java" { java_words(site, top)? } else { "static ".into() };
            let throws =
                if site.language == "java" { java_throws(site, top) } else { String::new() };
            (format!("{words}{result} {name}({list}){throws} {{"), "}")
        }
        _ => return Err(refusal(Why::Shape, "functions of this language are not written here")),
    };
    let mut lines = vec![format!("{outer}{head}")];
    for line in body {
        let blank = line.trim().is_empty();
        lines.push(if blank { String::new() } else { format!("{outer}{unit}{line}") });
    }
    if !tail.is_empty() {
        lines.push(format!("{outer}{tail}"));
    }
    let code = lines.join(line_end);
    // Before it where it has to be known before it is used.
    if matches!(site.language, "python" | "c") {
        let wide = site.language == "python" && outer.is_empty();
        let gap = line_end.repeat(if wide { 3 } else { 2 });
        let top = first_overload(site, top);
        let at = site.line_start(site.place.syntax.comments_above(top.start_byte()));
        return Ok((at, format!("{code}{gap}")));
    }
    let rest = &site.source[top.end_byte()..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    if !line.trim_matches([' ', '\t', ';', ',']).is_empty() {
        return Err(refusal(Why::Shape, "the code around shares its line with others"));
    }
    Ok((top.end_byte() + line.len(), format!("{line_end}{line_end}{code}")))
}

/// The first of a function's overloads in Python, which stand right before it.
fn first_overload<'a>(site: &Site<'_>, top: Node<'a>) -> Node<'a> {
    let name = |n: Node<'a>| {
        let function = n.child_by_field_name("definition").unwrap_or(n);
        function.child_by_field_name("name").map(|n| site.text(n).to_owned())
    };
    let (mut first, mut at) = (top, top);
    while let Some(before) = at.prev_named_sibling() {
        at = before;
        if before.kind() == "comment" {
            continue;
        }
        let overload = before.kind() == "decorated_definition"
            && before.named_child(0).is_some_and(|d| site.text(d).ends_with("overload"));
        if !overload || name(before) != name(top) {
            break;
        }
        first = before;
    }
    first
}

/// One step of indentation, as the file has it.
pub(in crate::actions) fn unit(site: &Site<'_>) -> String {
    let mut smallest = String::new();
    for line in site.source.lines().take(2_000) {
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

/// `private static` where the method around is static.
fn java_words(site: &Site<'_>, top: Node<'_>) -> Result<String, ActionRefusal> {
    if top.kind() != "method_declaration" {
        return Err(refusal(Why::Scope, "it is in no method"));
    }
    let in_class = top.parent().is_some_and(|p| p.kind() == "class_body");
    let mut cursor = top.walk();
    let modifiers = top.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
    let is_static =
        modifiers.is_some_and(|m| site.text(m).split_whitespace().any(|w| w == "static"));
    match in_class {
        true => Ok(if is_static { "private static ".into() } else { "private ".into() }),
        false => Err(refusal(Why::Scope, "it is in no class")),
    }
}

fn java_throws(site: &Site<'_>, top: Node<'_>) -> String {
    let mut cursor = top.walk();
    let throws = top.named_children(&mut cursor).find(|c| c.kind() == "throws");
    throws.map_or(String::new(), |t| format!(" {}", site.text(t)))
}
