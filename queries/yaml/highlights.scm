(comment) @comment

[(string_scalar) (double_quote_scalar) (single_quote_scalar) (block_scalar)] @string
(escape_sequence) @escape
[(integer_scalar) (float_scalar) (timestamp_scalar)] @number
(boolean_scalar) @boolean
(null_scalar) @constant.builtin

[(anchor_name) (alias_name)] @label
(tag) @type
(directive_name) @attribute
[(yaml_directive) (tag_directive) (reserved_directive)] @attribute
[(yaml_version) (tag_handle) (tag_prefix) (directive_parameter)] @string.special

(block_mapping_pair
  key: (flow_node [(plain_scalar (_) @property) (double_quote_scalar) @property (single_quote_scalar) @property]))
(flow_pair
  key: (flow_node [(plain_scalar (_) @property) (double_quote_scalar) @property (single_quote_scalar) @property]))
; {a, b}, and a key with a value of its own.
(flow_mapping (flow_node (plain_scalar (_) @property)))

((plain_scalar (string_scalar) @operator) (#eq? @operator "<<"))

["-" ":" "," "?" "|" ">" "[" "]" "{" "}" "&" "*"] @punctuation
["---" "..."] @punctuation
