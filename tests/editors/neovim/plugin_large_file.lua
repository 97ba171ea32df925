-- A file of 50 MB is attached to, edited and undone; a larger one is ignored.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  local line = ("0123456789abcdef"):rep(62) .. "1234567\n"
  scenario.write("big.txt", "first\n" .. line:rep(50 * 1024 * 1024 / #line))
  scenario.write("huge.txt", line:rep(58 * 1024 * 1024 / #line))
  scenario.write("small.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("big.txt")
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, true, { "second" })
  -- The next change is undone alone.
  vim.bo.undolevels = vim.bo.undolevels
  local started = vim.uv.hrtime()
  local result, error = require("tandem").call("apply_edit", {
    path = "big.txt",
    old_text = "second\n",
    new_text = "third\n",
  })
  assert(result, vim.inspect(error))
  io.stdout:write(("edit of 50 MB: %d ms\n"):format((vim.uv.hrtime() - started) / 1e6))
  scenario.equal(vim.api.nvim_buf_get_lines(bufnr, 0, 1, true), { "third" }, "it is edited")
  vim.cmd("undo")
  scenario.equal(vim.api.nvim_buf_get_lines(bufnr, 0, 1, true), { "second" }, "and undone")
  vim.cmd.edit({ scenario.root .. "/huge.txt", bang = true })
  vim.wait(300)
  scenario.equal(vim.lsp.get_clients({ bufnr = 0 }), {}, "a larger one is left alone")
  vim.cmd("Tandem start")
  plugin.wait_said("it is too large")
  plugin.open("small.txt")
end)
