-- Neovim was started with the settings of a document: opening a file is enough.
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

  -- Every language that the server knows, by the first extension that it lists of each.
  local known = vim.fn.systemlist({ vim.env.TANDEM_BIN, "languages" })
  assert(#known >= 36, vim.inspect(known))
  for _, line in ipairs(known) do
    -- Behind the columns of the id and the name.
    local extension = assert(line:sub(37):match("^%S+"), line)
    local name = "a." .. extension
    scenario.write(name, "")
    vim.cmd.edit(scenario.root .. "/" .. name)
    scenario.wait(("the server attaches to %s (%s)"):format(name, vim.bo.filetype), function()
      return vim.lsp.buf_is_attached(0, client.id)
    end)
  end

  vim.cmd.edit(scenario.root .. "/notes.unknown")
  scenario.equal(vim.lsp.get_clients({ bufnr = 0 }), {}, "servers of another kind of file")
end)
