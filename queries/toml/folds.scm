[
  (table)
  (table_array_element)
  (array)
  (inline_table)
  (string)
] @fold
(comment) @fold.comment
