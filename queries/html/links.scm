(attribute
  (attribute_name) @_name
  [(attribute_value) @link (quoted_attribute_value (attribute_value) @link)]
  (#any-of? @_name "href" "src" "action" "poster" "data")
  (#not-match? @link "^(#|javascript:|data:|mailto:)"))
