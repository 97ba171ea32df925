[
  (compound_statement)
  (field_declaration_list)
  (enumerator_list)
  (declaration_list)
  (initializer_list)
  (parameter_list)
  (argument_list)
  (case_statement)
  (preproc_if)
  (preproc_ifdef)
  (preproc_elif)
  (preproc_else)
  (preproc_function_def)
] @fold
(comment) @fold.comment
(preproc_include) @fold.imports
