-- Tool calls: events while they run, the list, and undo.
local M = {}

---@class tandem.Activity
---@field id string
---@field tool string
---@field title string
---@field state "running"|"done"|"failed"|"denied"
---@field started integer Milliseconds since 1970.
---@field duration_ms? number
---@field files string[]
---@field action? string The id for `undo_action`.
---@field error? string

-- Limit of listed calls.
local MOST = 100

---Called when a call begins or ends.
---@param call tandem.Activity
function M.told(call)
  vim.api.nvim_exec_autocmds("User", { pattern = "TandemActivity", modeline = false, data = call })
end

local MARKS = { running = "…", done = "✓", failed = "✗", denied = "⊘" }

local function line(call)
  local took = call.duration_ms and (" %d ms"):format(call.duration_ms) or ""
  local why = call.error and "  " .. call.error or ""
  local undo = call.action and (" (action %s)"):format(call.action) or ""
  local at = os.date("%H:%M:%S", math.floor(call.started / 1000))
  local text = ("%s %s %s%s%s%s"):format(MARKS[call.state], at, call.title, took, undo, why)
  return (text:gsub("%s+", " "))
end

---Lists the recorded calls in a buffer: `<CR>` goes to the file, `u` undoes the call.
function M.list()
  local client = require("tandem.client").client()
  if not client then
    return require("tandem.client").say("no server is attached", vim.log.levels.WARN)
  end
  local compat = require("tandem.compat")
  compat.client(client, "request", "tandem/activity", { limit = MOST }, function(trouble, answer)
    if trouble then
      return require("tandem.client").say(trouble.message, vim.log.levels.ERROR)
    end
    local calls = answer.calls
    local lines = vim.tbl_map(line, calls)
    local bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, #lines > 0 and lines or { "nothing yet" })
    vim.bo[bufnr].modifiable = false
    vim.bo[bufnr].bufhidden = "wipe"
    vim.bo[bufnr].filetype = "tandem-activity"
    pcall(vim.api.nvim_buf_set_name, bufnr, "tandem activity")
    vim.cmd("botright 12split")
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.wo.number = false
    vim.wo.relativenumber = false
    local function at_cursor()
      return calls[vim.api.nvim_win_get_cursor(0)[1]]
    end
    vim.keymap.set("n", "<CR>", function()
      local call = at_cursor()
      if call and call.files[1] then
        vim.cmd.wincmd("p")
        vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(call.files[1])))
      end
    end, { buffer = bufnr, desc = "Go to the file" })
    vim.keymap.set("n", "u", function()
      local call = at_cursor()
      if call and call.action then
        M.undo(call.action, client)
      end
    end, { buffer = bufnr, desc = "Take the call back" })
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, nowait = true })
  end)
end

---Lets the person choose what to do with files that were changed after an action.
---@param conflicts {path: string, can_merge: boolean}[]
---@param chosen fun(how: "skip"|"merge")
local function offer(conflicts, chosen)
  local paths, can_merge = {}, true
  for _, conflict in ipairs(conflicts) do
    table.insert(paths, conflict.path)
    can_merge = can_merge and conflict.can_merge
  end
  local choices = { { "Undo the other files", "skip" }, { "Undo nothing" } }
  if can_merge then
    table.insert(choices, 1, { "Undo, and keep what was changed after it", "merge" })
  end
  vim.ui.select(choices, {
    prompt = "Changed after the action: " .. table.concat(paths, ", "),
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    if choice and choice[2] then
      chosen(choice[2])
    end
  end)
end

---Undoes an action; without a number the last one that changed something.
---@param action? string
---@param of? vim.lsp.Client The action's server; by default the current buffer's.
---@param how? "skip"|"merge" What to do with files that were changed after it; asks by default.
function M.undo(action, of, how)
  local client = require("tandem.client")
  of = of or client.client()
  local tools = require("tandem.generated.tools")
  local function undo(number, on_conflict)
    tools.undo_action({ action = number, on_conflict = on_conflict }, {
      client = of,
      on_done = function(error, result)
        local details = error and error.details
        if
          error
          and error.code == "E_CONFLICT"
          and not on_conflict
          and (details or {}).conflicts
        then
          return offer(details.conflicts, function(how)
            undo(number, how)
          end)
        end
        if error then
          return client.say(error.message, vim.log.levels.ERROR)
        end
        require("tandem.edits").forget(number)
        local kept = result.skipped or {}
        local rest = #kept > 0 and ("; unchanged: " .. table.concat(kept, ", ")) or ""
        client.say(("action %s is undone%s"):format(number, rest))
      end,
    })
  end
  if action then
    return undo(action, how)
  end
  tools.get_action_history({ limit = 20 }, {
    client = of,
    on_done = function(error, result)
      if error then
        return client.say(error.message, vim.log.levels.ERROR)
      end
      for _, one in ipairs(result.actions or {}) do
        local is_undo = one.undoes ~= nil and one.undoes ~= vim.NIL
        if one.state == "done" and one.undoable and not is_undo then
          return undo(one.id)
        end
      end
      client.say("there is nothing to undo")
    end,
  })
end

return M
