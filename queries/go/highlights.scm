; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
(field_identifier) @property
(package_identifier) @namespace
(type_identifier) @type
(label_name) @label
(blank_identifier) @variable.builtin
((identifier) @variable.builtin (#eq? @variable.builtin "_"))
((type_identifier) @type.builtin
  (#any-of? @type.builtin
    "any" "bool" "byte" "comparable" "complex128" "complex64" "error" "float32" "float64" "int"
    "int16" "int32" "int64" "int8" "rune" "string" "uint" "uint16" "uint32" "uint64" "uint8"
    "uintptr"))

; Declarations.
(type_spec name: (type_identifier) @type)
(type_spec name: (type_identifier) @type.struct type: (struct_type))
(type_spec name: (type_identifier) @type.interface type: (interface_type))
(type_parameter_declaration name: (identifier) @type.parameter)
(const_spec name: (identifier) @constant)
(parameter_declaration name: (identifier) @variable.parameter)
(variadic_parameter_declaration name: (identifier) @variable.parameter)
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @function.method)
(method_elem name: (field_identifier) @function.method)
(keyed_element . (literal_element (identifier) @property))

; Calls.
(call_expression function: (identifier) @function)
(call_expression function: (selector_expression field: (field_identifier) @function.method))
(call_expression function: (parenthesized_expression (identifier) @function))
(call_expression function: (identifier) @function.builtin
  (#any-of? @function.builtin
    "append" "cap" "clear" "close" "complex" "copy" "delete" "imag" "len" "make" "max" "min" "new"
    "panic" "print" "println" "real" "recover"))
(call_expression function: (identifier) @type.builtin
  (#any-of? @type.builtin
    "any" "bool" "byte" "complex128" "complex64" "error" "float32" "float64" "int" "int16" "int32"
    "int64" "int8" "rune" "string" "uint" "uint16" "uint32" "uint64" "uint8" "uintptr"))

; Literals.
[(int_literal) (float_literal) (imaginary_literal)] @number
[(true) (false)] @boolean
[(nil) (iota)] @constant.builtin
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
(escape_sequence) @escape
(field_declaration tag: (_) @string.special)
(import_spec path: (_) @string.special)
(comment) @comment
((comment) @comment.documentation
  . [(function_declaration) (method_declaration) (type_declaration) (const_declaration)
     (var_declaration) (package_clause)])
((comment) @attribute (#match? @attribute "^//(go:|nolint|\\s*\\+build)"))

; Tokens.
[
  "break" "case" "chan" "const" "continue" "default" "defer" "else" "fallthrough" "for" "func" "go"
  "goto" "if" "import" "interface" "map" "package" "range" "return" "select" "struct" "switch"
  "type" "var"
] @keyword
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "&^" "&^=" "*" "*=" "+" "++" "+=" "-" "--" "-=" "..." "/" "/=" ":="
  "<" "<-" "<<" "<<=" "<=" "=" "==" ">" ">=" ">>" ">>=" "^" "^=" "|" "|=" "||" "~"
] @operator
["(" ")" "[" "]" "{" "}" "," "." ":" ";"] @punctuation
