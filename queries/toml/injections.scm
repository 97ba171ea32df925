; Tasks of task runners.
(pair
  (bare_key) @_key (string) @injection.content
  (#any-of? @_key "run" "script" "cmd" "command")
  (#set! injection.language "bash"))
