; Lines that go on are one command; a comment between them is none of it.
((shell_command) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-unnamed-children))
(run_instruction
  (heredoc_block (heredoc_content) @injection.content)
  (#set! injection.language "bash")
  (#set! injection.include-children))
