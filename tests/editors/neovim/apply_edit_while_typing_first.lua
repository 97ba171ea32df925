-- The same with the very first key in a document. Neovim gives it version 0 and does not check that
-- version, so an edit of the old text lands in the new one: the server has to notice and undo it.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local meanwhile = require("meanwhile")
local scenario = require("scenario")

scenario.run(function()
  for delay = 0, 12 do
    local name = ("file_%d.py"):format(delay)
    scenario.write(name, meanwhile.BEFORE)
    local bufnr, client = scenario.open(name)
    local made = meanwhile.edit_and_type(client, bufnr, { name }, bufnr, delay)
    local expected = meanwhile.expected(made, true)
    scenario.equal(scenario.text(bufnr), expected, ("made: %s, delay %d"):format(made, delay))
    scenario.in_step(client, bufnr, name)
  end
end)
