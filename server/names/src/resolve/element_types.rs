//! Types of parts: elements of tuples, sequences and maps, results of iteration and `await`.

use super::call_types::substitute;
use super::{DefId, Resolver, Ty};
use crate::expression::Value;
/// The type of the n-th part of a destructured value.
use crate::facts::NONE;
use crate::index::FileId;
use crate::library;
use crate::origin::Origin;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Namespace};

impl Resolver<'_> {
    /// The type of the n-th part of a destructured value.
    pub(super) fn part_type(&self, whole: &Ty, n: u32) -> Ty {
        if let Ty::Instance(id, _) = whole
            && let Some(part) = rules(self.language(id.file)).part_type(self, whole, n)
        {
            return part;
        }
        match whole {
            Ty::Tuple(parts) => parts.get(n as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Array(element) => (**element).clone(),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.part_type(t, n)).collect()),
            Ty::Named(name, _) if matches!(&**name, "dict" | "chan") => {
                if n == 0 {
                    whole.clone()
                } else {
                    Ty::Unknown
                }
            }
            Ty::Named(_, args) if args.len() > 1 => {
                args.get(n as usize).cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Named(..) => Ty::External,
            other if n == 0 => other.clone(),
            _ => Ty::Unknown,
        }
    }

    /// The type of the n-th field of a variant that a pattern matched.
    pub(super) fn matched_field_type(
        &self,
        file: FileId,
        variant: Value,
        source: Value,
        n: u32,
    ) -> Ty {
        let targets = self.value_targets(file, variant);
        if let Some(first) = targets.first().filter(|f| f.origin != Origin::External) {
            let def = self.def(first.id);
            if def.body != NONE {
                let name = n.to_string();
                let found = self.scope_definitions(
                    first.id.file,
                    def.body,
                    &name,
                    Namespace::ANY,
                    Origin::Member,
                );
                if let Some(field) = found.first() {
                    let ty = self.type_of_definition(field.id);
                    let receiver = self.type_of_value(file, source);
                    return self.seen_from(&receiver, first.id, &ty);
                }
            }
        }
        let facts = self.facts(file);
        let name =
            variant.as_reference().map(|r| facts.strings.text(facts.references[r as usize].name));
        match self.type_of_value(file, source) {
            Ty::Named(_, args) if name == Some("Err") => {
                args.get(1).cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Named(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// The fields of an enum variant, if a value names one.
    pub(super) fn variant_fields(&self, file: FileId, value: Value) -> Option<Ty> {
        if self.language(file) != "rust" {
            return None;
        }
        let found = self.definitions_of_reference(file, value.as_reference()?);
        let first = found.first()?;
        let def = self.def(first.id);
        let variant = def.kind == DefinitionKind::EnumMember && def.body != NONE;
        variant.then_some(Ty::Object(first.id.file, def.body))
    }

    /// The type of `value[index]`.
    pub(super) fn index_type(&self, of: &Ty) -> Ty {
        match of {
            Ty::Array(element) => (**element).clone(),
            Ty::Tuple(parts) => Ty::union(parts.to_vec()),
            Ty::Named(_, args) => args.last().cloned().unwrap_or(Ty::External),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.index_type(t)).collect()),
            Ty::Instance(id, arguments) => {
                if let Some(under) = self.aliased_type(*id, arguments) {
                    return self.index_type(&under);
                }
                if let Some(given) = rules(self.language(id.file)).operator_type(self, of, "get") {
                    return given;
                }
                for operator in ["__getitem__", "operator[]", "index"] {
                    let found = self.members_named(of, operator, Namespace::ANY);
                    if let Some(f) = found.first() {
                        return self.seen_from(of, f.id, &self.return_type(f.id));
                    }
                }
                if matches!(self.language(id.file), "c" | "cpp" | "go") {
                    of.clone()
                } else {
                    Ty::Unknown
                }
            }
            Ty::Type(id, arguments) if self.language(id.file) == "go" => {
                match self.aliased_type(*id, arguments) {
                    Some(under) => self.index_type(&under),
                    None => of.clone(),
                }
            }
            Ty::Type(..) => of.clone(),
            Ty::Object(file, _) if self.is_of_c(*file) => of.clone(),
            _ => Ty::Unknown,
        }
    }

    /// The type that a type alias or Go's `type T U` stands for.
    pub(super) fn aliased_type(&self, id: DefId, arguments: &[Ty]) -> Option<Ty> {
        let def = self.def(id);
        if def.kind != DefinitionKind::TypeAlias || def.value.is_none() {
            return None;
        }
        let under = self.type_of_value(id.file, def.value).instance();
        if arguments.is_empty() {
            return Some(under);
        }
        let bound: Vec<_> =
            self.type_parameters(id).into_iter().zip(arguments.iter().cloned()).collect();
        Some(substitute(&under, &bound))
    }

    /// The type that an iteration over a value yields.
    pub(super) fn element_type(&self, of: &Ty) -> Ty {
        match of {
            Ty::Array(element) => (**element).clone(),
            Ty::Tuple(parts) => Ty::union(parts.to_vec()),
            Ty::Named(name, args) => library::element(name, args),
            Ty::Type(id, _) if self.is_enum(*id) => of.instance(),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.element_type(t)).collect()),
            Ty::Instance(id, arguments) => {
                if let Some(under) = self.aliased_type(*id, arguments) {
                    return self.element_type(&under);
                }
                if self.language(id.file) == "rust"
                    && let Some(item) = self.associated_type(of, "Item")
                {
                    return item.instance();
                }
                for iterator in ["__iter__", "iter", "begin", "iterator"] {
                    let found = self.members_named(of, iterator, Namespace::ANY);
                    if let Some(f) = found.first() {
                        let given = self.seen_from(of, f.id, &self.return_type(f.id));
                        return match &given {
                            Ty::Instance(..) => given,
                            given => self.element_type(given),
                        };
                    }
                }
                if let Some(element) = rules(self.language(id.file)).element_type(self, of) {
                    return element;
                }
                if self.language(id.file) == "java"
                    && let Some(Ty::Named(name, held)) = self.library_supertypes(of, 8).first()
                {
                    return library::element(name, held);
                }
                // A type that inherits from a generic sequence.
                self.inherited_element_type(*id)
            }
            Ty::Object(file, _) if self.is_of_c(*file) => of.clone(),
            _ => Ty::Unknown,
        }
    }

    /// Whether a language's types do not distinguish an array from its element: declarators in C.
    fn is_of_c(&self, file: FileId) -> bool {
        matches!(self.language(file), "c" | "cpp")
    }
    /// The element type of the sequence that a type inherits from.
    pub(super) fn inherited_element_type(&self, id: DefId) -> Ty {
        let facts = self.facts(id.file);
        for &above in facts.list(self.def(id).supertypes) {
            match self.type_of_value(id.file, above) {
                Ty::Named(name, args) if !args.is_empty() => return library::element(&name, &args),
                Ty::Array(element) => return (*element).clone(),
                _ => {}
            }
        }
        Ty::Unknown
    }
    /// The type that a context manager yields: `with value as x`.
    pub(super) fn context_value_type(&self, of: &Ty) -> Ty {
        match of {
            Ty::Instance(id, _) => {
                if let Some(given) =
                    rules(self.language(id.file)).operator_type(self, of, "getValue")
                {
                    return given;
                }
                let mut found = self.members_named(of, "__enter__", Namespace::ANY);
                if found.is_empty() {
                    found = self.members_named(of, "__aenter__", Namespace::ANY);
                }
                match found.first().map(|f| self.seen_from(of, f.id, &Ty::Function(f.id))) {
                    Some(Ty::Signature(returns, _)) if matches!(*returns, Ty::Instance(..)) => {
                        (*returns).clone()
                    }
                    Some(Ty::Function(id)) => match self.return_type(id) {
                        ty @ Ty::Instance(..) => ty,
                        _ => of.clone(),
                    },
                    _ => of.clone(),
                }
            }
            // A generator function turned into a context manager.
            Ty::Array(element) => (**element).clone(),
            Ty::Named(name, args) => match args.first() {
                Some(first) => first.clone(),
                None => Ty::Named(name.clone(), args.clone()),
            },
            other => other.clone(),
        }
    }

    /// The type of `await value`.
    pub(super) fn awaited_type(&self, of: &Ty) -> Ty {
        match of {
            Ty::Named(name, args) => match args.first() {
                Some(first) => first.clone(),
                None => Ty::Named(name.clone(), args.clone()),
            },
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.awaited_type(t)).collect()),
            other => other.clone(),
        }
    }
}
