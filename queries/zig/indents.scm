[
  (block)
  (struct_declaration)
  (enum_declaration)
  (union_declaration)
  (opaque_declaration)
  (error_set_declaration)
  (switch_expression)
  (initializer_list)
  (parameters)
  (arguments)
  (call_expression)
  (parenthesized_expression)
  (expression_statement)
  (variable_declaration)
  (if_statement)
  (while_statement)
  (for_statement)
] @indent
["}" ")" "]"] @outdent
(else_clause "else" @outdent)
((comment) . (comment) @beside)
(asm_expression) @continue
((if_expression "else" @continue.item) (#set! flat))
