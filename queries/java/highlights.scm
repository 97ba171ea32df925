; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
((identifier) @type (#match? @type "^[A-Z].*[a-z]"))
((identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(type_identifier) @type
[(integral_type) (floating_point_type) (boolean_type) (void_type)] @type.builtin
((type_identifier) @type.builtin (#eq? @type.builtin "var"))
[(this) (super)] @variable.builtin
(field_access field: (identifier) @property)
(field_access field: (identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(field_declaration declarator: (variable_declarator name: (identifier) @property))
(field_declaration declarator: (variable_declarator name: (identifier) @constant)
  (#match? @constant "^_*[A-Z][A-Z0-9_]*$"))
(constant_declaration declarator: (variable_declarator name: (identifier) @constant))

; Packages.
(package_declaration (identifier) @namespace)
(package_declaration (scoped_identifier name: (identifier) @namespace))
(scoped_identifier scope: (identifier) @namespace)
(scoped_identifier scope: (scoped_identifier name: (identifier) @namespace))
(scoped_identifier name: (identifier) @type (#match? @type "^[A-Z]"))
(import_declaration (scoped_identifier name: (identifier) @type.class)
  (#match? @type.class "^[A-Z]"))
(import_declaration (scoped_identifier name: (identifier) @namespace) (asterisk))
(import_declaration "static" (scoped_identifier name: (identifier) @function)
  (#match? @function "^[a-z]"))
(module_declaration name: (_) @namespace)
(asterisk) @operator

; Declarations.
(class_declaration name: (identifier) @type.class)
(record_declaration name: (identifier) @type.class)
(interface_declaration name: (identifier) @type.interface)
(annotation_type_declaration name: (identifier) @type.interface)
(enum_declaration name: (identifier) @type.enum)
(super_interfaces (type_list (type_identifier) @type.interface))
(type_parameter (type_identifier) @type.parameter)
(enum_constant name: (identifier) @constant.member)
(formal_parameter name: (identifier) @variable.parameter)
(spread_parameter (variable_declarator name: (identifier) @variable.parameter))
(catch_formal_parameter name: (identifier) @variable.parameter)
(inferred_parameters (identifier) @variable.parameter)
(lambda_expression parameters: (identifier) @variable.parameter)
(method_declaration name: (identifier) @function.method)
(annotation_type_element_declaration name: (identifier) @function.method)
(constructor_declaration name: (identifier) @constructor)
(compact_constructor_declaration name: (identifier) @constructor)
(labeled_statement . (identifier) @label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)

; Calls.
(method_invocation name: (identifier) @function.method)
(method_invocation object: (identifier) @type (#match? @type "^[A-Z]"))
(method_invocation object: (identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(method_reference "::" (identifier) @function.method)
(object_creation_expression type: (type_identifier) @constructor)
(object_creation_expression type: (generic_type (type_identifier) @constructor))

; Annotations.
(annotation "@" @attribute name: (identifier) @attribute)
(marker_annotation "@" @attribute name: (identifier) @attribute)
(annotation name: (scoped_identifier name: (identifier) @attribute))
(marker_annotation name: (scoped_identifier name: (identifier) @attribute))
(element_value_pair key: (identifier) @property)

; Literals.
[
  (binary_integer_literal) (decimal_floating_point_literal) (decimal_integer_literal)
  (hex_floating_point_literal) (hex_integer_literal) (octal_integer_literal)
] @number
[(true) (false)] @boolean
(null_literal) @constant.builtin
[(string_literal) (character_literal)] @string
(escape_sequence) @escape
(string_interpolation) @embedded
[(line_comment) (block_comment)] @comment
((block_comment) @comment.documentation (#match? @comment.documentation "^/\\*\\*[^*/]"))

; Tokens.
[
  "@interface" "abstract" "assert" "break" "case" "catch" "class" "continue" "default" "do" "else"
  "enum" "exports" "extends" "final" "finally" "for" "if" "implements" "import" "instanceof"
  "interface" "module" "native" "new" "non-sealed" "open" "opens" "package" "permits" "private"
  "protected" "provides" "public" "record" "requires" "return" "sealed" "static" "strictfp" "switch"
  "synchronized" "throw" "throws" "to" "transient" "transitive" "try" "uses" "volatile" "when"
  "while" "with" "yield"
] @keyword
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "*=" "+" "++" "+=" "-" "--" "-=" "->" "..." "/" "/=" "<<" "<<="
  "<=" "=" "==" ">=" ">>" ">>=" ">>>" ">>>=" "?" "^" "^=" "|" "|=" "||" "~"
] @operator
(binary_expression ["<" ">"] @operator)
["(" ")" "[" "]" "{" "}" "," "." ":" "::" ";"] @punctuation
(type_arguments ["<" ">"] @punctuation)
(type_parameters ["<" ">"] @punctuation)
