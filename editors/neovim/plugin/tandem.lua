-- Attaches to files and defines `:Tandem`. Expensive modules are loaded when first needed.
if vim.g.loaded_tandem then
  return
end
vim.g.loaded_tandem = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.api.nvim_create_user_command("Tandem", function()
    vim.api.nvim_err_writeln("tandem: this needs Neovim 0.10 or newer")
  end, { nargs = "*" })
  return
end

local group = vim.api.nvim_create_augroup("tandem", {})

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "FileType", "BufFilePost" }, {
  group = group,
  callback = function(event)
    if vim.bo[event.buf].buftype == "" and event.file ~= "" then
      -- Later, so that reading a file is not delayed.
      vim.schedule(function()
        require("tandem.client").attach(event.buf)
      end)
    end
  end,
})

-- Defined here so that it runs before Neovim's own autocommands, which forget what was shown.
vim.api.nvim_create_autocmd({ "LspAttach", "LspDetach" }, {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= "tandem" then
      return
    end
    if event.event == "LspDetach" then
      require("tandem.completion").detach(client, event.buf)
      return require("tandem.restore").keep(event.buf)
    end
    require("tandem.completion").attach(client, event.buf)
    require("tandem.restore").bring_back(event.buf)
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  -- With one slash it is not a URL for Neovim, which prepends the folder.
  pattern = "*tandem-git:/*",
  callback = function(event)
    require("tandem.documents").read(event.buf, event.match:match("tandem%-git:/.*"))
  end,
})

vim.api.nvim_create_user_command("Tandem", function(command)
  require("tandem.commands").run(command)
end, {
  nargs = "*",
  range = true,
  complete = function(...)
    return require("tandem.commands").complete(...)
  end,
  desc = "Tandem: status, tools, hunks, reviews and more",
})
