[
  (template_body)
  (enum_body)
  (block)
  (indented_block)
  (case_block)
  (indented_cases)
  (case_clause)
  (arguments)
  (parameters)
  (class_parameters)
  (enumerators)
  (match_expression)
  (interpolated_string)
  (string)
] @fold
[(comment) (block_comment)] @fold.comment
(import_declaration) @fold.imports
