-- The same with two open files: both change or neither. Of one `workspace/applyEdit`, Neovim checks
-- only the first document's version, and skips a newer document without refusing the edit.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local meanwhile = require("meanwhile")
local scenario = require("scenario")

scenario.run(function()
  scenario.write("a.py", meanwhile.BEFORE)
  scenario.write("b.py", meanwhile.BEFORE)
  local a, client = scenario.open("a.py")
  local b = scenario.open("b.py")
  for delay = 0, 12 do
    for _, typed in ipairs({ a, b }) do
      meanwhile.reset(a)
      meanwhile.reset(b)
      scenario.in_step(client, a, "a.py")
      scenario.in_step(client, b, "b.py")
      local made = meanwhile.edit_and_type(client, a, { "a.py", "b.py" }, typed, delay)
      for _, bufnr in ipairs({ a, b }) do
        local what = ("typed in %s, made: %s, delay %d, text of %s"):format(
          typed == a and "a" or "b",
          made,
          delay,
          bufnr == a and "a" or "b"
        )
        scenario.equal(scenario.text(bufnr), meanwhile.expected(made, bufnr == typed), what)
      end
      scenario.in_step(client, a, "a.py")
      scenario.in_step(client, b, "b.py")
    end
  end
end)
