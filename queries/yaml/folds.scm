[
  (block_mapping_pair)
  (block_sequence_item)
  (flow_mapping)
  (flow_sequence)
] @fold
(document "---" . (_)) @fold
(comment) @fold.comment
