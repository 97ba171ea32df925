[
  (block)
  (struct_declaration)
  (enum_declaration)
  (union_declaration)
  (opaque_declaration)
  (error_set_declaration)
  (switch_expression)
  (initializer_list)
  (parameters)
  (call_expression)
  (multiline_string)
] @fold
(comment) @fold.comment
((variable_declaration (builtin_function (builtin_identifier) @_import)) @fold.imports (#eq? @_import "@import"))
