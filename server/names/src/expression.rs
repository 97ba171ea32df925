//! Expressions and types, reduced to what decides which members a name has.

use crate::facts::NONE;

/// A reference or an expression of a file: the source of a value or a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Value(pub(crate) u32);

const REFERENCE: u32 = 1 << 31;

impl Value {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self(NONE);

    pub(crate) fn reference(r: u32) -> Self {
        Self(r | REFERENCE)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// The number of the reference, if it is one.
    pub(crate) fn as_reference(self) -> Option<u32> {
        (self.is_some() && self.0 & REFERENCE != 0).then_some(self.0 & !REFERENCE)
    }

    /// The number of the expression, if it is one.
    pub(crate) fn as_expression(self) -> Option<u32> {
        (self.0 & REFERENCE == 0).then_some(self.0)
    }

    /// The first of two values that is known.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_some() { self } else { other }
    }
}

/// An expression that is more than a name. List operands are offsets in the file's `lists`, name
/// operands are numbers in its `strings`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expression {
    /// The same as another value; also the placeholder of a value that is filled in later.
    Same(Value),
    /// A value of a type.
    Typed(Value),
    /// A call: the callee and its arguments.
    Call(Value, u32),
    /// A new object: the type and the constructor's arguments.
    New(Value, u32),
    /// A member that is not written in the text, by name.
    Field(Value, u32),
    /// The n-th part of a destructured value.
    Part(Value, u32),
    /// The n-th field of a matched pattern: the variant, the matched value.
    Case(Value, Value, u32),
    /// `value[index]`.
    Index(Value),
    /// `value[from..to]`: a sequence of the same type.
    Slice(Value),
    /// What an iteration over the value yields.
    Element(Value),
    /// What a context manager yields.
    Enter(Value),
    Await(Value),
    /// A tuple of values or types.
    Tuple(u32),
    /// A sequence of an element type.
    Array(Value),
    /// A generic type with arguments.
    Generic(Value, u32),
    /// One of several values or types.
    Union(u32),
    /// An object literal: the scope of its fields.
    Object(u32),
    /// A lambda: its scope.
    Lambda(u32),
    /// A function type: its return type and its parameter types.
    Function(Value, u32),
    /// Literals.
    Text,
    Number,
    Boolean,
    Nothing,
    Map(u32),
    /// `this` in a scope of members.
    This(u32),
    /// `this` as the class itself.
    ThisType(u32),
    Super(u32),
    /// A module: the name as written, and how many levels up it starts.
    Module(u32, u32),
    /// The n-th parameter of a lambda, given by its scope.
    LambdaParameter(u32, u32),
    /// The root of the package or module tree.
    Root,
    /// `super` or `self` of Rust, from a scope.
    Parent(u32),
    /// An associated type: `Item = T`.
    Binding(u32, Value),
    /// The type that a callee expects of its n-th argument.
    Argument(Value, u32),
    /// The value of a definition.
    Defined(u32),
    /// A type that the language predefines.
    Named(u32),
    /// The result of an operator on numbers.
    Arithmetic(u32),
}
