[
  (declaration_list) (enum_member_declaration_list) (block) (accessor_list) (switch_body)
  (switch_section) (switch_expression) (initializer_expression) (argument_list) (parameter_list)
  (raw_string_literal) (verbatim_string_literal) (preproc_if) (collection_expression)
] @fold
(comment) @fold.comment
(using_directive) @fold.imports
