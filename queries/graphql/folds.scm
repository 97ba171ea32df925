[
  (fields_definition) (input_fields_definition) (enum_values_definition) (selection_set)
  (arguments_definition) (arguments) (variable_definitions) (object_value) (list_value)
  (schema_definition) (description) (union_member_types)
] @fold
(comment) @fold.comment
