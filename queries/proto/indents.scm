[
  (message_body)
  (enum_body)
  (service)
  (oneof)
  (rpc)
  (block_lit)
  (field)
  (oneof_field)
  (map_field)
  (enum_field)
  (option)
  (reserved)
  (extensions)
] @indent
["}" ")" "]" ">"] @outdent
(comment) @leave
