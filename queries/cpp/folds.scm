; inherits: c
[
  (template_parameter_list)
  (template_argument_list)
  (field_initializer_list)
  (raw_string_literal)
  (requires_expression)
] @fold
