; cat <<SQL
(heredoc_redirect
  (heredoc_start) @injection.language
  (heredoc_body) @injection.content
  (#set! injection.include-children))

(command
  name: (command_name (word) @_program)
  argument: (raw_string) @injection.content
  (#any-of? @_program "psql" "mysql" "sqlite3" "mariadb")
  (#match? @injection.content "^'[ \n]*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|select|insert|update|delete|create|alter|drop|with) ")
  (#set! injection.language "sql"))
((regex) @injection.content (#set! injection.language "regex"))
