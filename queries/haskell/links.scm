(import module: (module) @link)
