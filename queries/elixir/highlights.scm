(comment) @comment

; Identifiers, the most general patterns first.
(identifier) @variable
((identifier) @variable.builtin
  (#any-of? @variable.builtin
    "__MODULE__" "__DIR__" "__ENV__" "__CALLER__" "__STACKTRACE__"))
((identifier) @comment (#match? @comment "^_[a-z]"))
(alias) @namespace
(dot right: (identifier) @property)
(struct (alias) @type.struct)
(unary_operator operator: "&" operand: (integer) @variable.parameter)

; Calls and declarations.
(call target: (identifier) @function)
(call target: (dot right: (identifier) @function))
(binary_operator operator: "|>" right: (identifier) @function)
(call
  target: (identifier) @keyword
  (#any-of? @keyword
    "def" "defdelegate" "defexception" "defguard" "defguardp" "defimpl" "defmacro" "defmacrop"
    "defmodule" "defn" "defnp" "defoverridable" "defp" "defprotocol" "defstruct" "alias" "case"
    "cond" "else" "for" "if" "import" "quote" "raise" "receive" "require" "reraise" "super" "throw"
    "try" "unless" "unquote" "unquote_splicing" "use" "with"))
(call
  target: (identifier) @_define
  (arguments
    .
    [
      (identifier) @function
      (call target: (identifier) @function)
      (binary_operator
        left: [(identifier) @function (call target: (identifier) @function)]
        operator: "when")
    ])
  (#any-of? @_define
    "def" "defp" "defdelegate" "defguard" "defguardp" "defmacro" "defmacrop" "defn" "defnp"))

; Module attributes, and the documentation in them.
(unary_operator operator: "@" @attribute operand: (identifier) @attribute)
(unary_operator operator: "@" @attribute operand: (call target: (identifier) @attribute))
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [(string) (sigil) (charlist)] @comment.documentation))
  (#any-of? @_doc "doc" "moduledoc" "shortdoc" "typedoc"))
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments (string (quoted_content) @comment.documentation)))
  (#any-of? @_doc "doc" "moduledoc" "shortdoc" "typedoc"))

; Literals.
[(string) (charlist) (char)] @string
(sigil) @string.special
(sigil (sigil_name) @_name (#any-of? @_name "r" "R")) @string.regexp
(escape_sequence) @escape
(interpolation ["#{" "}"] @punctuation)
(interpolation) @embedded
[(integer) (float)] @number
(boolean) @boolean
(nil) @constant.builtin
[(atom) (quoted_atom)] @string.special
[(keyword) (quoted_keyword)] @property

; Keywords.
["after" "catch" "do" "else" "end" "fn" "rescue"] @keyword
["and" "in" "not" "or" "when" "not in"] @keyword.operator
(operator_identifier) @operator
(binary_operator operator: _ @operator)
(unary_operator operator: _ @operator)
(unary_operator operator: "@" @attribute)
(stab_clause operator: _ @operator)
(binary_operator operator: ["and" "in" "or" "when" "not in"] @keyword.operator)
["(" ")" "[" "]" "{" "}" "," ";" "." "%" "<<" ">>"] @punctuation
