(mod_item name: (identifier) @link !body)
