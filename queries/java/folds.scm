[
  (block)
  (class_body)
  (interface_body)
  (enum_body)
  (annotation_type_body)
  (module_body)
  (constructor_body)
  (switch_block)
  (switch_block_statement_group)
  (array_initializer)
  (element_value_array_initializer)
  (argument_list)
  (formal_parameters)
  (annotation_argument_list)
  (string_literal)
] @fold
[(line_comment) (block_comment)] @fold.comment
(import_declaration) @fold.imports
