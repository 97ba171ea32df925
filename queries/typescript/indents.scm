; inherits: ecmascript
[
  (object_type)
  (type_arguments)
  (type_parameters)
  (type_alias_declaration)
  (union_type)
  (intersection_type)
  (conditional_type)
  (tuple_type)
  (function_type)
  (parenthesized_type)
  (public_field_definition)
  (property_signature)
  (class_heritage)
] @indent
[
  (interface_body)
  (enum_body)
] @indent.body
