; inherits: c
[
  (field_initializer_list)
  (template_parameter_list)
  (template_argument_list)
  (lambda_expression)
  (function_declarator)
  (for_range_loop)
  (condition_clause)
  (requires_expression)
  (requirement_seq)
  (throw_statement)
  (co_return_statement)
  (alias_declaration)
  (call_expression)
  (field_expression)
  (lambda_capture_specifier)
] @indent
(for_range_loop body: (compound_statement "{" @outdent))
(field_declaration_list (access_specifier) @outdent)
(lambda_expression body: (compound_statement "{" @outdent))
(raw_string_literal) @leave
