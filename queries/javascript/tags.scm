(jsx_element
  open_tag: (jsx_opening_element name: (_) @open)
  close_tag: (jsx_closing_element name: (_) @close))
