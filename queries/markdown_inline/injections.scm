((html_tag) @injection.content
  (#set! injection.language "html")
  (#set! injection.combined)
  (#set! injection.include-children))
