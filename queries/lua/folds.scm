[
  (function_declaration) (function_definition) (if_statement) (for_statement) (while_statement)
  (repeat_statement) (do_statement) (table_constructor) (arguments) (elseif_statement)
  (else_statement) (string)
] @fold
(comment) @fold.comment
