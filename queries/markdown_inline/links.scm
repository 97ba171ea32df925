((link_destination) @link (#not-match? @link "^(#|[a-z]+:)"))
