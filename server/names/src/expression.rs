//! Expressions and types, as far as they tell what a name's members are.

use crate::facts::NONE;

/// A reference or an expression of a file: what a value, or a type, is made of.
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

    /// The reference it is.
    pub(crate) fn as_reference(self) -> Option<u32> {
        (self.is_some() && self.0 & REFERENCE != 0).then_some(self.0 & !REFERENCE)
    }

    /// The expression it is.
    pub(crate) fn as_expression(self) -> Option<u32> {
        (self.0 & REFERENCE == 0).then_some(self.0)
    }

    /// The first of the two that is known.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_some() { self } else { other }
    }
}

/// An expression that is more than a name. The `u32`s of lists are places in the file's lists,
/// those of names in its strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expression {
    /// The same as another.
    Same(Value),
    /// A value of a type.
    Typed(Value),
    /// A call, with its arguments.
    Call(Value, u32),
    /// A new object of a type.
    New(Value, u32),
    /// A member by name, of something that has no name in the text.
    Field(Value, u32),
    /// The n-th part of a destructured value.
    Part(Value, u32),
    /// The n-th part of a value that matched a pattern: the pattern's variant, the value.
    Case(Value, Value, u32),
    /// What an index gives.
    Index(Value),
    /// The same kind of sequence.
    Slice(Value),
    /// What an iteration gives.
    Element(Value),
    /// What a context manager gives.
    Enter(Value),
    Await(Value),
    /// A list or tuple of values or types.
    Tuple(u32),
    /// A sequence of a type.
    Array(Value),
    /// A type with arguments.
    Generic(Value, u32),
    /// One of several.
    Union(u32),
    /// An object literal whose fields are in a scope.
    Object(u32),
    /// A function without a name.
    Lambda(u32),
    /// A function type: what it returns, and its parameters' types.
    Function(Value, u32),
    /// A literal.
    Text,
    Number,
    Boolean,
    Nothing,
    Map(u32),
    /// The value on which a method was called, in a scope.
    This(u32),
    /// The same, as the class itself.
    ThisType(u32),
    Super(u32),
    /// A module by the name that the text gives it, and how many levels up it starts.
    Module(u32, u32),
    /// A parameter of a lambda (its scope), by position.
    LambdaParameter(u32, u32),
    /// The root of the package or module tree.
    Root,
    /// So many modules up from a scope.
    Parent(u32),
    /// A named type that belongs to another: `Item = T`.
    Binding(u32, Value),
    /// What a callee wants as its n-th argument.
    Argument(Value, u32),
    /// The value that a definition has.
    Defined(u32),
    /// A type that the language itself names.
    Named(u32),
    /// What an operation on numbers gives.
    Arithmetic(u32),
}
