[
  (function_definition) (if_statement) (case_statement) (case_item) (for_statement)
  (c_style_for_statement) (while_statement) (subshell) (array) (heredoc_body) (compound_statement)
  (elif_clause) (else_clause) (string) (raw_string)
] @fold
(comment) @fold.comment
