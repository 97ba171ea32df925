; What make puts in is a word for the shell.
((shell_text) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-children))
((shell_command) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-children))
