; A make variable is replaced by a word in the shell command.
((shell_text) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-children))
((shell_command) @injection.content
  (#set! injection.language "bash")
  (#set! injection.include-children))
