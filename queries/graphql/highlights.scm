(comment) @comment
(name) @variable
(string_value) @string
(description (string_value) @comment.documentation)

(named_type (name) @type)
((named_type (name) @type.builtin)
  (#any-of? @type.builtin "Boolean" "Float" "ID" "Int" "String"))
(object_type_definition (name) @type.class)
(object_type_extension (name) @type.class)
(interface_type_definition (name) @type.interface)
(interface_type_extension (name) @type.interface)
(input_object_type_definition (name) @type.struct)
(input_object_type_extension (name) @type.struct)
(enum_type_definition (name) @type.enum)
(enum_type_extension (name) @type.enum)
(union_type_definition (name) @type)
(union_type_extension (name) @type)
(scalar_type_definition (name) @type)
(scalar_type_extension (name) @type)
(enum_value (name) @constant.member)

(field_definition (name) @property)
(field (name) @property)
(alias (name) @label)
(input_value_definition (name) @variable.parameter)
(argument (name) @variable.parameter)
(object_field (name) @property)
(variable "$" @variable (name) @variable)
(operation_definition (name) @function)
(fragment_name (name) @function)
(directive "@" @attribute (name) @attribute)
(directive_definition "@" @attribute (name) @attribute)
[(executable_directive_location) (type_system_directive_location)] @constant

[(int_value) (float_value)] @number
(boolean_value) @boolean
(null_value) @constant.builtin
(operation_type) @keyword
[
  "directive" "enum" "extend" "fragment" "implements" "input" "interface" "on" "repeatable"
  "scalar" "schema" "type" "union"
] @keyword
["!" "=" "|" "&" "..."] @operator
["(" ")" "[" "]" "{" "}" ":"] @punctuation
(comma) @punctuation
