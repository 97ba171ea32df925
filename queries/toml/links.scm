; Paths in manifests.
(pair
  (bare_key) @_key (string) @link
  (#any-of? @_key "path" "file" "readme" "build" "license-file" "include" "extends" "src"))
(pair
  (bare_key) @_key (array (string) @link)
  (#any-of? @_key "members" "include" "extends" "license-files"))
