//! Java: a type that stands beside the one a file is named for.

use super::needs::import_of;
use super::{Needs, Parts, Subject, dropped};
use crate::actions::site::Site;
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::project::last;

pub(super) fn parts(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
) -> Result<Parts, ActionRefusal> {
    let own = last(site.resolver.path(site.file)).trim_end_matches(".java");
    if own == subject.name {
        return Err(refusal(Why::Nothing, "it is in a file of its own name already"));
    }
    if site.resolver.defined(subject.name).any(|id| {
        id.file != site.file
            && site.resolver.folder(id.file) == site.resolver.folder(site.file)
            && site.resolver.def(id).scope == 0
    }) {
        let why = format!("another file of the package has a `{}`", subject.name);
        return Err(refusal(Why::Conflict, why));
    }
    let root = site.place.syntax.root();
    let mut cursor = root.walk();
    let (mut head, mut lines) = (String::new(), Vec::new());
    let mut used = Vec::new();
    for &d in &needs.imports {
        used.push(import_of(site, d)?.start_byte());
    }
    let mut end = 0;
    for node in root.named_children(&mut cursor) {
        let text = site.text(node).trim_end();
        match node.kind() {
            "package_declaration" => head = format!("{text}\n\n"),
            "import_declaration" => {
                let mut cursor = node.walk();
                let all = node.named_children(&mut cursor).any(|n| n.kind() == "asterisk");
                if all || used.contains(&node.start_byte()) {
                    if end > 0 && site.source[end..node.start_byte()].matches('\n').count() > 1 {
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
    let old = dropped(site, subject, needs, &|_| false).unwrap_or_default();
    Ok(Parts { head, code: subject.code(site).to_owned(), old, others: Vec::new() })
}
