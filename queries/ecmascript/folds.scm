[
  (statement_block)
  (class_body)
  (object)
  (object_pattern)
  (array)
  (array_pattern)
  (arguments)
  (formal_parameters)
  (named_imports)
  (export_clause)
  (switch_body)
  (switch_case)
  (switch_default)
  (template_string)
  (parenthesized_expression)
] @fold
(comment) @fold.comment
(import_statement) @fold.imports
