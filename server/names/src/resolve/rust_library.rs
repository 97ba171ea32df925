//! Methods of Rust's standard library, called on receivers of known types.

use std::rc::Rc;

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Expression;
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::library;
use crate::library::rust::{self, CallInputs, Method};
use crate::vocabulary::Namespace;

/// A receiver as the library table knows it: its type, the method, the type's arguments.
struct Receiver {
    ty: Ty,
    method: &'static Method,
    own: Rc<[Ty]>,
}

impl Resolver<'_> {
    /// The type of a library method, seen from a call of it.
    pub(super) fn library_method(&self, file: FileId, reference: &Ref, name: &str) -> Option<Ty> {
        if let Some(made) = self.associated_function_type(file, reference, name) {
            return Some(made);
        }
        let receiver = self.library_receiver(file, reference, name)?;
        let given = if receiver.method.depends_on_arguments() {
            self.call_input_types(file, reference)
        } else {
            CallInputs { returned: Ty::Unknown, first: Ty::Unknown }
        };
        let gives = receiver.method.gives(&receiver.ty, &receiver.own, &given);
        Some(Ty::Signature(Rc::new(gives), Rc::new([])))
    }

    /// The result of an associated function of a library type: `Box::new(x)`.
    fn associated_function_type(&self, file: FileId, reference: &Ref, name: &str) -> Option<Ty> {
        if self.language(file) != "rust" || !matches!(name, "new" | "from" | "pin" | "clone") {
            return None;
        }
        let [argument] = self.call_arguments(file, reference) else { return None };
        let Ty::Named(of, _) = self.type_of_value(file, reference.receiver) else { return None };
        library::associated_function_type(&of, name, self.type_of_value(file, *argument))
    }

    /// The type of the n-th parameter of a closure passed to a library method.
    pub(super) fn library_closure(&self, file: FileId, reference: &Ref, n: u32) -> Option<Ty> {
        let name = self.facts(file).strings.text(reference.name);
        let receiver = self.library_receiver(file, reference, name)?;
        let first = match self.call_arguments(file, reference).first() {
            Some(&argument) if receiver.method.depends_on_arguments() => {
                self.type_of_value(file, argument)
            }
            _ => Ty::Unknown,
        };
        Some(receiver.method.parameter(n as usize, &receiver.ty, &receiver.own, first))
    }

    fn library_receiver(&self, file: FileId, reference: &Ref, name: &str) -> Option<Receiver> {
        if self.language(file) != "rust" || reference.receiver.is_none() {
            return None;
        }
        let ty = self.type_of_value(file, reference.receiver);
        self.as_library_receiver(&ty, name, 4)
    }

    /// A type as one that the library table knows to have the method: a slice, a bound of a type
    /// parameter, an iterator, the target of `Deref`.
    fn as_library_receiver(&self, ty: &Ty, name: &str, depth: u32) -> Option<Receiver> {
        if depth == 0 {
            return None;
        }
        let sequence = |element: &Ty| {
            let method = rust::method("[]", name)?;
            let own = Rc::new([element.instance()]);
            Some(Receiver { ty: Ty::Array(Rc::new(element.instance())), method, own })
        };
        match ty {
            Ty::Array(element) => sequence(element),
            Ty::Named(of, own) => {
                let method = rust::method(of, name)?;
                Some(Receiver { ty: ty.clone(), method, own: own.clone() })
            }
            Ty::Parameter(id) => {
                let bound = self.type_of_value(id.file, self.def(*id).value);
                self.as_library_receiver(&bound, name, depth - 1)
            }
            Ty::Union(all) => {
                all.iter().find_map(|ty| self.as_library_receiver(ty, name, depth - 1))
            }
            Ty::Instance(id, _) => {
                let item = self.associated_type(ty, "Item").or_else(|| {
                    let above = self.inherited_element_type(*id);
                    (!above.is_unknown()).then_some(above)
                });
                match item {
                    Some(item) => sequence(&item),
                    None => self.as_library_receiver(
                        &self.associated_type(ty, "Target")?,
                        name,
                        depth - 1,
                    ),
                }
            }
            _ => None,
        }
    }

    fn call_arguments(&self, file: FileId, reference: &Ref) -> &[crate::expression::Value] {
        let facts = self.facts(file);
        match facts.expressions.get(reference.call as usize) {
            Some(&Expression::Call(_, list)) if list != NONE => facts.list(list),
            _ => &[],
        }
    }

    /// The types that a library method's result may depend on: what the closure returns, and the
    /// first argument.
    fn call_input_types(&self, file: FileId, reference: &Ref) -> CallInputs {
        let arguments = self.call_arguments(file, reference);
        let first = arguments.first().map_or(Ty::Unknown, |&a| self.type_of_value(file, a));
        let last = arguments.last().map_or(Ty::Unknown, |&a| self.type_of_value(file, a));
        let returned = match &last {
            Ty::Lambda(file, scope) => self.scope_return_type(*file, *scope),
            Ty::Function(id) => self.return_type(*id),
            Ty::Type(..) | Ty::Instance(..) => last.instance(),
            Ty::Signature(returns, _) => (**returns).clone(),
            _ => Ty::Unknown,
        };
        CallInputs { returned, first }
    }

    /// The members of a type's `Deref` target.
    pub(super) fn deref_members(
        &self,
        ty: &Ty,
        id: DefId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        if name == "Target" || name == "Item" || self.begin_step((id.file, id.def, 4)).is_none() {
            return Vec::new();
        }
        let target = self.associated_type(ty, "Target");
        let found = target.map(|t| self.members_named(&t.instance(), name, namespace));
        self.end_step((id.file, id.def, 4));
        found.unwrap_or_default()
    }
}
