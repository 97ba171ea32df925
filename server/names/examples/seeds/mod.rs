//! Seeds a text with a problem that an action fixes: adds an unused import or variable, or removes
//! an import, a case or a member.

use syntax::Syntax;
use tree_sitter::Node;

/// A text with one problem that the action fixes; `None` if there is no place for one.
pub(crate) fn seeded(syntax: &Syntax, source: &str, action: &str, random: u64) -> Option<String> {
    let language = syntax.language().id();
    let mut nodes = Vec::new();
    collect(syntax.root(), &mut nodes);
    let places: Vec<(std::ops::Range<usize>, String)> = match action {
        "remove_unused_import" | "remove_unused_imports" => {
            imports(language, &nodes, source, random)
        }
        "remove_unused_variable" => variables(language, &nodes, source),
        "add_import" => taken(&nodes, source),
        "fill_cases" => cases(&nodes, source),
        "implement_members" => members(&nodes, source),
        _ => return None,
    };
    let (span, new) = places.get(random as usize % places.len().max(1))?;
    let mut text = source.to_owned();
    text.replace_range(span.clone(), new);
    Some(text)
}

fn collect<'t>(node: Node<'t>, all: &mut Vec<Node<'t>>) {
    all.push(node);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect(child, all);
    }
}

/// Insertions of an unused name into an import, or of an unused import.
fn imports(
    language: &str,
    nodes: &[Node<'_>],
    source: &str,
    random: u64,
) -> Vec<(std::ops::Range<usize>, String)> {
    let mut all = Vec::new();
    for node in nodes {
        let Some(parent) = node.parent() else { continue };
        let (at, text) = (node.start_byte(), &source[node.byte_range()]);
        let last = text.rsplit(['.', ':']).next().unwrap_or(text);
        let new = match (language, node.kind(), parent.kind()) {
            ("python", "dotted_name", "import_from_statement")
                if parent.child_by_field_name("module_name") != Some(*node) =>
            {
                format!("{text} as zq_{last}, ")
            }
            ("python", "import_statement", "module") => "import zq_module\n".to_owned(),
            (_, "import_specifier", "named_imports") if !text.contains(' ') => {
                format!("{text} as zq{text}, ")
            }
            ("rust", "identifier" | "scoped_identifier", "use_list") => {
                format!("{text} as Zq{last}, ")
            }
            ("rust", "scoped_identifier", "use_declaration") => {
                let whole = &source[parent.byte_range()];
                if !whole.starts_with("use") {
                    continue;
                }
                let start = parent.start_byte();
                all.push((start..start, format!("use {text} as Zq{last};\n")));
                continue;
            }
            ("go", "import_spec", "import_spec_list") => format!("zq{random} \"strings\"\n\t"),
            ("java", "import_declaration", _) => {
                let types = ["CRC32", "Adler32", "Deflater", "Inflater", "Checksum", "ZipFile"];
                format!("import java.util.zip.{};\n", types[random as usize % types.len()])
            }
            _ => continue,
        };
        all.push((at..at, new));
    }
    all
}

/// Insertions of an unused variable into functions.
fn variables(
    language: &str,
    nodes: &[Node<'_>],
    source: &str,
) -> Vec<(std::ops::Range<usize>, String)> {
    let statement = match language {
        "python" => "zq_unread = [1, 'a']",
        "rust" => "let zq_unread = -1;",
        "go" => "zqUnread := 1",
        "java" => "int zqUnread = 1;",
        _ => "const zqUnread = [1, 'a'];",
    };
    let mut all = Vec::new();
    for node in nodes {
        let Some(parent) = node.parent() else { continue };
        let block = matches!(parent.kind(), "block" | "statement_block" | "statement_list");
        let mut around = std::iter::successors(Some(parent), Node::parent);
        let inside =
            around.any(|n| n.kind().starts_with("function") || n.kind().starts_with("method"));
        let line = source[..node.start_byte()].rfind('\n').map_or(0, |n| n + 1);
        let indent = &source[line..node.start_byte()];
        if block && inside && indent.trim().is_empty() && node.kind() != "comment" {
            let at = node.start_byte();
            all.push((at..at, format!("{statement}\n{indent}")));
        }
    }
    all
}

/// Removals of a whole import.
fn taken(nodes: &[Node<'_>], source: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let statements =
        ["import_statement", "import_from_statement", "use_declaration", "import_declaration"];
    let is_top = |n: &&Node<'_>| n.parent().is_some_and(|p| p.parent().is_none());
    let found = nodes.iter().filter(|n| statements.contains(&n.kind())).filter(is_top);
    // In Go, the imports of a list one by one.
    let specs = nodes.iter().filter(|n| n.kind() == "import_spec");
    let found = found.filter(|n| !source[n.byte_range()].contains('(')).chain(specs);
    let one = |n: &&Node<'_>| {
        let text = &source[n.byte_range()];
        !text.contains([',', '*', '#']) && text.starts_with(['i', 'f', 'u', '"'])
    };
    found
        .filter(one)
        .map(|n| {
            let end =
                source[n.end_byte()..].find('\n').map_or(source.len(), |e| n.end_byte() + e + 1);
            let start = source[..n.start_byte()].rfind('\n').map_or(0, |at| at + 1);
            // Include the indentation.
            let blank = source[start..n.start_byte()].trim().is_empty();
            (if blank { start } else { n.start_byte() }..end, String::new())
        })
        .collect()
}

/// Removals of a case from a match or switch without default.
fn cases(nodes: &[Node<'_>], source: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let kinds = ["match_arm", "switch_block_statement_group", "switch_rule", "switch_case"];
    let kinds = [&kinds[..], &["case_clause"]].concat();
    let bodies = nodes.iter().filter(|n| kinds.contains(&n.kind())).filter_map(Node::parent);
    let mut all = Vec::new();
    for body in bodies {
        let mut cursor = body.walk();
        let cases: Vec<_> = body.named_children(&mut cursor).collect();
        let plain = |n: &Node<'_>| {
            let text = source[n.byte_range()].trim_start();
            let text = text.strip_prefix("case ").unwrap_or(text);
            let head = text.split(['=', ':', '{', '(']).next().unwrap_or("");
            kinds.contains(&n.kind())
                && !text.starts_with("_ ")
                && text.starts_with(char::is_uppercase)
                && !head.contains('"')
        };
        if cases.len() > 1 && cases.iter().all(|n| plain(n) || n.kind().contains("comment")) {
            let cases = cases.into_iter().filter(plain);
            all.extend(cases.map(|case| whole_lines(case, source)));
        }
    }
    all
}

/// Removals of a member that a base may require.
fn members(nodes: &[Node<'_>], source: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let of = |n: &Node<'_>| {
        let body = n.parent()?;
        let holder = body.parent()?;
        let head = &source[holder.start_byte()..body.start_byte()];
        let derived = match holder.kind() {
            "impl_item" => head.contains(" for "),
            "class_declaration" => head.contains("implements") || head.contains("extends"),
            _ => false,
        };
        let own = source[n.byte_range()].contains("@Override") || n.kind() != "method_declaration";
        (derived && own).then(|| whole_lines(*n, source))
    };
    let kinds = ["function_item", "method_declaration", "method_definition"];
    nodes.iter().filter(|n| kinds.contains(&n.kind())).filter_map(of).collect()
}

/// The lines of a node, if no other code is on them.
fn whole_lines(node: Node<'_>, source: &str) -> (std::ops::Range<usize>, String) {
    let start = source[..node.start_byte()].rfind('\n').map_or(0, |at| at + 1);
    let end =
        source[node.end_byte()..].find('\n').map_or(source.len(), |e| node.end_byte() + e + 1);
    let own = source[start..node.start_byte()].trim().is_empty()
        && source[node.end_byte()..end].trim().trim_end_matches([',', ';']).is_empty();
    (if own { start..end } else { node.byte_range() }, String::new())
}
