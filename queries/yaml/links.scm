(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @link)
  (#match? @_key "^[\"']?([$]ref|env_file|dockerfile|working-directory)[\"']?$"))
(block_mapping_pair
  key: (flow_node) @_key
  value: [
    (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @link)
    (block_node (block_sequence (block_sequence_item
      (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @link))))
  ]
  (#match? @_key "^[\"']?(include|import|import_tasks|include_tasks|import_playbook|vars_files|env_file|resources|extends|local|uses)[\"']?$")
  (#match? @link "[./]"))
(flow_node (tag) @_tag [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @link
  (#match? @_tag "^!include"))
