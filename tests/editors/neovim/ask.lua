-- Approval requests use Neovim's own dialogs, and the answer is respected.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write(".vscode/settings.json", '{"a": 1}\n')
  scenario.write("main.py", "one = 1\n")
  local bufnr, client = scenario.open("main.py")
  local questions = {}
  local title = "Deny"
  client.handlers["window/showMessageRequest"] = function(_, params)
    table.insert(questions, params)
    for _, action in ipairs(params.actions) do
      if action.title == title then
        return action
      end
    end
    return vim.NIL
  end
  local function edit(from, to)
    return scenario.try_call(client, bufnr, "apply_edit", {
      path = ".vscode/settings.json",
      old_text = ('"a": %d'):format(from),
      new_text = ('"a": %d'):format(to),
    })
  end

  local _, trouble = edit(1, 2)
  scenario.equal(trouble.data.code, "E_DENIED", "a no")
  assert(questions[1].message:find(".vscode/settings.json", 1, true), "the question says what")
  title = "nobody is there"
  _, trouble = edit(1, 2)
  scenario.equal(trouble.data.code, "E_DENIED", "no answer")
  scenario.equal(scenario.on_disk(".vscode/settings.json"), '{"a": 1}\n', "nothing is changed")
  title = "Allow once"
  local result = edit(1, 2)
  scenario.equal(result and result.changed, true, "a yes")
  scenario.equal(scenario.on_disk(".vscode/settings.json"), '{"a": 2}\n', "it is done")
  scenario.equal(#questions, 3, "each call is asked about")
end)
