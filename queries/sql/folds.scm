[
  (statement)
  (transaction)
  (block)
  (column_definitions)
  (function_body)
  (subquery)
  (cte)
  (case)
  (list)
  (create_type)
] @fold
(comment) @fold.comment
(marginalia) @fold.comment
