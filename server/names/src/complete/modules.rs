//! Completion of module paths in imports.

use super::gather::GatheredNames;
use super::{CompletionBuilder, MAX_NAMES};
use crate::expression::Expression;
use crate::facts::Ref;
use crate::origin::Origin;
use crate::project::{Module, parent};

impl CompletionBuilder<'_, '_> {
    /// Adds the Python modules that the last part of a dotted path may name.
    pub(super) fn add_modules(&mut self, reference: &Ref) {
        let file = self.typing.file;
        let facts = self.resolver.facts(file);
        let written_path =
            reference.receiver.as_expression().and_then(|e| facts.expressions.get(e as usize));
        let Some(&Expression::Module(path, up)) = written_path else { return };
        let language = self.resolver.language(file);
        if language != "python" {
            return;
        }
        let path = facts.strings.text(path);
        let parent_path = path.rfind('.').map_or("", |dot| &path[..dot]);
        let mut names = GatheredNames::new(file, self.pattern, MAX_NAMES);
        let project = self.resolver.project();
        if parent_path.is_empty() && up == 0 {
            let mut folder = parent(self.resolver.path(file));
            loop {
                self.resolver.add_python_modules(folder, &mut names);
                if folder.is_empty() {
                    break;
                }
                folder = parent(folder);
            }
        } else {
            match project.module(file, language, parent_path, up) {
                Some(Module::File(init)) => {
                    let folder = parent(self.resolver.path(init));
                    self.resolver.add_python_modules(folder, &mut names);
                }
                Some(Module::Folder(folder)) => {
                    self.resolver.add_python_modules(&folder, &mut names);
                }
                _ => {}
            }
        }
        for name in names.iter() {
            let path = if parent_path.is_empty() {
                name.to_owned()
            } else {
                format!("{parent_path}.{name}")
            };
            self.resolver.reset_steps();
            let found = self.resolver.module_by_path(file, &path, up);
            let Some(first) = found.first() else { continue };
            self.add_candidate(name, first.id, Origin::Import, true);
        }
    }
}
