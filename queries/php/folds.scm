[
  (declaration_list)
  (enum_declaration_list)
  (compound_statement)
  (switch_block)
  (match_block)
  (case_statement)
  (default_statement)
  (colon_block)
  (array_creation_expression)
  (arguments)
  (formal_parameters)
  (namespace_use_group)
  (property_hook_list)
  (use_list)
  (heredoc)
  (nowdoc)
  (parenthesized_expression)
] @fold
(comment) @fold.comment
(namespace_use_declaration) @fold.imports
((expression_statement [(require_expression) (require_once_expression) (include_expression) (include_once_expression)]) @fold.imports)
