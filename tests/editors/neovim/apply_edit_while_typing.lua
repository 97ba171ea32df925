-- A person types while an edit is on its way: it lands whole and is told so, or it is refused and
-- nothing of it is in the buffer.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local meanwhile = require("meanwhile")
local scenario = require("scenario")

scenario.run(function()
  scenario.write("a.py", meanwhile.BEFORE)
  local a, client = scenario.open("a.py")
  -- Neovim checks no version 0, which a document has until it is first changed.
  meanwhile.reset(a)
  for delay = 0, 12 do
    local made = meanwhile.edit_and_type(client, a, { "a.py" }, a, delay)
    local expected = meanwhile.expected(made, true)
    scenario.equal(scenario.text(a), expected, ("made: %s, delay %d"):format(made, delay))
    scenario.in_step(client, a, "a.py")
    meanwhile.reset(a)
  end
end)
