((inline) @injection.content
  (#set! injection.language "markdown_inline")
  (#set! injection.include-unnamed-children))
((pipe_table_cell) @injection.content
  (#set! injection.language "markdown_inline")
  (#set! injection.include-unnamed-children))

(fenced_code_block
  (info_string (language) @injection.language)
  (code_fence_content) @injection.content
  (#set! injection.include-unnamed-children))

; An HTML element may start in one block and end in another.
((html_block) @injection.content
  (#set! injection.language "html")
  (#set! injection.combined)
  (#set! injection.include-unnamed-children))

((minus_metadata) @injection.content (#set! injection.language "yaml"))
((plus_metadata) @injection.content (#set! injection.language "toml"))
