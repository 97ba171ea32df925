; inherits: ecmascript
[
  (interface_body)
  (object_type)
  (enum_body)
  (type_arguments)
  (type_parameters)
  (union_type)
  (tuple_type)
] @fold
