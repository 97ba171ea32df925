[
  (fields_definition) (input_fields_definition) (enum_values_definition) (selection_set)
  (arguments_definition) (arguments) (variable_definitions) (object_value) (list_value)
  (schema_definition) (union_type_definition) (directive_definition)
] @indent
["}" ")" "]"] @outdent
(description (string_value) @leave)
(value (string_value) @leave)
