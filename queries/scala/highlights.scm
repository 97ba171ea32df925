(identifier) @variable
((identifier) @type (#match? @type "^[A-Z]"))
((identifier) @variable.builtin (#any-of? @variable.builtin "this" "super"))
(type_identifier) @type
((type_identifier) @type.builtin
  (#any-of? @type.builtin
    "Int" "Long" "Short" "Byte" "Double" "Float" "Boolean" "Char" "String" "Unit" "Any" "AnyRef" "AnyVal" "Nothing" "Null"))
(type_parameters name: (identifier) @type.parameter)
(operator_identifier) @operator
(package_identifier (identifier) @namespace)
(import_declaration path: (identifier) @namespace)
(export_declaration path: (identifier) @namespace)
(namespace_selectors (identifier) @type)

(class_definition name: (identifier) @type.class)
(object_definition name: (identifier) @type.class)
(trait_definition name: (identifier) @type.interface)
(enum_definition name: (identifier) @type.enum)
(simple_enum_case name: (identifier) @constant.member)
(full_enum_case name: (identifier) @constant.member)

(parameter name: (identifier) @variable.parameter)
(class_parameter name: (identifier) @variable.parameter)
(binding name: (identifier) @variable.parameter)
(lambda_expression parameters: (identifier) @variable.parameter)
(template_body (val_definition pattern: (identifier) @property))
(template_body (var_definition pattern: (identifier) @property))
(field_expression field: (identifier) @property)
(assignment_expression left: (identifier) @variable)

(function_definition name: (identifier) @function)
(function_definition name: (operator_identifier) @function)
(function_declaration name: (identifier) @function)
(call_expression function: (identifier) @function)
((call_expression function: (identifier) @constructor) (#match? @constructor "^[A-Z]"))
(call_expression function: (field_expression field: (identifier) @function.method))
(generic_function function: (identifier) @function)
(generic_function function: (field_expression field: (identifier) @function.method))
(infix_expression operator: (identifier) @function.method)
(interpolated_string_expression interpolator: (identifier) @function.macro)
(annotation "@" @attribute)
(annotation name: (type_identifier) @attribute)

[(comment) (block_comment)] @comment
((block_comment) @comment.documentation (#match? @comment.documentation "^/[*][*][^/]"))
(using_directive) @attribute
[(string) (character_literal) (interpolated_string)] @string
(escape_sequence) @escape
(interpolation) @embedded
(interpolation ["$" "{" "}"] @punctuation)
[(integer_literal) (floating_point_literal)] @number
(boolean_literal) @boolean
(null_literal) @constant.builtin
(unit) @constant.builtin
(wildcard) @constant.builtin
(namespace_wildcard) @operator

[
  (inline_modifier) (erased_modifier) (infix_modifier) (into_modifier) (open_modifier) (tracked_modifier)
  (transparent_modifier) (opaque_modifier) (access_modifier)
] @keyword
[
  "abstract" "case" "catch" "class" "def" "derives" "do" "else" "enum" "export" "extends" "extension" "final" "finally"
  "for" "forSome" "given" "if" "implicit" "import" "lazy" "macro" "match" "new" "object" "override" "package" "private"
  "protected" "return" "sealed" "then" "throw" "trait" "try" "type" "using" "val" "var" "while" "with" "yield" "as"
] @keyword
["=" "=>" "<-" "->" "?=>" "=>>" "<:" ">:" "<%" "#" "@" "_" "|" "*"] @operator
["(" ")" "[" "]" "{" "}" "," ";" ":" "."] @punctuation
[(xml_name)] @tag
(xml_string) @string
(end_marker) @keyword
