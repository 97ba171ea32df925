//! Method resolution order: the order in which the bases of a class are searched for a member. The
//! C3 linearization, as Python and others define it (Barrett et al., 1996).

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Limit of the classes in one order.
const MAX_RESULTS: usize = 200;

impl Resolver<'_> {
    /// A class followed by all its bases in resolution order; memoised.
    pub(super) fn method_resolution_order(&self, id: DefId) -> Rc<[Ty]> {
        if let Some(known) = self.resolution_orders.borrow().get(&id) {
            return known.clone();
        }
        let own = Ty::Type(id, Ty::no_arguments());
        let key = (id.file, id.def, 4);
        if self.begin_step(key).is_none() {
            return Rc::new([own]);
        }
        let bases: Vec<Ty> = self.supertypes(id);
        let mut lists: Vec<Vec<Ty>> = Vec::new();
        for base in &bases {
            lists.push(match class(base) {
                Some(above) if self.is_class(above) && above != id => {
                    self.method_resolution_order(above).to_vec()
                }
                _ => vec![base.clone()],
            });
        }
        self.end_step(key);
        lists.push(bases);
        let mut order = vec![own];
        order.extend(c3_merge(lists));
        let order: Rc<[Ty]> = order.into();
        self.resolution_orders.borrow_mut().insert(id, order.clone());
        order
    }

    fn is_class(&self, id: DefId) -> bool {
        let kind = self.def(id).kind;
        kind.is_type() && !matches!(kind, DefinitionKind::TypeAlias | DefinitionKind::TypeParameter)
    }

    /// Whether members of a definition are resolved in this order.
    pub(super) fn has_method_resolution_order(&self, id: DefId) -> bool {
        self.language(id.file) == "python" && self.is_class(id)
    }

    /// The members of a class: of the nearest class that declares the name (annotation, function),
    /// else of the nearest one that assigns it. `above` skips the class itself.
    pub(super) fn resolution_order_members(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        above: bool,
    ) -> Vec<Resolution> {
        let mut hasher = rustc_hash::FxHasher::default();
        (id.def, name).hash(&mut hasher);
        let key = (id.file, hasher.finish() as u32, 5);
        if self.begin_step(key).is_none() {
            return Vec::new();
        }
        let found = self.find_in_resolution_order(id, name, namespace, above);
        self.end_step(key);
        found
    }

    /// Searches the classes in resolution order.
    fn find_in_resolution_order(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        above: bool,
    ) -> Vec<Resolution> {
        let order = self.method_resolution_order(id);
        let mut nearest = Vec::new();
        for ty in order.iter().skip(usize::from(above)) {
            let own = match class(ty) {
                Some(class) if self.is_class(class) => self.class_members(class, name, namespace),
                Some(class) => {
                    let mut seen = rustc_hash::FxHashSet::default();
                    self.type_members(class, name, namespace, &mut seen)
                }
                None => self.members_named(ty, name, namespace),
            };
            // An annotation or a `def` further up says more than a plain assignment nearby: type
            // checkers resolve to it, too.
            let declared: Vec<Resolution> =
                own.iter().copied().filter(|f| self.is_declared(f.id)).collect();
            if !declared.is_empty() {
                return self.prefer_declaring(declared);
            }
            if nearest.is_empty() {
                nearest = self.prefer_declaring(own);
            }
        }
        nearest
    }

    fn class_members(&self, class: DefId, name: &str, namespace: Namespace) -> Vec<Resolution> {
        let body = self.def(class).body;
        if body == NONE {
            return Vec::new();
        }
        let mut own =
            self.scope_definitions(class.file, body, name, namespace, Origin::TypedMember);
        own.retain(|f| self.def(f.id).kind != DefinitionKind::TypeParameter);
        let active = |f: &Resolution| !self.def(f.id).flags.has(Flags::INACTIVE);
        if own.iter().any(active) {
            own.retain(active);
        }
        let last_resort = |f: &Resolution| self.def(f.id).flags.has(Flags::FALLBACK);
        if !own.iter().all(last_resort) {
            own.retain(|f| !last_resort(f));
        }
        own
    }

    /// Whether a definition states its type, so that it need not be inferred from values.
    pub(super) fn is_declared(&self, id: DefId) -> bool {
        let def = self.def(id);
        def.kind.is_callable()
            || def.kind.is_type()
            || matches!(def.kind, DefinitionKind::Import | DefinitionKind::Module)
            || self.is_typed(id.file, def.value)
    }

    /// Whether a value has a declared type.
    pub(super) fn is_typed(&self, file: crate::index::FileId, value: Value) -> bool {
        let facts = self.facts(file);
        let mut value = value;
        for _ in 0..3 {
            match value.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                Some(Expression::Typed(_)) => return true,
                Some(Expression::Same(inner)) => value = *inner,
                _ => return false,
            }
        }
        false
    }
}

fn class(ty: &Ty) -> Option<DefId> {
    match ty {
        Ty::Type(id, _) | Ty::Instance(id, _) => Some(*id),
        _ => None,
    }
}

/// The merge step of C3: repeatedly takes the first head that is in no other list's tail. If there
/// is none the hierarchy is inconsistent; Python rejects it, here the first head is taken.
fn c3_merge(mut lists: Vec<Vec<Ty>>) -> Vec<Ty> {
    let mut order = Vec::new();
    lists.iter_mut().for_each(|l| l.reverse());
    while order.len() < MAX_RESULTS {
        lists.retain(|l| !l.is_empty());
        let good = |head: &Ty| {
            let Some(id) = class(head) else { return true };
            let behind = |l: &Vec<Ty>| l[..l.len() - 1].iter().any(|t| class(t) == Some(id));
            !lists.iter().any(behind)
        };
        let heads = || lists.iter().filter_map(|l| l.last());
        let Some(next) = heads().find(|t| good(t)).or_else(|| heads().next()).cloned() else {
            break;
        };
        match class(&next) {
            Some(id) => {
                for list in &mut lists {
                    list.retain(|t| class(t) != Some(id));
                }
            }
            None => {
                let list = lists.iter_mut().find(|l| l.last().is_some_and(|t| class(t).is_none()));
                list.and_then(Vec::pop);
            }
        }
        order.push(next);
    }
    order
}
