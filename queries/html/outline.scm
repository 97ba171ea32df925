; Headings, and elements with an id.
; Only the start of a heading: a repetition here takes unbounded time in large elements.
(element
  (start_tag (tag_name) @_tag)
  . [(text) @name (entity) @name (element (start_tag) . [(text) @name (element (start_tag) . (text) @name)])]
  . [(entity) @name (text) @name (element (start_tag) . (text) @name)]?
  . [(entity) @name (text) @name (element (start_tag) . (text) @name)]?
  . [(entity) @name (text) @name (element (start_tag) . (text) @name)]?
  (#match? @_tag "^[hH][1-6]$")) @item.module
(element
  [
    (start_tag
      (tag_name) @detail
      (attribute
        (attribute_name) @_id
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
    (self_closing_tag
      (tag_name) @detail
      (attribute
        (attribute_name) @_id
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  ]
  (#match? @_id "^[iI][dD]$")) @item.field
([(script_element) (style_element)]
  (start_tag
    (tag_name) @detail
    (attribute
      (attribute_name) @_id
      [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  (#match? @_id "^[iI][dD]$")) @item.field
