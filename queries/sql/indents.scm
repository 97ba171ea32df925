[
  (block)
  (transaction)
  (column_definitions)
  (function_arguments)
  (subquery)
  (cte "(")
  (case)
  (enum_elements)
  (ordered_columns)
  (create_view)
  (create_materialized_view)
] @indent
(function_body (dollar_quote)) @indent

")" @outdent
[(dollar_quote) (keyword_end) (keyword_commit) (keyword_rollback)] @outdent

; The layout of clauses is left to the author.
[
  (select)
  (from)
  (insert)
  (update)
  (delete)
  (set_operation)
  (statement (select))
  (binary_expression)
  (list)
  (create_trigger)
  (literal)
  (marginalia)
] @leave
