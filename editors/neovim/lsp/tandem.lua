-- What `vim.lsp.config("tandem", ...)` adds to. The plugin attaches by itself.
return require("tandem.client").defaults()
