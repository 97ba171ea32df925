(block_mapping_pair key: (flow_node) @name) @item.property
(flow_pair key: (flow_node) @name) @item.property

; List items with a name.
(block_sequence_item
  (block_node
    (block_mapping
      . (block_mapping_pair
        key: (flow_node) @_key
        value: (flow_node) @name)))
  (#any-of? @_key "name" "id" "uses" "job_name" "alias" "title")) @item.struct
