[
  (function_declaration) (function_definition) (if_statement) (for_statement) (while_statement)
  (repeat_statement) (do_statement) (table_constructor) (arguments) (parameters)
  (parenthesized_expression)
] @indent
; Continuation lines.
[(assignment_statement) (binary_expression) (return_statement) (function_call)] @indent
["end" "else" "elseif" "until" "}" ")"] @outdent
[(string) (comment)] @leave
