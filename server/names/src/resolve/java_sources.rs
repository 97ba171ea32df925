//! Go to definition into the Java library, where its sources are installed.
//!
//! Library files take no part in type inference: the tables in `library::java` hold what that
//! needs. The sources are read only to find where a name is defined.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, NameSite, Ref, ReferenceRole};
use crate::index::FileId;
use crate::library::java;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Namespace};

/// Depth limit of the library hierarchies climbed, and of qualified names.
const MAX_DEPTH: u32 = 12;

impl Resolver<'_> {
    /// The definitions in the library sources, for a Java name that resolves to nothing else.
    pub(crate) fn definitions_in_java_sources(
        &self,
        file: FileId,
        site: NameSite,
    ) -> Option<Vec<Resolution>> {
        if self.language(file) != "java" || !self.project().has_java_sources() {
            return None;
        }
        let found = match site {
            NameSite::Definition(d) => {
                let id = DefId { file, def: d };
                let def = self.def(id);
                let import = def.kind == DefinitionKind::Import;
                let path =
                    import.then(|| self.qualified_name(file, def.value, MAX_DEPTH)).flatten()?;
                self.java_type_at(&path).into_iter().collect()
            }
            NameSite::Reference(r) => self.java_reference(file, r, MAX_DEPTH),
        };
        let origin = Origin::Dependency;
        let found: Vec<_> = found.into_iter().map(|id| Resolution { id, origin }).collect();
        (!found.is_empty()).then_some(found)
    }

    /// The definitions of a reference in the library sources.
    fn java_reference(&self, file: FileId, r: u32, depth: u32) -> Vec<DefId> {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        let name = facts.strings.text(reference.name);
        if depth == 0 {
            return Vec::new();
        }
        match reference.role {
            ReferenceRole::Plain if reference.namespace.has(Namespace::TYPE) => {
                self.java_type(file, name).into_iter().collect()
            }
            ReferenceRole::Member => {
                if let Some(path) = self.qualified_name(file, Value::reference(r), depth)
                    && let Some(id) = self.java_type_at(&path)
                {
                    return vec![id];
                }
                let mut found = Vec::new();
                for of in self.java_receivers(file, reference, depth) {
                    found = self.java_members(of, name, reference.namespace, MAX_DEPTH);
                    if !found.is_empty() {
                        break;
                    }
                }
                let all = found.into_iter().map(|id| Resolution { id, origin: Origin::Dependency });
                let fitting =
                    self.narrow_overloads(all.collect(), file, self.arguments_of(file, reference));
                fitting.into_iter().map(|f| f.id).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The library types that the receiver of a member may have.
    fn java_receivers(&self, file: FileId, reference: &Ref, depth: u32) -> Vec<DefId> {
        let receiver = reference.receiver;
        if let Some(ty) = self.java_value_type(file, receiver, depth - 1) {
            return vec![ty];
        }
        let ty = self.type_of_value(file, receiver);
        let from = match &ty {
            Ty::Instance(id, _) | Ty::Type(id, _) => id.file,
            _ => file,
        };
        let mut above = self.library_supertypes(&ty, MAX_DEPTH);
        if above.is_empty() && !ty.is_unknown() && !matches!(ty, Ty::External) {
            above.push(Ty::Named("Object".into(), Ty::no_arguments()));
        }
        let named = above.iter().filter_map(|ty| match ty {
            Ty::Named(name, _) => Some(&**name),
            _ => None,
        });
        named.filter_map(|name| self.java_type_by_simple_name(from, name)).collect()
    }

    /// The type of a value according to the library sources: a type's own name, the type of a
    /// field, the result of a method.
    fn java_value_type(&self, file: FileId, value: Value, depth: u32) -> Option<DefId> {
        let depth = depth.checked_sub(1)?;
        let expression = value.as_expression();
        let expression = expression.and_then(|e| self.facts(file).expressions.get(e as usize));
        let callee = match expression {
            None => value,
            Some(Expression::Call(callee, _)) => *callee,
            Some(Expression::Same(inner)) => return self.java_value_type(file, *inner, depth),
            Some(_) => return None,
        };
        let targets = self.java_reference(file, callee.as_reference()?, depth);
        let id = *targets.first()?;
        if self.def(id).kind.is_type() {
            return Some(id);
        }
        let ty = match self.type_of_definition(id) {
            Ty::Signature(given, _) => (*given).clone(),
            other => other,
        };
        match ty {
            Ty::Named(name, _) => self.java_type(id.file, &name),
            Ty::Instance(id, _) | Ty::Type(id, _) => Some(id),
            _ => None,
        }
    }

    /// A library type by its simple name: as the file imports it, or as the library tables place
    /// it.
    fn java_type_by_simple_name(&self, file: FileId, name: &str) -> Option<DefId> {
        let name = if name == "str" { "String" } else { name };
        self.java_type(file, name)
            .or_else(|| java::package(name).and_then(|p| self.java_type_at(&format!("{p}.{name}"))))
    }

    /// The library type that a simple name means in a file.
    fn java_type(&self, file: FileId, name: &str) -> Option<DefId> {
        let facts = self.facts(file);
        let name_id = facts.strings.find(name)?;
        let imports = facts.definitions_in_scope(0, name_id).iter().find_map(|&d| {
            let def = &facts.definitions[d as usize];
            (def.kind == DefinitionKind::Import).then_some(def.value)
        });
        if let Some(import) = imports {
            return self.java_type_at(&self.qualified_name(file, import, MAX_DEPTH)?);
        }
        let globs =
            facts.globs.iter().filter_map(|g| self.qualified_name(file, g.module, MAX_DEPTH));
        let own = facts.strings.text(facts.package);
        let own = self.index.is_dependency(file).then(|| own.to_owned());
        let nested = self.nested_java_type(file, name_id);
        nested.or_else(|| {
            let mut around = own.into_iter().chain(["java.lang".to_owned()]).chain(globs);
            around.find_map(|package| self.java_type_at(&format!("{package}.{name}")))
        })
    }

    /// A type nested in another one of the same library file.
    fn nested_java_type(&self, file: FileId, name: u32) -> Option<DefId> {
        let facts = self.facts(file);
        let own = if self.index.is_dependency(file) { facts.definitions_named(name) } else { &[] };
        let mut types = own.iter().filter(|&&d| facts.definitions[d as usize].kind.is_type());
        types.next().map(|&def| DefId { file, def })
    }

    /// A type by its qualified name: the file of its outermost type, then the nested types from
    /// there.
    fn java_type_at(&self, path: &str) -> Option<DefId> {
        let is_type = |part: &&str| part.starts_with(char::is_uppercase);
        let parts: Vec<&str> = path.split('.').collect();
        let outermost = parts.iter().position(is_type)?;
        let file = self.project().java_source(&parts[..=outermost].join("/"))?;
        let facts = self.facts(file);
        let (mut scope, mut found) = (0, None);
        for part in &parts[outermost..] {
            let name_id = facts.strings.find(part)?;
            let mut all = facts.definitions_in_scope(scope, name_id).iter();
            let def = *all.find(|&&d| facts.definitions[d as usize].kind.is_type())?;
            scope = facts.definitions[def as usize].body;
            found = Some(DefId { file, def });
        }
        found
    }

    /// The members of a name that a library type declares or inherits.
    fn java_members(&self, of: DefId, name: &str, wanted: Namespace, depth: u32) -> Vec<DefId> {
        let (facts, def) = (self.facts(of.file), self.def(of));
        if let Some(name_id) = facts.strings.find(name)
            && def.body != NONE
        {
            let own = facts.definitions_in_scope(def.body, name_id).iter();
            let fits = |d: &&u32| facts.definitions[**d as usize].namespace.has(wanted);
            let own: Vec<_> = own.filter(fits).map(|&def| DefId { file: of.file, def }).collect();
            if !own.is_empty() {
                return own;
            }
        }
        if depth == 0 {
            return Vec::new();
        }
        let mut above = self.supertypes(of).into_iter().filter_map(|ty| match ty {
            Ty::Named(name, _) => self.java_type(of.file, &name),
            Ty::Instance(id, _) | Ty::Type(id, _) => Some(id),
            _ => None,
        });
        above
            .find_map(|of| {
                let found = self.java_members(of, name, wanted, depth - 1);
                (!found.is_empty()).then_some(found)
            })
            .unwrap_or_default()
    }

    /// A qualified name as it is written: `java.util.List`.
    pub(crate) fn qualified_name(&self, file: FileId, value: Value, depth: u32) -> Option<String> {
        let facts = self.facts(file);
        let depth = depth.checked_sub(1)?;
        if let Some(r) = value.as_reference() {
            let reference = &facts.references[r as usize];
            let name = facts.strings.text(reference.name);
            return match reference.role {
                ReferenceRole::Plain if name.starts_with(char::is_lowercase) => {
                    Some(name.to_owned())
                }
                ReferenceRole::Root => self.qualified_name(file, reference.receiver, depth),
                ReferenceRole::Member => Some(format!(
                    "{}.{name}",
                    self.qualified_name(file, reference.receiver, depth)?
                )),
                _ => None,
            };
        }
        match *facts.expressions.get(value.as_expression()? as usize)? {
            Expression::Module(name, 0) => Some(facts.strings.text(name).to_owned()),
            Expression::Field(of, name) => Some(format!(
                "{}.{}",
                self.qualified_name(file, of, depth)?,
                facts.strings.text(name)
            )),
            Expression::Same(inner) => self.qualified_name(file, inner, depth),
            _ => None,
        }
    }
}
