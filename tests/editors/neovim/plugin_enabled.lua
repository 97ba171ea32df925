-- Somebody who has the plugin and turns its server on by Neovim's own means as well: one server, and
-- what was turned on since holds for the next, too.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "one = 1\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  -- 0.11 has both.
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.enable("tandem") -- 0.11
  end
  local bufnr, client = plugin.open("a.py")
  vim.wait(300)
  scenario.equal(#vim.lsp.get_clients(), 1, "one server")
  vim.cmd("Tandem review on")
  vim.cmd("Tandem restart")
  scenario.wait("another server", function()
    return plugin.attached(bufnr).id ~= client.id
  end)
  vim.wait(300)
  scenario.equal(#vim.lsp.get_clients(), 1, "still one server")
  local call = plugin.start("apply_edit", { path = "a.py", old_text = "1", new_text = "2" })
  scenario.wait("the change is shown", function()
    return call.is_over or #plugin.floats() > 0
  end)
  assert(not call.is_over, vim.inspect(call))
  vim.cmd("Tandem review reject")
  plugin.over(call)
end)
