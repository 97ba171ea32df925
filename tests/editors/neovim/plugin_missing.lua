-- Without a server there is one clear message, when somebody asks, and nothing else.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  vim.env.PATH = "/usr/bin:/bin"
  scenario.write("a.py", "x = 1\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  vim.cmd.edit(scenario.root .. "/a.py")
  vim.wait(300)
  scenario.equal(plugin.said, {}, "nothing is said unasked")
  scenario.equal(vim.v.errmsg, "", "nothing failed")
  vim.cmd("Tandem start")
  plugin.wait_said("is not on the PATH; install it: cargo install")
  local _, error = require("tandem").call("read_file", { path = "a.py" })
  scenario.equal(error.code, "E_UNAVAILABLE", "a call says so")
  vim.cmd("checkhealth tandem")
  local told = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(told:find("is not on the PATH", 1, true) and told:find("cargo install", 1, true), told)
end)
