[
  (jsx_element)
  (jsx_opening_element)
  (jsx_self_closing_element)
  (jsx_expression)
  (jsx_attribute)
] @indent
(jsx_element close_tag: (jsx_closing_element "</" @outdent))
(jsx_opening_element ">" @outdent)
(jsx_self_closing_element "/>" @outdent)
