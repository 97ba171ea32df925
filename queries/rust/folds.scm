[
  (block)
  (declaration_list)
  (field_declaration_list)
  (enum_variant_list)
  (field_initializer_list)
  (match_block)
  (use_list)
  (parameters)
  (arguments)
  (array_expression)
  (tuple_expression)
  (token_tree)
  (where_clause)
  (macro_definition)
  (raw_string_literal)
  (struct_pattern)
] @fold
[(line_comment) (block_comment)] @fold.comment
(use_declaration) @fold.imports
