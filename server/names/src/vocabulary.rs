//! The vocabulary of `bindings.scm` files and facts.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// Defines an enum whose variants have names, with conversions between both.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        $vis enum $type { $($(#[$vmeta])* $variant,)* }

        impl $type {
            /// All variants, in order.
            #[allow(dead_code)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name used in files and results.
            #[must_use]
            #[allow(dead_code)]
            $vis fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            #[allow(dead_code)]
            pub(crate) fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

named! {
    /// The kind of a definition.
    #[allow(missing_docs)]
    pub enum DefinitionKind {
        Module = "module",
        Namespace = "namespace",
        Class = "class",
        Struct = "struct",
        Interface = "interface",
        Trait = "trait",
        Enum = "enum",
        EnumMember = "enum_member",
        TypeAlias = "type",
        TypeParameter = "type_parameter",
        Function = "function",
        Method = "method",
        Constructor = "constructor",
        Field = "field",
        Variable = "variable",
        Constant = "constant",
        Parameter = "parameter",
        Macro = "macro",
        Label = "label",
        Import = "import",
    }
}

impl DefinitionKind {
    /// Whether it is a type that can have members.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Interface
                | Self::Trait
                | Self::Enum
                | Self::TypeAlias
                | Self::TypeParameter
        )
    }

    /// Whether it can be called by its name.
    #[must_use]
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }
}

named! {
    /// How a scope relates to the names in it.
    pub(crate) enum ScopeKind {
        /// The whole file.
        File = "file",
        /// A function's parameters and body.
        Function = "function",
        /// A block of statements.
        Block = "block",
        /// A comprehension: a block that does not see the class body around it.
        Comprehension = "comprehension",
        /// Members, reached only through a value or a path.
        Members = "members",
        /// Members that the class body sees, but not the functions nested in it.
        Body = "body",
        /// Members that everything inside sees, inherited ones included.
        Open = "open",
        /// Members added to a type that is declared elsewhere.
        Extension = "extension",
        /// An inline namespace or module that sees the names around it.
        Namespace = "namespace",
        /// An inline module that sees no names around it.
        Module = "module",
        /// The members of an object literal.
        Object = "object",
        /// A lambda; `this` is that of the enclosing function.
        Lambda = "lambda",
        /// An enum's members.
        Enum = "enum",
        /// Type parameters; a declaration after them belongs to the scope around.
        Template = "template",
    }
}

named! {
    /// What a node rule does with a node.
    pub(crate) enum ActionKind {
        Scope = "scope",
        Define = "define",
        Bind = "bind",
        Name = "name",
        Member = "member",
        Call = "call",
        New = "new",
        Index = "index",
        Slice = "slice",
        Generic = "generic",
        Union = "union",
        Tuple = "tuple",
        Array = "array",
        Pointer = "pointer",
        FunctionType = "function_type",
        List = "list",
        Object = "object",
        Pair = "pair",
        Shorthand = "shorthand",
        Construct = "construct",
        Keyword = "keyword",
        Lambda = "lambda",
        Return = "return",
        Yield = "yield",
        This = "this",
        Super = "super",
        Await = "await",
        Cast = "cast",
        Choice = "choice",
        Literal = "literal",
        String = "string",
        Pass = "pass",
        Skip = "skip",
        Group = "group",
        Opaque = "opaque",
        ShorthandName = "shorthand_name",
        CastLast = "cast_last",
        Query = "query",
        ImportPath = "import_path",
        Include = "include",
        Where = "where",
        Block = "block",
        Match = "match",
        Arm = "arm",
        Parts = "parts",
        MacroCall = "macro_call",
        Try = "try",
        IndexFirst = "index_first",
        Binding = "binding",
        ScopedType = "scoped_type",
        ReferencePair = "reference_pair",
        Initializer = "initializer",
        Using = "using",
        Conditional = "conditional",
        Rest = "rest",
        Fallback = "fallback",
        Branch = "branch",
        TypeCase = "type_case",
        MapType = "map_type",
        Conversion = "conversion",
        CaseLabel = "case_label",
        Sum = "sum",
        Receive = "receive",
        Negation = "negation",
        Assert = "assert",
        Attribute = "attribute",
        Modifier = "modifier",
        Export = "export",
        Reexport = "reexport",
        Redirect = "redirect",
        Import = "import",
        ImportItem = "import_item",
        ImportAll = "import_all",
        ImportName = "import_name",
        Path = "path",
        Declarator = "declarator",
        Extend = "extend",
        Assign = "assign",
        Variant = "variant",
        Tokens = "tokens",
        Embed = "embed",
        Element = "element",
        ElementAttribute = "element_attribute",
        Package = "package",
        Pattern = "pattern",
        Infix = "infix",
        Delegate = "delegate",
        TypeTest = "type_test",
    }
}

/// The action of a node rule, with its parameter: `@define.class`, `@literal.text`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeAction {
    pub(crate) kind: ActionKind,
    pub(crate) definition: Option<DefinitionKind>,
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) detail: Option<ActionDetail>,
}

named! {
    /// A detail of an action: the kind of a literal, or how a name refers.
    pub(crate) enum ActionDetail {
        Text = "text",
        Number = "number",
        Boolean = "boolean",
        Nothing = "nothing",
        Sequence = "sequence",
        Map = "map",
        Set = "set",
        Macro = "macro",
        Label = "label",
        Tag = "tag",
        From = "from",
        Type = "as_type",
        TypePath = "type_path",
        File = "root",
        Parent = "parent",
        Inner = "inner",
        Primitive = "primitive",
        Numeral = "numeral",
    }
}

impl NodeAction {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (kind, parameter) = text.split_once('.').unwrap_or((text, ""));
        let action = Self {
            kind: ActionKind::parse(kind)?,
            definition: DefinitionKind::parse(parameter),
            scope: ScopeKind::parse(parameter),
            detail: ActionDetail::parse(parameter),
        };
        let known =
            action.definition.is_some() || action.scope.is_some() || action.detail.is_some();
        (parameter.is_empty() || known).then_some(action)
    }
}

named! {
    /// The role of a child in its node.
    pub(crate) enum ChildRole {
        Name = "name",
        Declarator = "declarator",
        Pattern = "pattern",
        Value = "value",
        Type = "type",
        Returns = "returns",
        Body = "body",
        Parameters = "parameters",
        Supers = "supers",
        Object = "object",
        TypeObject = "type_object",
        Member = "member",
        Callee = "callee",
        Arguments = "arguments",
        TypeArguments = "type_arguments",
        Item = "item",
        Target = "target",
        Path = "path",
        Alias = "alias",
        All = "all",
        Receiver = "receiver",
        Trait = "trait",
        Key = "key",
        Same = "same",
        Skip = "skip",
        Export = "export",
        Default = "default",
        Macro = "macro",
        First = "first",
        ItemName = "item_name",
        Module = "module",
        DefaultName = "default_name",
        MemberParameter = "member_parameter",
        Declared = "declared",
        Tree = "tree",
        Positional = "positional",
        Left = "left",
        Bounds = "bounds",
        ParameterTypes = "parameter_types",
        Subject = "subject",
        Variant = "variant",
        Position = "position",
        Method = "method",
        Fields = "fields",
        Modifiers = "modifiers",
        Alternative = "alternative",
        MacroBody = "macro_body",
        Condition = "condition",
        Narrowed = "narrowed",
        TypeParameters = "type_parameters",
        Referred = "referred",
    }
}

/// Defines a set of named bits.
macro_rules! bits {
    ($(#[$meta:meta])* $type:ident: $int:ty { $($constant:ident = $name:literal $value:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
        pub(crate) struct $type(pub(crate) $int);

        #[allow(dead_code)]
        impl $type {
            $(pub(crate) const $constant: Self = Self($value);)*

            pub(crate) fn has(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            pub(crate) fn parse(text: &str) -> Option<Self> {
                let mut all = Self::default();
                for word in text.split_whitespace() {
                    all |= match word { $($name => Self::$constant,)* _ => return None };
                }
                Some(all)
            }
        }

        impl BitOr for $type {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitOrAssign for $type {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut set = f.debug_set();
                $(if self.has(Self::$constant) { set.entry(&$name); })*
                set.finish()
            }
        }
    };
}

bits! {
    /// The kinds of position that have a namespace of their own.
    Namespace: u8 {
        VALUE = "value" 1,
        TYPE = "type" 2,
        MACRO = "macro" 4,
        LABEL = "label" 8,
        FUNCTION = "function" 16,
        TAG = "tag" 32,
        NOTE = "note" 64,
        ANY = "any" 0xb7,
    }
}

impl Namespace {
    /// The namespaces of definitions of a kind, unless the rule says otherwise.
    pub(crate) fn of(kind: DefinitionKind) -> Self {
        use DefinitionKind as K;
        match kind {
            K::Interface | K::Trait | K::TypeAlias | K::TypeParameter => Self::TYPE,
            K::Class | K::Struct | K::Enum | K::Module | K::Namespace => Self::TYPE | Self::VALUE,
            K::Import => Self::ANY,
            K::Macro => Self::MACRO,
            K::Label => Self::LABEL,
            _ => Self::VALUE,
        }
    }
}

bits! {
    /// Properties of a definition.
    Flags: u32 {
        EXPORTED = "exported" 1,
        STATIC = "static" 2,
        PROPERTY = "property" 4,
        DECLARED = "declared" 8,
        EMBEDDED = "embedded" 16,
        INSTANCE = "instance" 32,
        OVERLOAD = "overload" 64,
        FRESH = "fresh" 128,
        DEFAULT = "default" 256,
        HIDDEN = "hidden" 512,
        LOCAL_FILE = "file_local" 1024,
        CLASS_METHOD = "class_method" 2048,
        SELF = "self" 4096,
        OPTIONAL = "optional" 8192,
        PRIVATE = "private" 16384,
        SIGNATURE = "signature" 32_768,
        DOCUMENTED = "documented" 65_536,
        CAPITAL = "capital" 131_072,
        VARIADIC = "variadic" 262_144,
        MEMBER = "member_field" 524_288,
        ABSTRACT = "abstract" 1_048_576,
        OWN_SCOPE = "own_scope" 2_097_152,
        NEEDS_BODY = "needs_body" 8_388_608,
        INACTIVE = "inactive" 16_777_216,
        KEYWORDS = "keywords" 4_194_304,
        FALLBACK = "fallback" 33_554_432,
        WHOLE = "whole" 67_108_864,
        LISTED = "listed" 134_217_728,
        POINTER = "pointer" 268_435_456,
        CONST = "const" 536_870_912,
        CONST_METHOD = "const_method" 1_073_741_824,
        RESTRICTED = "restricted" 2_147_483_648,
    }
}

bits! {
    /// What a rule's word list is for: words in the text that decide what the node means.
    RuleHint: u8 {
        TEST = "test" 1,
        TYPED = "typed" 2,
        RECORD = "record" 4,
        LISTED = "listed" 8,
        INFERRED = "inferred" 16,
        TEXT = "text" 32,
        THIS = "this" 64,
        SUPER = "super" 128,
    }
}
