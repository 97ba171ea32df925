-- Neovim was started with the settings of a document: opening a file is all there is to do.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  scenario.write("src/main.rs", "fn main() {}\n")
  scenario.write("notes.unknown", "no language of ours\n")
  vim.cmd.edit(scenario.root .. "/src/main.rs")
  local bufnr = vim.api.nvim_get_current_buf()
  local client = scenario.wait("the server attaches by itself", function()
    local client = vim.lsp.get_clients({ bufnr = bufnr, name = "tandem" })[1]
    return client and client.initialized and client
  end)
  scenario.equal(client.root_dir, scenario.root, "the workspace is the repository")
  scenario.in_step(client, bufnr, "src/main.rs")

  for _, name in ipairs({ "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.c", "a.cpp", "a.java" }) do
    scenario.write(name, "")
    vim.cmd.edit(scenario.root .. "/" .. name)
    scenario.wait("the server attaches to " .. name, function()
      return vim.lsp.buf_is_attached(0, client.id)
    end)
  end

  vim.cmd.edit(scenario.root .. "/notes.unknown")
  scenario.equal(vim.lsp.get_clients({ bufnr = 0 }), {}, "servers of another kind of file")
end)
