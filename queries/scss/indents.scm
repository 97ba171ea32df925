[
  (block) (keyframe_block_list) (declaration) (arguments) (parameters) (parenthesized_value)
  (include_statement)
] @indent
["}" ")" "]"] @outdent
(comment) @leave
