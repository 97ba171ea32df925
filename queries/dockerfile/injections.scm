; Continuation lines form one command; comments between them are not part of it.
((shell_command) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-unnamed-children))
(run_instruction
  (heredoc_block (heredoc_content) @injection.content)
  (#set! injection.language "bash")
  (#set! injection.include-children))
