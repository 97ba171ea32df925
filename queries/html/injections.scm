(style_element (raw_text) @injection.content (#set! injection.language "css"))

; Scripts without a type, with a JavaScript type, or with a type that names a language.
(script_element
  .
  (start_tag) @_start
  (raw_text) @injection.content
  (#not-match? @_start "[ \t\n]type[ \t\n]*=")
  (#not-match? @_start "[ \t\n]lang[ \t\n]*=")
  (#set! injection.language "javascript"))
(script_element
  (start_tag
    (attribute
      (attribute_name) @_name
      [(attribute_value) @_type (quoted_attribute_value (attribute_value) @_type)]))
  (raw_text) @injection.content
  (#eq? @_name "type")
  (#match? @_type "(^module$|^text/babel$|javascript$|ecmascript$)")
  (#set! injection.language "javascript"))
(script_element
  (start_tag
    (attribute
      (attribute_name) @_name
      [(attribute_value) @_type (quoted_attribute_value (attribute_value) @_type)]))
  (raw_text) @injection.content
  (#eq? @_name "type")
  (#match? @_type "(json|^importmap|^speculationrules)$")
  (#set! injection.language "json"))
(script_element
  (start_tag
    (attribute
      (attribute_name) @_name
      [
        (attribute_value) @injection.language
        (quoted_attribute_value (attribute_value) @injection.language)
      ]))
  (raw_text) @injection.content
  (#eq? @_name "lang"))

; Code in attributes.
(attribute
  (attribute_name) @_name
  (quoted_attribute_value (attribute_value) @injection.content)
  (#match? @_name "^on[a-z]+$")
  (#set! injection.language "javascript"))
