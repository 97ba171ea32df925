//! JSX components: the attributes they accept are the fields of their first parameter.

use super::{DefId, Found, Resolver, Ty};
use crate::complete::Gathered;
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Ref};
use crate::fuzzy::Pattern;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Namespace};

/// Depth limit between a component and the function or type that declares its props.
const DEPTH: u32 = 6;

/// Limit of the attribute names collected.
const MOST: usize = 600;

/// What is known of a component's props.
enum Takes {
    /// The members of a type.
    Type(Ty),
    /// Only the names by which the function destructures its parameter.
    Names(Vec<DefId>),
    Unknown,
}

impl<'i> Resolver<'i> {
    /// The definitions of an attribute of a component.
    pub(super) fn attribute(&self, file: FileId, component: Value, name: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for takes in self.taken_by(file, component) {
            match takes {
                Takes::Type(ty) => found.extend(self.members(&ty, name, Namespace::VALUE)),
                Takes::Names(all) => {
                    let own = all.into_iter().filter(|id| self.name_of(*id) == name);
                    found.extend(own.map(|id| Found { id, origin: Origin::Argument }));
                }
                Takes::Unknown => {}
            }
        }
        found.sort_by_key(|f| f.id);
        found.dedup_by_key(|f| f.id);
        found
    }

    /// The names of all attributes that a component accepts.
    pub(super) fn attribute_names(&self, file: FileId, component: Value) -> Vec<&'i str> {
        let all = Pattern::new("");
        let mut names = Gathered::new(file, &all, MOST);
        let mut own: Vec<&'i str> = Vec::new();
        for takes in self.taken_by(file, component) {
            match takes {
                Takes::Type(ty) => self.gather_members(&ty, &mut names),
                Takes::Names(all) => own.extend(all.into_iter().map(|id| self.name_of(id))),
                Takes::Unknown => {}
            }
        }
        own.extend(names.iter());
        own
    }

    /// Whether an attribute belongs to a component of the project whose props are unknown.
    pub(crate) fn takes_unknown(&self, file: FileId, reference: &Ref) -> bool {
        if !matches!(self.language(file), "javascript" | "typescript" | "tsx") {
            return false;
        }
        let all = self.taken_by(file, reference.receiver);
        all.is_empty() && !matches!(self.eval(file, reference.receiver), Ty::Outside)
            || all.iter().any(|t| matches!(t, Takes::Unknown))
    }

    fn name_of(&self, id: DefId) -> &'i str {
        self.facts(id.file).strings.text(self.def(id).name)
    }

    fn taken_by(&self, file: FileId, component: Value) -> Vec<Takes> {
        let mut out = Vec::new();
        self.taken_by_targets(file, component, DEPTH, &mut out);
        out
    }

    fn taken_by_targets(&self, file: FileId, value: Value, depth: u32, out: &mut Vec<Takes>) {
        for found in self.value_targets(file, value) {
            for found in self.follow(found) {
                if found.origin != Origin::Outside {
                    self.taken_by_definition(found.id, depth, out);
                }
            }
        }
    }

    fn taken_by_definition(&self, id: DefId, depth: u32, out: &mut Vec<Takes>) {
        let def = self.def(id);
        let facts = self.facts(id.file);
        match def.kind {
            _ if depth == 0 => {}
            kind if kind.is_callable() => out.push(self.first_parameter(id.file, def.body)),
            DefinitionKind::Class => {
                // `extends Component<Props>`
                let above = facts.list(def.supers).iter();
                let props = above.filter_map(|&above| match self.expression(id.file, above) {
                    Some(Expression::Generic(_, list)) => facts.list(list).first().copied(),
                    _ => None,
                });
                let before = out.len();
                out.extend(props.map(|ty| self.of_type(id.file, ty, DEPTH)));
                if out.len() == before {
                    out.push(Takes::Unknown);
                }
            }
            kind if !kind.is_type() => self.taken_by_value(id.file, def.value, depth - 1, out),
            _ => {}
        }
    }

    /// The props of the function that a value is or wraps: `memo(Component)`.
    fn taken_by_value(&self, file: FileId, value: Value, depth: u32, out: &mut Vec<Takes>) {
        if depth == 0 {
            return;
        }
        let facts = self.facts(file);
        match self.expression(file, value) {
            Some(Expression::Same(inner)) => self.taken_by_value(file, inner, depth, out),
            Some(Expression::Typed(ty)) => out.push(self.of_annotation(file, ty, depth)),
            Some(Expression::Lambda(scope)) => out.push(self.first_parameter(file, scope)),
            Some(Expression::Call(callee, list)) => {
                if let Some(Expression::Generic(base, types)) = self.expression(file, callee) {
                    out.extend(self.props_among(file, base, types));
                } else if let Some(&first) = facts.list(list).first() {
                    self.taken_by_value(file, first, depth - 1, out);
                } else {
                    out.push(Takes::Unknown);
                }
            }
            Some(Expression::Union(list)) => {
                for &each in facts.list(list) {
                    self.taken_by_value(file, each, depth - 1, out);
                }
            }
            Some(_) => out.push(Takes::Unknown),
            None if value.as_reference().is_some() => {
                self.taken_by_targets(file, value, depth - 1, out);
            }
            None => out.push(Takes::Unknown),
        }
    }

    /// The props of a component with a declared type: `FC<Props>`, `(props: Props) => Element`.
    fn of_annotation(&self, file: FileId, ty: Value, depth: u32) -> Takes {
        let unknown = || match self.eval(file, ty) {
            Ty::Signature(_, parameters) => {
                parameters.first().cloned().map_or(Takes::Unknown, known)
            }
            _ => Takes::Unknown,
        };
        match self.expression(file, ty) {
            Some(Expression::Generic(base, list)) => {
                self.props_among(file, base, list).unwrap_or(Takes::Unknown)
            }
            Some(Expression::Function(_, list)) => {
                let first = self.facts(file).list(list).first().copied();
                first.map_or(Takes::Unknown, |ty| self.of_type(file, ty, DEPTH))
            }
            Some(Expression::Same(inner)) if depth > 0 => {
                self.of_annotation(file, inner, depth - 1)
            }
            None if depth > 0 => {
                let found = self.value_targets(file, ty);
                let alias = found.iter().flat_map(|f| self.follow(*f)).find(|f| {
                    f.origin != Origin::Outside && self.def(f.id).kind == DefinitionKind::TypeAlias
                });
                match alias {
                    Some(f) => self.of_annotation(f.id.file, self.def(f.id).value, depth - 1),
                    None => unknown(),
                }
            }
            _ => unknown(),
        }
    }

    /// The type argument that holds the props: the second one of `forwardRef<Element, Props>`,
    /// whose first is the type of the ref.
    fn props_among(&self, file: FileId, base: Value, list: u32) -> Option<Takes> {
        let facts = self.facts(file);
        let named = base.as_reference().map(|r| facts.references[r as usize].name);
        let ref_first = named.is_some_and(|n| facts.strings.text(n).to_lowercase().contains("ref"));
        let types = facts.list(list);
        let props = types.get(usize::from(ref_first)).or(types.first())?;
        Some(self.of_type(file, *props, DEPTH))
    }

    /// The members of a type; for an unknown generic type, those of its first argument
    /// (`PropsWithChildren<Props>`).
    fn of_type(&self, file: FileId, ty: Value, depth: u32) -> Takes {
        let takes = known(self.eval(file, ty));
        match (self.expression(file, ty), &takes) {
            (Some(Expression::Generic(_, list)), Takes::Unknown) if depth > 0 => {
                let first = self.facts(file).list(list).first().copied();
                first.map_or(Takes::Unknown, |ty| self.of_type(file, ty, depth - 1))
            }
            _ => takes,
        }
    }

    /// The props that a function's first parameter declares.
    fn first_parameter(&self, file: FileId, scope: u32) -> Takes {
        if scope == NONE {
            return Takes::Unknown;
        }
        let facts = self.facts(file);
        let own = facts.all_in_scope(scope).iter().copied();
        let mut own: Vec<u32> = own
            .filter(|&d| facts.definitions[d as usize].kind == DefinitionKind::Parameter)
            .collect();
        own.sort_by_key(|&d| facts.definitions[d as usize].name_start);
        let Some(&first) = own.first() else { return Takes::Names(Vec::new()) };
        let part_of = |d: u32| self.part_of(file, facts.definitions[d as usize].value, 4);
        match part_of(first) {
            Some(whole) => match self.typed_part(file, whole) {
                Takes::Unknown => {
                    let id = |def: u32| DefId { file, def };
                    let all = own.into_iter().filter(|&d| part_of(d) == Some(whole));
                    Takes::Names(all.map(id).collect())
                }
                takes => takes,
            },
            None => {
                let value = facts.definitions[first as usize].value;
                match self.typed_part(file, value) {
                    Takes::Unknown => known(self.value_type(DefId { file, def: first })),
                    takes => takes,
                }
            }
        }
    }

    /// The declared type of a value as props.
    fn typed_part(&self, file: FileId, value: Value) -> Takes {
        match self.expression(file, value) {
            Some(Expression::Same(inner)) => self.typed_part(file, inner),
            Some(Expression::Typed(ty)) => self.of_type(file, ty, DEPTH),
            _ => known(self.eval(file, value)),
        }
    }

    /// The value that a name of a destructuring pattern is a part of.
    fn part_of(&self, file: FileId, value: Value, depth: u32) -> Option<Value> {
        match self.expression(file, value)? {
            Expression::Field(whole, _) => Some(whole),
            Expression::Union(list) if depth > 0 => {
                let first = self.facts(file).list(list).first().copied()?;
                self.part_of(file, first, depth - 1)
            }
            _ => None,
        }
    }

    pub(super) fn expression(&self, file: FileId, value: Value) -> Option<Expression> {
        self.facts(file).expressions.get(value.as_expression()? as usize).copied()
    }
}

fn known(ty: Ty) -> Takes {
    match ty {
        Ty::Unknown | Ty::Outside | Ty::Named(..) => Takes::Unknown,
        ty => Takes::Type(ty.instance()),
    }
}
