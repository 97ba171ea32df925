([
  (refinement)
  (structural_type)
  (case_block)
  (case_clause)
  (enumerators)
  (for_expression)
  (if_expression)
  (while_expression)
  (try_expression)
  (catch_clause)
  (finally_clause)
  (match_expression)
  (indented_block)
  (function_definition)
] @indent (#set! trim))
([
  (arguments)
  (parameters)
  (class_parameters)
  (type_parameters)
  (parenthesized_expression)
  (tuple_expression)
  (val_definition)
  (var_definition)
  (assignment_expression)
  (extends_clause)
  (field_expression)
] @continue (#set! trim))
((infix_expression) @continue (#set! flat) (#set! trim))
((comment) . (comment) @beside)
; Relative to the line where the declaration starts, even if its header spans lines.
[(template_body) (with_template_body) (enum_body)] @indent.body
(block) @indent
(function_definition body: (block) @indent.body)
["}" ")" "]" "else" "catch" "finally" "yield"] @outdent
(block_comment) @leave
[(string) (interpolated_string)] @leave
