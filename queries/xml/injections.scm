; Scripts and styles in SVG and XHTML.
(element
  (STag (Name) @_tag)
  (content [(CharData) (CDSect (CData))] @injection.content)
  (#match? @_tag "^(svg:)?style$")
  (#set! injection.language "css")
  (#set! injection.include-children))
(element
  (STag (Name) @_tag)
  (content [(CharData) (CDSect (CData) @injection.content)])
  (#match? @_tag "^(svg:)?script$")
  (#set! injection.language "javascript"))
(Attribute
  (Name) @_name (AttValue) @injection.content
  (#eq? @_name "style")
  (#set! injection.language "css"))
