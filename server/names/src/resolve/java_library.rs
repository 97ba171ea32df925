//! Java types that inherit from the library: inherited members, and calls through library
//! interfaces.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::call_types::substitute;
use super::{DefId, Resolver, Ty};
use crate::facts::{NONE, ReferenceRole};
use crate::library::java;
use crate::origin::{Origin, Target};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit of the external supertypes of one type.
const MAX_RESULTS: usize = 32;

/// Depth limit of the hierarchies climbed.
const MAX_DEPTH: u32 = 8;

impl Resolver<'_> {
    /// The library types that a type is or inherits from, with their arguments.
    pub(super) fn library_supertypes(&self, ty: &Ty, depth: u32) -> Vec<Ty> {
        let (id, arguments) = match ty {
            Ty::Named(..) => return vec![ty.clone()],
            Ty::Instance(id, arguments) | Ty::Type(id, arguments) => (*id, arguments),
            Ty::Parameter(id) if depth > 0 => {
                return self.library_supertypes(&self.upper_bound(*id).instance(), depth - 1);
            }
            Ty::Union(all) if depth > 0 => {
                return all.iter().flat_map(|t| self.library_supertypes(t, depth - 1)).collect();
            }
            _ => return Vec::new(),
        };
        if depth == 0 || !self.def(id).kind.is_type() {
            return Vec::new();
        }
        let parameters = self.type_parameters(id);
        let bound: Vec<_> = parameters.into_iter().zip(arguments.iter().cloned()).collect();
        let mut all = Vec::new();
        for above in self.supertypes(id) {
            all.extend(self.library_supertypes(&substitute(&above, &bound), depth - 1));
            all.truncate(MAX_RESULTS);
        }
        all
    }

    /// The type of a library member of a Java value; `None` if nothing is known of such values.
    pub(super) fn java_member_type(&self, of: &Ty, name: &str) -> Option<Ty> {
        let method = |of: &str, arguments: &[Ty]| {
            let given = java::method(of, arguments, name)?;
            Some(Ty::Signature(Rc::new(given), Ty::no_arguments()))
        };
        match of {
            Ty::Array(_) if name == "length" => Some(Ty::Named("int".into(), Ty::no_arguments())),
            Ty::Array(_) if name == "clone" => {
                Some(Ty::Signature(Rc::new(of.clone()), Ty::no_arguments()))
            }
            Ty::Array(_) => Some(Ty::External),
            Ty::Named(of, arguments) => {
                let class =
                    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
                let nested = || {
                    if class { Ty::Named(name.into(), Ty::no_arguments()) } else { Ty::External }
                };
                Some(method(of, arguments).unwrap_or_else(nested))
            }
            Ty::Instance(..) | Ty::Type(..) | Ty::Parameter(_) => {
                let above = self.library_supertypes(of, MAX_DEPTH);
                let inherited = above.iter().find_map(|ty| match ty {
                    Ty::Named(of, arguments) => method(of, arguments),
                    _ => None,
                });
                inherited.or_else(|| method("Object", &[]))
            }
            _ => method("Object", &[]),
        }
    }

    /// Calls that may run a method because they call the library method it overrides:
    /// `Iterator.next` on an iterator of the project.
    pub(crate) fn find_calls_through_library(&self, symbol: &FxHashSet<DefId>) -> Vec<Target> {
        let mut out = Vec::new();
        for &id in symbol {
            let def = self.def(id);
            if def.kind != DefinitionKind::Method || def.flags.has(Flags::STATIC | Flags::PRIVATE) {
                continue;
            }
            let Some(own) = self.container_type(id) else { continue };
            let above = self.library_supertypes(&Ty::Type(own, Ty::no_arguments()), MAX_DEPTH);
            let names: Vec<_> = above
                .into_iter()
                .filter_map(|ty| match ty {
                    Ty::Named(name, _) => Some(name),
                    _ => None,
                })
                .collect();
            if !names.is_empty() {
                self.find_calls_through(id, &names, &mut out);
            }
        }
        out
    }

    /// Finds unresolved calls of the method's name and arity on receivers with a common library
    /// supertype.
    fn find_calls_through(&self, id: DefId, above: &[Rc<str>], out: &mut Vec<Target>) {
        let name = self.facts(id.file).strings.text(self.def(id).name);
        let arity = self.parameters(id).len();
        // The method's library supertypes, and interfaces that inherit from those.
        let is_above = |of: &str| {
            above.iter().any(|a| java::is_subtype(a, of))
                || java::is_interface(of) && above.iter().any(|a| java::has_common_supertype(a, of))
        };
        for file in self.files_containing(name) {
            let facts = self.facts(file);
            if facts.language.id() != "java" || self.index.is_dependency(file) {
                continue;
            }
            let Some(name_id) = facts.strings.find(name) else { continue };
            for (r, reference) in facts.references.iter().enumerate() {
                if reference.name != name_id
                    || reference.role != ReferenceRole::Member
                    || reference.call == NONE
                    || self.arguments_of(file, reference).is_none_or(|a| a.len() != arity)
                {
                    continue;
                }
                self.reset_steps();
                if !self.definitions_of_reference(file, r as u32).is_empty() {
                    continue;
                }
                let receiver = self.type_of_value(file, reference.receiver);
                let through = self.library_supertypes(&receiver, MAX_DEPTH);
                if through.iter().any(|t| matches!(t, Ty::Named(of, _) if is_above(of))) {
                    let origin = Origin::TypedMember;
                    out.push(self.name_target(file, reference.start, reference.end, origin));
                }
            }
        }
    }
}
