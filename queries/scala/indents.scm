[
  (refinement)
  (structural_type)
  (case_block)
  (case_clause)
  (arguments)
  (parameters)
  (class_parameters)
  (type_parameters)
  (parenthesized_expression)
  (tuple_expression)
  (enumerators)
  (for_expression)
  (val_definition)
  (var_definition)
  (if_expression)
  (while_expression)
  (try_expression)
  (catch_clause)
  (finally_clause)
  (match_expression)
  (indented_block)
  (assignment_expression)
  (extends_clause)
  (function_definition)
  (infix_expression)
  (field_expression)
] @indent
; However long the head is.
[(template_body) (with_template_body) (enum_body)] @indent.body
(function_definition body: (block) @indent.body)
(_ !parameters (block) @indent)
["}" ")" "]" "else" "catch" "finally" "yield"] @outdent
(block_comment) @leave
[(string) (interpolated_string)] @leave
