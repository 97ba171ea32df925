//! Java: moves a secondary type of a file to a file of its own.

use super::dependencies::import_of;
use super::{Dependencies, MovePlan, MovedItem, remove_unused_imports};
use crate::actions::context::ActionContext;
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::project::last;

pub(super) fn plan(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
) -> Result<MovePlan, ActionRefusal> {
    let own = last(ctx.resolver.path(ctx.file)).trim_end_matches(".java");
    if own == item.name {
        return Err(refusal(Reason::NotApplicable, "its file is already named after it"));
    }
    if ctx.resolver.definitions_named(item.name).any(|id| {
        id.file != ctx.file
            && ctx.resolver.folder(id.file) == ctx.resolver.folder(ctx.file)
            && ctx.resolver.def(id).scope == 0
    }) {
        let why = format!("another file of the package defines `{}`", item.name);
        return Err(refusal(Reason::Conflict, why));
    }
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    let (mut head, mut lines) = (String::new(), Vec::new());
    let mut used = Vec::new();
    for &d in &dependencies.imports {
        used.push(import_of(ctx, d)?.start_byte());
    }
    let mut end = 0;
    for node in root.named_children(&mut cursor) {
        let text = ctx.text(node).trim_end();
        match node.kind() {
            "package_declaration" => head = format!("{text}\n\n"),
            "import_declaration" => {
                let mut cursor = node.walk();
                let all = node.named_children(&mut cursor).any(|n| n.kind() == "asterisk");
                if all || used.contains(&node.start_byte()) {
                    if end > 0 && ctx.source[end..node.start_byte()].matches('\n').count() > 1 {
                        lines.push("\n".to_owned());
                    }
                    lines.push(format!("{text}\n"));
                    end = node.end_byte();
                }
            }
            _ => {}
        }
    }
    head.extend(lines);
    let old = remove_unused_imports(ctx, item, dependencies, &|_| false).unwrap_or_default();
    Ok(MovePlan { head, code: item.code(ctx).to_owned(), old, others: Vec::new() })
}
