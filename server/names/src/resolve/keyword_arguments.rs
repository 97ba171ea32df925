//! Keyword arguments: the parameters of the callee.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Value;
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// The methods that take a class's constructor arguments, in order of lookup.
const CONSTRUCTORS: [&str; 2] = ["__init__", "__new__"];

impl<'i> Resolver<'i> {
    /// The parameters that a keyword argument names; if there is none, the functions that accept
    /// any keyword (`**kwargs`).
    pub(crate) fn keyword_argument_definitions(
        &self,
        file: FileId,
        reference: &Ref,
        name: &str,
    ) -> Vec<Resolution> {
        if matches!(self.language(file), "javascript" | "typescript" | "tsx") {
            return self.jsx_attribute(file, reference.receiver, name);
        }
        let (functions, mut found) = self.call_targets(file, reference.receiver, name);
        for function in &functions {
            found.extend(self.named_parameter(*function, name));
        }
        if found.is_empty() {
            let taking = functions.into_iter().filter(|f| self.has_keyword_rest(*f));
            found.extend(taking.map(|id| Resolution { id, origin: Origin::Argument }));
        }
        found
    }

    /// The functions that take the arguments of a call, and the fields of a class whose constructor
    /// is generated from its fields (dataclasses).
    fn call_targets(
        &self,
        file: FileId,
        callee: Value,
        name: &str,
    ) -> (Vec<DefId>, Vec<Resolution>) {
        let mut functions = Vec::new();
        let mut fields = Vec::new();
        for found in self.value_targets(file, callee) {
            let def = self.def(found.id);
            if def.kind.is_callable() && !def.flags.has(Flags::PROPERTY) {
                functions.push(found.id);
            } else if def.kind.is_type() && def.kind != DefinitionKind::TypeAlias {
                self.class_call_targets(found.id, name, &mut functions, &mut fields);
            }
        }
        if functions.is_empty() && fields.is_empty() {
            self.value_call_targets(
                &self.type_of_value(file, callee),
                name,
                &mut functions,
                &mut fields,
            );
        }
        let overload = |f: &DefId| self.def(*f).flags.has(Flags::OVERLOAD);
        for function in functions.clone() {
            let def = self.def(function);
            let all = self.facts(function.file).definitions_in_scope(def.scope, def.name).iter();
            let all = all.map(|&def| DefId { file: function.file, def });
            functions.extend(all.filter(overload));
        }
        functions.sort_unstable();
        functions.dedup();
        if functions.iter().any(overload) {
            functions.retain(overload);
        }
        (functions, fields)
    }

    /// The names that a call's keyword arguments may have, in order; some may turn out not to be
    /// parameters.
    pub(crate) fn argument_names(&self, file: FileId, callee: Value) -> Vec<&'i str> {
        const MAX_RESULTS: usize = 300;
        if matches!(self.language(file), "javascript" | "typescript" | "tsx") {
            return self.jsx_attribute_names(file, callee);
        }
        let (functions, _) = self.call_targets(file, callee, "");
        let mut scopes: Vec<_> = functions.iter().map(|f| (f.file, self.def(*f).body)).collect();
        if scopes.is_empty() {
            let classes = self.value_targets(file, callee);
            scopes.extend(classes.iter().map(|f| (f.id.file, self.def(f.id).body)));
        }
        let mut names = Vec::new();
        for (file, scope) in scopes.into_iter().filter(|s| s.1 != NONE) {
            let facts = self.facts(file);
            let mut all = facts.all_in_scope(scope).to_vec();
            all.sort_unstable();
            for d in all {
                let name = facts.strings.text(facts.definitions[d as usize].name);
                if names.len() < MAX_RESULTS && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Adds the callables of a value that no name resolves to.
    fn value_call_targets(
        &self,
        ty: &Ty,
        name: &str,
        functions: &mut Vec<DefId>,
        fields: &mut Vec<Resolution>,
    ) {
        match ty {
            Ty::Function(id) => functions.push(*id),
            Ty::Type(id, _) => self.class_call_targets(*id, name, functions, fields),
            Ty::Instance(..) => {
                let all = self.members_named(ty, "__call__", Namespace::ANY);
                functions.extend(all.iter().map(|f| f.id));
            }
            Ty::Parameter(id) => {
                self.value_call_targets(&self.upper_bound(*id), name, functions, fields)
            }
            Ty::Union(all) => {
                all.iter().for_each(|ty| self.value_call_targets(ty, name, functions, fields))
            }
            _ => {}
        }
    }

    fn class_call_targets(
        &self,
        class: DefId,
        name: &str,
        functions: &mut Vec<DefId>,
        fields: &mut Vec<Resolution>,
    ) {
        let ty = Ty::Type(class, Ty::no_arguments());
        for constructor in CONSTRUCTORS {
            let all = self.members_named(&ty, constructor, Namespace::ANY);
            if !all.is_empty() {
                functions.extend(all.iter().map(|f| f.id));
                return;
            }
        }
        let head = rules(self.language(class.file)).constructor_parameters(self, class);
        if !head.is_empty() {
            let named = |id: &DefId| self.facts(id.file).strings.text(self.def(*id).name) == name;
            let own = head.into_iter().filter(named);
            fields.extend(own.map(|id| Resolution { id, origin: Origin::Argument }));
            return;
        }
        fields.extend(self.members_named(&ty, name, Namespace::ANY));
    }

    fn named_parameter(&self, function: DefId, name: &str) -> Vec<Resolution> {
        let body = self.def(function).body;
        if body == NONE {
            return Vec::new();
        }
        let mut named =
            self.scope_definitions(function.file, body, name, Namespace::ANY, Origin::Argument);
        named.retain(|f| {
            let def = self.def(f.id);
            def.kind == DefinitionKind::Parameter
                && !def.flags.has(Flags::VARIADIC | Flags::KEYWORDS)
        });
        named
    }

    /// Whether a function has a parameter like `**kwargs`.
    fn has_keyword_rest(&self, function: DefId) -> bool {
        let takes = |id: &DefId| self.def(*id).flags.has(Flags::KEYWORDS);
        self.parameters(function).iter().any(takes)
    }
}
