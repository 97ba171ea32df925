-- The help has its tags and describes every command.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  plugin.load()
  local copy = scenario.root .. "/copy/doc"
  vim.fn.mkdir(copy, "p")
  assert(vim.uv.fs_copyfile(plugin.folder .. "/doc/tandem.txt", copy .. "/tandem.txt"))
  vim.cmd.helptags(copy)
  vim.opt.runtimepath:append(scenario.root .. "/copy")
  vim.cmd.help("tandem")
  scenario.equal(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "tandem.txt", "the page")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  for _, name in ipairs(vim.fn.getcompletion("Tandem ", "cmdline")) do
    assert(text:find("*:Tandem-" .. name .. "*", 1, true), ":Tandem " .. name .. " is described")
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    assert(vim.fn.strdisplaywidth(line) <= 80, "too wide: " .. line)
  end
  for name in pairs(require("tandem.settings").current()) do
    assert(text:find("{" .. name .. "}", 1, true), "the setting " .. name .. " is described")
  end
end)
