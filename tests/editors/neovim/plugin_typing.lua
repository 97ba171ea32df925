-- With the plugin, no edit lands in a text that has been typed in since, not even before the first key
-- has reached the server; of several files none is edited then.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local meanwhile = require("meanwhile")
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  for delay = 0, 12 do
    local names = { ("a_%d.py"):format(delay), ("b_%d.py"):format(delay) }
    local buffers = {}
    local client
    for _, name in ipairs(names) do
      scenario.write(name, meanwhile.BEFORE)
      local bufnr
      bufnr, client = plugin.open(name)
      table.insert(buffers, bufnr)
    end
    local made = meanwhile.edit_and_type(client, buffers[1], names, buffers[2], delay)
    for index, bufnr in ipairs(buffers) do
      local expected = meanwhile.expected(made, index == 2)
      scenario.equal(scenario.text(bufnr), expected, ("made: %s, delay %d"):format(made, delay))
      scenario.in_step(client, bufnr, names[index])
    end
  end
end)
