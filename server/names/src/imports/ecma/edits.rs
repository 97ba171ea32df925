//! The text of an import in the style of the file.

use std::ops::Range;

use tree_sitter::Node;

use crate::imports::lines::{self, ImportLine};
use crate::imports::{ImportForm, ImportRoute, ImportWriter, list};
use crate::project::Module;
use crate::vocabulary::DefinitionKind;

/// Groups of imports, in order.
const PACKAGE: u8 = 0;
const ALIAS: u8 = 1;
const UPWARDS: u8 = 2;
const BESIDE: u8 = 3;

/// How the file marks type-only imports.
#[derive(Clone, Copy, PartialEq)]
enum TypeOnlyStyle {
    /// `import type { A }`
    Statement,
    /// `import { type A }`
    Name,
    No,
}

/// An existing import.
struct ExistingImport<'t> {
    node: Node<'t>,
    module: String,
}

impl ImportWriter<'_> {
    pub(in crate::imports) fn ecma_edits(
        &self,
        route: &ImportRoute,
    ) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let top = lines::children(self.syntax.root());
        let imports: Vec<ExistingImport<'_>> = top
            .iter()
            .filter(|n| n.kind() == "import_statement" && n.start_byte() < self.span.start)
            .filter_map(|&node| {
                let source = lines::of(text, node.child_by_field_name("source")?);
                Some(ExistingImport { node, module: source.trim_matches(['"', '\'']).to_owned() })
            })
            .collect();
        if imports.is_empty() && self.uses_require() {
            return self.require_edits(route, &top);
        }
        let typed = self.type_only_style(&imports);
        let of_module = imports.iter().filter(|i| i.module == route.module);
        for import in of_module {
            if let Some(edit) = self.merged_edit(route, import.node, typed) {
                return Some(vec![edit]);
            }
        }
        let (quote, end) = self.quote_and_end(&imports, &top);
        let kept = if typed == TypeOnlyStyle::Statement { "type " } else { "" };
        let name = match (route.form, typed) {
            (ImportForm::Default, _) => self.name.to_owned(),
            (_, TypeOnlyStyle::Name) => self.braced(&imports, &format!("type {}", self.name)),
            _ => self.braced(&imports, self.name),
        };
        let statement = format!("import {kept}{name} from {quote}{}{quote}{end}", route.module);
        if imports.is_empty() {
            let opening = |n: &&Node<'_>| {
                matches!(n.kind(), "comment" | "hash_bang_line")
                    || n.kind() == "expression_statement"
                        && n.named_child(0).is_some_and(|c| c.kind() == "string")
            };
            let said = top.iter().take_while(opening).count();
            // A comment directly above code belongs to the code.
            let before = said.checked_sub(1).and_then(|n| top.get(n));
            let after = top.get(said).copied();
            let touching = |b: &&Node<'_>| {
                let close = |a: &Node<'_>| a.start_position().row <= b.end_position().row + 1;
                b.kind() == "comment" && after.is_some_and(|a| close(&a))
            };
            let after = match before.filter(touching) {
                Some(comment) if said == 1 => Some(*comment),
                _ => after,
            };
            return Some(vec![lines::first(text, before.copied(), after, &statement, 1)]);
        }
        let lines: Vec<ImportLine<'_>> = imports
            .iter()
            .map(|i| ImportLine {
                node: i.node,
                key: i.module.clone(),
                class: self.class(&i.module),
            })
            .collect();
        let class = self.class(&route.module);
        Some(vec![lines::insert(text, &lines, &route.module, class, &statement, false)?])
    }

    /// A name in braces, spaced like in the file.
    fn braced(&self, imports: &[ExistingImport<'_>], name: &str) -> String {
        let text = self.syntax.text();
        let tight = imports.iter().any(|i| {
            let said = lines::of(text, i.node);
            said.contains('{') && !said.contains("{ ") && !said.contains("{\n")
        });
        if tight { format!("{{{name}}}") } else { format!("{{ {name} }}") }
    }

    fn class(&self, module: &str) -> u8 {
        if module.starts_with("./") || module == "." {
            return BESIDE;
        }
        if module.starts_with('.') {
            return UPWARDS;
        }
        match self.resolver.project().module(self.file, "typescript", module, 0) {
            Some(Module::File(file)) if !self.index.is_dependency(file) => ALIAS,
            _ => PACKAGE,
        }
    }

    /// Whether the definition is only a type, and how the file marks such imports.
    fn type_only_style(&self, imports: &[ExistingImport<'_>]) -> TypeOnlyStyle {
        let kind = self.resolver.def(self.target).kind;
        let typed = matches!(kind, DefinitionKind::Interface | DefinitionKind::TypeAlias);
        if !typed || self.syntax.language().id() == "javascript" {
            return TypeOnlyStyle::No;
        }
        let text = self.syntax.text();
        let said = |i: &ExistingImport<'_>| lines::of(text, i.node);
        if imports.iter().any(|i| is_type_only(i.node)) {
            TypeOnlyStyle::Statement
        } else if imports.iter().any(|i| said(i).contains("{ type ") || said(i).contains(", type "))
        {
            TypeOnlyStyle::Name
        } else {
            TypeOnlyStyle::No
        }
    }

    /// Adds the name to an existing import, if possible.
    fn merged_edit(
        &self,
        route: &ImportRoute,
        import: Node<'_>,
        typed: TypeOnlyStyle,
    ) -> Option<(Range<usize>, String)> {
        let text = self.syntax.text();
        if is_type_only(import) != (typed == TypeOnlyStyle::Statement) {
            return None;
        }
        let clause = lines::children(import).into_iter().find(|n| n.kind() == "import_clause")?;
        let parts = lines::children(clause);
        let named = parts.iter().find(|n| n.kind() == "named_imports");
        let default = parts.iter().find(|n| n.kind() == "identifier");
        if parts.iter().any(|n| n.kind() == "namespace_import") {
            return None;
        }
        if route.form == ImportForm::Default {
            let named = named.filter(|_| default.is_none() && typed != TypeOnlyStyle::Statement)?;
            return Some((named.start_byte()..named.start_byte(), format!("{}, ", self.name)));
        }
        let name = match typed {
            TypeOnlyStyle::Name => format!("type {}", self.name),
            _ => self.name.to_owned(),
        };
        if let Some(named) = named {
            let names: Vec<Node<'_>> = lines::children(*named)
                .into_iter()
                .filter(|n| n.kind() == "import_specifier")
                .collect();
            return list::insert(text, &names, &name);
        }
        let default = default.filter(|_| typed != TypeOnlyStyle::Statement)?;
        Some((default.end_byte()..default.end_byte(), format!(", {{ {name} }}")))
    }

    /// The quote and statement end that the file uses.
    fn quote_and_end(
        &self,
        imports: &[ExistingImport<'_>],
        top: &[Node<'_>],
    ) -> (char, &'static str) {
        let text = self.syntax.text();
        let model = imports.last().map(|i| i.node).or_else(|| {
            let statement = |n: &&Node<'_>| {
                matches!(
                    n.kind(),
                    "lexical_declaration" | "expression_statement" | "variable_declaration"
                )
            };
            top.iter().find(statement).copied()
        });
        let all = text.slice(0..text.len().min(1 << 16));
        let single = match imports.last() {
            Some(i) => lines::of(text, i.node).contains('\''),
            None => all.matches('\'').count() > all.matches('"').count(),
        };
        let ends = model.is_none_or(|n| lines::of(text, n).trim_end().ends_with(';'));
        (if single { '\'' } else { '"' }, if ends { ";" } else { "" })
    }

    /// Whether the file loads modules with `require`.
    fn uses_require(&self) -> bool {
        let facts = self.facts;
        let exports = || {
            let exported = facts.definitions.iter().any(|d| {
                d.scope == 0
                    && d.flags.has(crate::vocabulary::Flags::EXPORTED)
                    && d.name_start < d.name_end
            });
            facts.strings.find("exports").is_some() && !exported
        };
        let path = self.path();
        facts.language.id() == "javascript"
            && !path.ends_with(".mjs")
            && (path.ends_with(".cjs") || facts.strings.find("require").is_some() || exports())
    }

    /// The edits of an import with `require`.
    fn require_edits(
        &self,
        route: &ImportRoute,
        top: &[Node<'_>],
    ) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let mut all = Vec::new();
        for &node in top.iter().filter(|n| n.start_byte() < self.span.start) {
            if !matches!(node.kind(), "lexical_declaration" | "variable_declaration") {
                continue;
            }
            let declared = lines::children(node).into_iter();
            let mut declared = declared.filter(|n| n.kind() == "variable_declarator");
            let (Some(one), None) = (declared.next(), declared.next()) else { continue };
            let Some(value) = one.child_by_field_name("value") else { continue };
            let said = lines::of(text, value);
            let Some(rest) = said.strip_prefix("require(") else { continue };
            let quoted = rest.split(')').next().unwrap_or("").trim();
            let module = quoted.trim_matches(['"', '\'', '`']).to_owned();
            all.push((node, one.child_by_field_name("name"), module));
        }
        if route.form == ImportForm::Named {
            let pattern = all.iter().find_map(|(_, name, module)| {
                name.filter(|n| n.kind() == "object_pattern" && *module == route.module)
            });
            if let Some(pattern) = pattern {
                return Some(vec![list::insert(text, &lines::children(pattern), self.name)?]);
            }
        }
        let (quote, end) = {
            let imports: Vec<ExistingImport<'_>> = all
                .last()
                .map(|(node, _, module)| ExistingImport { node: *node, module: module.clone() })
                .into_iter()
                .collect();
            self.quote_and_end(&imports, top)
        };
        let word = match all.last() {
            Some((node, ..)) if node.kind() == "variable_declaration" => "var",
            _ => "const",
        };
        let name = match route.form {
            ImportForm::Named => format!("{{ {} }}", self.name),
            _ => self.name.to_owned(),
        };
        let statement = format!("{word} {name} = require({quote}{}{quote}){end}", route.module);
        if all.is_empty() {
            let opening = |n: &&Node<'_>| {
                matches!(n.kind(), "comment" | "hash_bang_line")
                    || n.kind() == "expression_statement"
                        && n.named_child(0).is_some_and(|c| c.kind() == "string")
            };
            let said = top.iter().take_while(opening).count();
            let before = said.checked_sub(1).and_then(|n| top.get(n)).copied();
            let after = top.get(said).copied();
            return Some(vec![lines::first(text, before, after, &statement, 1)]);
        }
        let lines: Vec<ImportLine<'_>> = all
            .iter()
            .map(|(node, _, module)| ImportLine {
                node: *node,
                key: module.clone(),
                class: self.class(module),
            })
            .collect();
        let class = self.class(&route.module);
        Some(vec![lines::insert(text, &lines, &route.module, class, &statement, false)?])
    }
}

fn is_type_only(import: Node<'_>) -> bool {
    import.child(1).is_some_and(|n| n.kind() == "type")
}
