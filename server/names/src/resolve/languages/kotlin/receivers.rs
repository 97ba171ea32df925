//! What `this` is, and what the parameters of lambdas are.

use super::library;
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::index::FileId;
use crate::resolve::{DefId, Resolver, Ty, bind_type_parameters, substitute};
use crate::vocabulary::ScopeKind;

/// The receiver that a lambda has.
pub(super) enum LambdaReceiver {
    Known(Ty),
    /// It has none.
    None,
    /// It may have one: what it is passed to is not known.
    Unknown,
}

/// Limit of the scopes around a place.
const MAX_DEPTH: u32 = 200;

/// The type of `this` in a scope, or of the members of a scope.
pub(super) fn this_type(resolver: &Resolver<'_>, file: FileId, scope: u32) -> Ty {
    let facts = resolver.facts(file);
    let mut at = scope;
    for _ in 0..MAX_DEPTH {
        let Some(here) = facts.scopes.get(at as usize) else { return Ty::Unknown };
        match here.kind {
            ScopeKind::Lambda => match lambda_receiver(resolver, file, at) {
                LambdaReceiver::Known(ty) => return ty,
                LambdaReceiver::Unknown => return Ty::Unknown,
                LambdaReceiver::None => {}
            },
            ScopeKind::Open | ScopeKind::Members if here.owner != NONE => {
                let id = DefId { file, def: here.owner };
                let parameters = resolver.type_parameters(id).into_iter();
                return Ty::Type(id, parameters.map(Ty::Parameter).collect());
            }
            ScopeKind::Open if facts.all_in_scope(at).is_empty() && here.subject.is_some() => {
                return resolver.type_of_value(file, here.subject);
            }
            ScopeKind::Open => return Ty::Object(file, at),
            _ => {}
        }
        at = here.parent;
    }
    Ty::Unknown
}

/// The call that a lambda is passed to: the callee, its arguments, and the lambda's position.
fn call_of(resolver: &Resolver<'_>, file: FileId, scope: u32) -> Option<(Value, u32, usize)> {
    let facts = resolver.facts(file);
    let subject = facts.scopes[scope as usize].subject;
    let call = facts.expressions.get(subject.as_expression()? as usize)?;
    let (Expression::Call(callee, list) | Expression::New(callee, list)) = *call else {
        return None;
    };
    let callee = match callee.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
        Some(Expression::Generic(base, _)) => *base,
        _ => callee,
    };
    let is_this = |v: &Value| {
        let e = v.as_expression().and_then(|e| facts.expressions.get(e as usize));
        e == Some(&Expression::Lambda(scope))
    };
    let position = facts.list(list).iter().position(is_this)?;
    Some((callee, list, position))
}

/// The parameter types of the function type that a callee declares for the lambda; the receiver, if
/// it has one, is the first.
fn declared(
    resolver: &Resolver<'_>,
    file: FileId,
    callee: Value,
    position: usize,
    last: bool,
) -> Option<Vec<Ty>> {
    let facts = resolver.facts(file);
    let reference = callee.as_reference().map(|r| &facts.references[r as usize]);
    for found in resolver.value_targets(file, callee) {
        let def = resolver.def(found.id);
        let parameters = if def.kind.is_callable() {
            resolver.parameters(found.id)
        } else if def.kind.is_type() {
            super::constructor_properties(resolver, found.id)
        } else {
            continue;
        };
        // A lambda after the parentheses is the last argument.
        let parameter = if last { parameters.last() } else { parameters.get(position) };
        let Some(&parameter) = parameter else { continue };
        let wanted = resolver.type_of_definition(parameter);
        let Some((_, given)) = resolver.signature(&wanted, 4) else { continue };
        let bound = match reference {
            Some(r) if r.role == ReferenceRole::Member => {
                let receiver = resolver.type_of_value(file, r.receiver);
                let mut bound = resolver.bindings(&receiver, found.id);
                if let Some(extended) = super::extended_type(resolver, found.id) {
                    let extended = resolver.type_of_value(found.id.file, extended).instance();
                    bind_type_parameters(&extended, &receiver, &mut bound, 4);
                }
                bound
            }
            _ => Vec::new(),
        };
        return Some(given.iter().map(|ty| substitute(ty, &bound)).collect());
    }
    None
}

/// Whether a parameter of a function type is its receiver.
fn receiver_of(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Named(name, held) if &**name == "this" => held.first(),
        _ => None,
    }
}

/// The receiver of a lambda, by what it is passed to.
pub(super) fn lambda_receiver(resolver: &Resolver<'_>, file: FileId, scope: u32) -> LambdaReceiver {
    let facts = resolver.facts(file);
    if facts.scopes[scope as usize].kind != ScopeKind::Lambda {
        return LambdaReceiver::None;
    }
    let Some((callee, list, position)) = call_of(resolver, file, scope) else {
        return LambdaReceiver::None;
    };
    let last = position + 1 == facts.list(list).len();
    if let Some(parameters) = declared(resolver, file, callee, position, last) {
        return match parameters.first().and_then(receiver_of) {
            Some(ty) => LambdaReceiver::Known(ty.clone()),
            None => LambdaReceiver::None,
        };
    }
    let Some(r) = callee.as_reference() else { return LambdaReceiver::Unknown };
    let reference = &facts.references[r as usize];
    if resolver
        .definitions_of_reference(file, r)
        .iter()
        .any(|f| f.origin != crate::origin::Origin::External)
    {
        // A function of the project without a function type that is known here.
        return LambdaReceiver::Unknown;
    }
    let name = facts.strings.text(reference.name);
    let member = reference.role == ReferenceRole::Member;
    match name {
        "apply" | "run" if member => {
            known(resolver.type_of_value(file, reference.receiver).instance())
        }
        "with" if !member && position > 0 => match facts.list(list).first() {
            Some(&first) => known(resolver.type_of_value(file, first).instance()),
            None => LambdaReceiver::Unknown,
        },
        _ if library::passes_no_receiver(name) => LambdaReceiver::None,
        _ => LambdaReceiver::Unknown,
    }
}

fn known(ty: Ty) -> LambdaReceiver {
    match ty {
        Ty::Unknown | Ty::External => LambdaReceiver::Unknown,
        ty => LambdaReceiver::Known(ty),
    }
}

/// The type of a lambda's n-th parameter.
pub(super) fn lambda_parameter(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: u32,
    n: u32,
) -> Option<Ty> {
    let facts = resolver.facts(file);
    let (callee, list, position) = call_of(resolver, file, scope)?;
    let last = position + 1 == facts.list(list).len();
    if let Some(parameters) = declared(resolver, file, callee, position, last) {
        let mut own = parameters.iter().filter(|ty| receiver_of(ty).is_none());
        return own.nth(n as usize).cloned();
    }
    let reference = &facts.references[callee.as_reference()? as usize];
    if reference.role != ReferenceRole::Member {
        return Some(Ty::Unknown);
    }
    let receiver = resolver.type_of_value(file, reference.receiver).instance();
    let count = facts
        .definitions
        .iter()
        .filter(|d| d.scope == scope && d.kind == crate::vocabulary::DefinitionKind::Parameter);
    let count = count.count() as u32;
    Some(library::lambda_parameter(
        resolver,
        &receiver,
        facts.strings.text(reference.name),
        n,
        count,
    ))
}
