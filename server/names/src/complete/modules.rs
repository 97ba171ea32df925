//! Modules by the paths that imports give.

use super::gather::Gathered;
use super::{Asked, MOST};
use crate::expression::Expression;
use crate::facts::Ref;
use crate::origin::Origin;
use crate::project::{Module, parent};

impl Asked<'_, '_> {
    /// The modules that the last part of a dotted path may name.
    pub(super) fn modules(&mut self, reference: &Ref) {
        let file = self.typing.file;
        let facts = self.resolver.facts(file);
        let said =
            reference.receiver.as_expression().and_then(|e| facts.expressions.get(e as usize));
        let Some(&Expression::Module(path, up)) = said else { return };
        let language = self.resolver.language(file);
        if language != "python" {
            return;
        }
        let path = facts.strings.text(path);
        let above = path.rfind('.').map_or("", |dot| &path[..dot]);
        let mut names = Gathered::new(file, self.pattern, MOST);
        let project = self.resolver.project();
        if above.is_empty() && up == 0 {
            let mut folder = parent(self.resolver.path(file));
            loop {
                self.resolver.offer_python_children(folder, &mut names);
                if folder.is_empty() {
                    break;
                }
                folder = parent(folder);
            }
        } else {
            match project.module(file, language, above, up) {
                Some(Module::File(init)) => {
                    let folder = parent(self.resolver.path(init));
                    self.resolver.offer_python_children(folder, &mut names);
                }
                Some(Module::Folder(folder)) => {
                    self.resolver.offer_python_children(&folder, &mut names);
                }
                _ => {}
            }
        }
        for name in names.iter() {
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
            self.resolver.refresh();
            let found = self.resolver.module_called(file, &path, up);
            let Some(first) = found.first() else { continue };
            self.offer(name, first.id, Origin::Import, true);
        }
    }
}
