-- An AI plugin in small: proposes a change of several files, shows what it would do, asks, applies it
-- as one step, and takes it back.
local tools = require("tandem.generated.tools")

local M = {}

---@param edits table[] As `apply_edit` takes them: { { path = ..., patches = { ... } }, ... }
---@param done fun(action: string?, error: tandem.ToolError?) The action's number, once it is made.
function M.propose(edits, done)
  coroutine.wrap(function()
    -- The files as they are now: what is applied later must be what is shown.
    local wanted = {}
    for _, edit in ipairs(edits) do
      local now, trouble = tools.get_file_info({ path = edit.path })
      if not now then
        return done(nil, trouble)
      end
      -- Of an open file, what is not saved counts.
      local hash = now.buffer and now.buffer.hash or now.hash
      table.insert(wanted, vim.tbl_extend("force", edit, { expected_hash = hash }))
    end
    -- Everything is matched, and nothing changes.
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

---Takes a change back, in all its files.
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
