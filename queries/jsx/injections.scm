; CSS in <style>.
(jsx_element
  open_tag: (jsx_opening_element name: (identifier) @_tag)
  (jsx_expression (template_string (string_fragment) @injection.content))
  (#eq? @_tag "style")
  (#set! injection.language "css"))
