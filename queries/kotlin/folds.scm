[
  (class_body) (enum_class_body) (block) (lambda_literal) (when_expression) (value_arguments)
  (function_value_parameters) (class_parameters) (multiline_string_literal) (collection_literal)
] @fold
[(line_comment) (block_comment)] @fold.comment
(import) @fold.imports
