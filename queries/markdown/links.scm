(link_reference_definition
  (link_destination) @link
  (#not-match? @link "^(#|[a-z]+:)"))
