[
  (message_body)
  (enum_body)
  (service)
  (oneof)
  (rpc)
  (block_lit)
  (field)
  (enum_field)
] @fold
(comment) @fold.comment
(import) @fold.imports
