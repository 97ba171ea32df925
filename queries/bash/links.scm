(command
  name: (command_name (word) @_source)
  argument: [(word) (string) (raw_string)] @link
  (#any-of? @_source "source" "."))
