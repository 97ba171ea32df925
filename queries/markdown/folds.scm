[
  (section) (fenced_code_block) (list) (list_item) (block_quote) (pipe_table) (html_block)
  (minus_metadata) (plus_metadata)
] @fold
