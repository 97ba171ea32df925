-- A small AI plugin: proposes a change of several files, shows the diff, asks, applies it in one step,
-- and undoes it.
local tools = require("tandem.generated.tools")

local M = {}

---@param edits table[] Of `apply_edit`: { { path = ..., patches = { ... } }, ... }
---@param done fun(action: string?, error: tandem.ToolError?) Receives the action's id when it is applied.
function M.propose(edits, done)
  coroutine.wrap(function()
    -- The current hashes: what is applied later must be what is shown.
    local wanted = {}
    for _, edit in ipairs(edits) do
      local now, trouble = tools.get_file_info({ path = edit.path })
      if not now then
        return done(nil, trouble)
      end
      -- For an open file this is the unsaved text.
      local hash = now.buffer and now.buffer.hash or now.hash
      table.insert(wanted, vim.tbl_extend("force", edit, { expected_hash = hash }))
    end
    -- A dry run matches everything and changes nothing.
    local plan, error = tools.apply_edit({ edits = wanted, dry_run = true })
    if not plan then
      return done(nil, error)
    end
    local lines = {}
    for _, file in ipairs(plan.files) do
      vim.list_extend(lines, vim.split(vim.trim(file.diff), "\n"))
    end
    local winid = M.show(lines)
    vim.ui.select({ "Apply", "Leave it" }, { prompt = "Apply this change?" }, function(choice)
      if vim.api.nvim_win_is_valid(winid) then
        vim.api.nvim_win_close(winid, true)
      end
      if choice ~= "Apply" then
        return done(nil, nil)
      end
      tools.apply_edit({ edits = wanted }, {
        on_done = function(trouble, result)
          done(result and result.action, trouble)
        end,
      })
    end)
  end)()
end

---Undoes a change in all its files.
---@param action string
function M.undo(action)
  return tools.undo_action({ action = action })
end

---@param lines string[]
---@return integer winid
function M.show(lines)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "diff"
  return vim.api.nvim_open_win(bufnr, false, {
    relative = "editor",
    row = 1,
    col = 2,
    width = math.max(20, vim.o.columns - 6),
    height = math.max(3, math.min(#lines, vim.o.lines - 6)),
    border = "rounded",
    title = " Proposed ",
  })
end

return M
