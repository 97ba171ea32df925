; inherits: c
[
  (template_parameter_list)
  (lambda_expression)
  (for_range_loop)
  (requires_expression)
  (requirement_seq)
] @indent
[
  (field_initializer_list)
  (template_argument_list)
  (function_declarator)
  (condition_clause)
  (throw_statement)
  (co_return_statement)
  (alias_declaration)
  (call_expression)
  (field_expression)
  (lambda_capture_specifier)
] @continue
(for_range_loop body: (compound_statement "{" @outdent))
(field_declaration_list (access_specifier) @outdent)
(lambda_expression body: (compound_statement "{" @outdent))
; Many files do not indent the contents of namespaces.
((namespace_definition body: (declaration_list) @indent) (#set! flat))
((linkage_specification body: (declaration_list) @indent) (#set! flat))
; The member initializer list of a constructor.
((function_definition (field_initializer_list) @continue.item))
(raw_string_literal) @leave
