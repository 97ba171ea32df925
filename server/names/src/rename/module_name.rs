//! Modules named after their file or folder: renaming one renames the file.

use std::ops::Range;

use super::{FileMove, RenameError, identifier};
use crate::facts::{NameSite, ReferenceRole};
use crate::index::{FileId, Index};
use crate::moves::ecma::OPTIONAL_EXTENSIONS;
use crate::project::{Module, join_normalized, last, parent};
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// The name of a module at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamableModule {
    /// The bytes of the name; of a path, those of its last component without the extension.
    pub span: Range<usize>,
    /// The name.
    pub name: String,
    /// Its language's id.
    language: &'static str,
    /// The module's file, or a file in the module's folder.
    file: FileId,
    /// The path of the file or folder that bears the name.
    path: String,
}

impl RenamableModule {
    /// Whether another file has to declare the module for it to exist.
    #[must_use]
    pub fn needs_declaration(&self) -> bool {
        self.language == "rust"
    }
}

impl Index {
    /// The project's module that the name at a byte offset refers to, if the name is that of its
    /// file or folder. Python, Rust, JavaScript and TypeScript.
    #[must_use]
    pub fn module_at(&self, file: FileId, offset: usize) -> Option<RenamableModule> {
        let facts = self.facts(file)?;
        let language = facts.language().id();
        let site = facts.site_at(offset)?;
        let found = match language {
            "javascript" | "typescript" | "tsx" => self.ecma_module(file, language, site)?,
            "python" => self.python_module(file, site)?,
            "rust" => self.rust_module(file, site)?,
            _ => return None,
        };
        (!self.is_dependency(found.file) && !found.name.is_empty()).then_some(found)
    }

    /// The module of a specifier such as `'./lib/shapes'`: its file, or the folder of its index
    /// file.
    fn ecma_module(
        &self,
        file: FileId,
        language: &'static str,
        site: NameSite,
    ) -> Option<RenamableModule> {
        let facts = self.facts(file)?;
        let NameSite::Reference(r) = site else { return None };
        let reference = &facts.references[r as usize];
        if reference.role != ReferenceRole::Root {
            return None;
        }
        let (written, _) = facts.module_of_value(reference.receiver)?;
        let (start, end) = (reference.start as usize, reference.end as usize);
        let Some(Module::File(target)) = self.project.module(file, language, written, 0) else {
            return None;
        };
        let part = last(written);
        let name =
            OPTIONAL_EXTENSIONS.iter().find_map(|ending| part.strip_suffix(ending)).unwrap_or(part);
        if end - start != written.len() || matches!(name, "" | "." | "..") {
            return None;
        }
        let path = self.project.path(target);
        let bare =
            OPTIONAL_EXTENSIONS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
        let path = match last(bare) {
            own if own == name => path,
            "index" if last(parent(path)) == name => parent(path),
            _ => return None,
        };
        let from = end - part.len();
        let (name, path) = (name.to_owned(), path.to_owned());
        Some(RenamableModule { span: from..from + name.len(), name, language, file: target, path })
    }

    /// The Python module or package that a name refers to.
    fn python_module(&self, file: FileId, site: NameSite) -> Option<RenamableModule> {
        let with_module_path = |target: FileId| {
            let path = self.project.path(target);
            let bare = path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py"))?;
            Some((target, bare.strip_suffix("/__init__").map_or(path, |_| parent(path)).to_owned()))
        };
        let resolver = Resolver::new(self);
        resolver.treat_requires_as_variables();
        let found = resolver.definitions_at_site(file, site);
        let (target, path) = match found.iter().find(|f| f.id.def == 0) {
            Some(module) => with_module_path(module.id.file)?,
            None => {
                let facts = self.facts(file)?;
                let NameSite::Reference(r) = site else { return None };
                let (name, up) = facts.module_of_value(facts.references[r as usize].receiver)?;
                match self.project.module(file, "python", name, up)? {
                    Module::File(target) => with_module_path(target)?,
                    Module::Folder(folder) => {
                        (*self.project.in_folder(&folder).first()?, folder.into())
                    }
                    Module::Package(_) | Module::Namespace(_) => return None,
                }
            }
        };
        self.module_of(file, site, target, path)
    }

    /// The Rust module that a name refers to.
    fn rust_module(&self, file: FileId, site: NameSite) -> Option<RenamableModule> {
        let resolver = Resolver::new(self);
        let found = resolver.definitions_at_site(file, site);
        let module = |id: DefId| {
            let is_module = id.def == 0 || resolver.def(id).kind == DefinitionKind::Module;
            match is_module.then(|| resolver.module_of_definition(id))? {
                Ty::Module(target, 0) => Some(target),
                _ => None,
            }
        };
        let target = found.iter().find_map(|f| module(f.id))?;
        let path = self.project.path(target);
        let path = match last(path) {
            "lib.rs" | "main.rs" => return None,
            "mod.rs" => parent(path),
            _ => path,
        };
        self.module_of(file, site, target, path.to_owned())
    }

    /// The module at `path`, if the name at the site is the path's last component.
    fn module_of(
        &self,
        file: FileId,
        site: NameSite,
        target: FileId,
        path: String,
    ) -> Option<RenamableModule> {
        let facts = self.facts(file)?;
        let (start, end) = match site {
            NameSite::Reference(r) => {
                let reference = &facts.references[r as usize];
                (reference.start, reference.end)
            }
            NameSite::Definition(d) => {
                let def = &facts.definitions[d as usize];
                (def.name_start, def.name_end)
            }
        };
        let own = facts.name_at(start as usize)?.text;
        let stem = last(&path).split('.').next().unwrap_or_default();
        // A different name is an alias.
        let name = own.rsplit('.').next().unwrap_or(&own).to_owned();
        let span = (end as usize).checked_sub(name.len())?..end as usize;
        (start < end && name == stem).then(|| RenamableModule {
            span,
            name,
            language: facts.language().id(),
            file: target,
            path,
        })
    }

    /// The files and folders to move when a module is renamed.
    ///
    /// # Errors
    /// Why it cannot be renamed.
    pub fn module_moves(
        &self,
        module: &RenamableModule,
        new: &str,
    ) -> Result<Vec<FileMove>, RenameError> {
        let is_ecma = !matches!(module.language, "python" | "rust");
        let refused = match is_ecma {
            true => invalid_file_name_reason(new),
            false => identifier::invalid_reason(new, module.language),
        };
        if let Some(why) = refused {
            return Err(RenameError::Invalid { name: new.to_owned(), why });
        }
        if new == module.name {
            return Ok(Vec::new());
        }
        let path = &*module.path;
        let folder = parent(path);
        let at = |name: &str| join_normalized(folder, name).unwrap_or_else(|| name.to_owned());
        let ending = &last(path)[module.name.len()..];
        let moved =
            |from: &str, to: String| FileMove { file: module.file, from: from.to_owned(), to };
        let mut moves = vec![moved(path, at(&format!("{new}{ending}")))];
        let mut add = |from: String, to: String, file: Option<FileId>| {
            if let Some(file) = file.filter(|_| from != path) {
                moves.push(FileMove { file, from, to });
            }
        };
        match module.language {
            "rust" if ending == ".rs" => {
                // Its submodules are in a folder of its name.
                let inner = at(&module.name);
                let file = self.project.in_folder(&inner).first().copied();
                add(inner, at(new), file);
            }
            "python" if !ending.is_empty() => {
                for ending in [".py", ".pyi"] {
                    let twin = at(&format!("{}{ending}", module.name));
                    let file = self.project.file(&twin);
                    add(twin, at(&format!("{new}{ending}")), file);
                }
            }
            _ => {}
        }
        let taken = [at(new), at(&format!("{new}{ending}"))].into_iter().find(|path| {
            self.project.file(path).is_some() || !self.project.in_folder(path).is_empty()
        });
        let files = [".py", ".pyi", ".rs"].map(|ending| at(&format!("{new}{ending}")));
        let taken = taken.or_else(|| {
            files.into_iter().find(|path| !is_ecma && self.project.file(path).is_some())
        });
        match taken {
            Some(taken) => {
                let (name, why) = (module.name.clone(), format!("{taken} already exists"));
                Err(RenameError::NotRenamable { name, why })
            }
            None => Ok(moves),
        }
    }
}

/// Why a word cannot be a module's file name; `None` if it can.
fn invalid_file_name_reason(name: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@' | '+');
    if name.is_empty() || name.len() > 200 {
        return Some("it is empty or too long");
    }
    if name.starts_with('.') || !name.chars().all(fits) {
        return Some("a module's name is a file name without folder and extension");
    }
    None
}
