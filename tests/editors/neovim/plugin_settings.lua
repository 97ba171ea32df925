-- Settings that are wrong are told of, once and by name, and are in nobody's way.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  scenario.write("b.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  vim.g.tandem = { cmd = "tandem", max_bytes = "5 MB", review = "sometimes", reviews = "always" }
  plugin.load()
  plugin.open("a.txt")
  plugin.wait_said("see :checkhealth tandem")
  plugin.open("b.txt")
  vim.wait(200)
  scenario.equal(#plugin.said, 1, "it is said once")
  vim.cmd("checkhealth tandem")
  local said = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  for _, needle in ipairs({
    "`cmd` is a string, not a list of words",
    "`max_bytes` is a string, not a number",
    '`review` is "sometimes", not "never" or "always"',
    "there is no setting `reviews`",
  }) do
    assert(said:find(needle, 1, true), said)
  end
  vim.cmd("bdelete!")
  vim.g.tandem = "always"
  require("tandem").setup({ hunks = 1 })
  assert(require("tandem").call("read_file", { path = "a.txt" }))
  vim.cmd.edit(scenario.root .. "/a.txt")
  scenario.equal(require("tandem.settings").problems(), {
    "`hunks` is a number, not true or false",
    "vim.g.tandem is a string, not a table",
  }, "all of them")
end)
