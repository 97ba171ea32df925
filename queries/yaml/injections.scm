; Commands of workflows and pipelines.
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#any-of? @_key "run" "script" "before_script" "after_script" "install" "command" "commands" "shell" "bash" "entrypoint" "preCreate" "postStart")
  (#set! injection.language "bash"))
(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node (plain_scalar (string_scalar) @injection.content))
  (#any-of? @_key "run" "script")
  (#set! injection.language "bash"))
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_sequence (block_sequence_item [
    (block_node (block_scalar) @injection.content)
    (flow_node (plain_scalar (string_scalar) @injection.content))])))
  (#any-of? @_key "script" "before_script" "after_script" "commands")
  (#set! injection.language "bash"))

; A comment beside a scalar names its language.
((block_scalar (comment) @injection.language) @injection.content
  (#match? @injection.language "^# ?(sql|bash|sh|python|js|javascript|json|yaml|toml|lua|html|css)$"))

; The extension in a key names the language, as in config maps.
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#match? @_key "[.]json\"?$")
  (#set! injection.language "json"))
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#match? @_key "[.]ya?ml\"?$")
  (#set! injection.language "yaml"))
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#match? @_key "[.](sh|bash)\"?$")
  (#set! injection.language "bash"))
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#match? @_key "[.]py\"?$")
  (#set! injection.language "python"))
