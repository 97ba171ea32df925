-- Signs where a buffer differs from git's index, as the server tells them, and `:Tandem` for the
-- hunk or conflict at the cursor.
local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.hunks")

local SIGNS = {
  added = { text = "┃", highlight = "Added" },
  changed = { text = "┃", highlight = "Changed" },
  removed = { text = "▁", highlight = "Removed" },
}

-- What `:Tandem` does: the kind of code action, and how its title begins.
local ACTIONS = {
  stage = { kind = "git.stage" },
  unstage = { kind = "git.unstage" },
  revert = { kind = "git.revert" },
  ours = { kind = "quickfix", title = "Take our side" },
  theirs = { kind = "quickfix", title = "Take their side" },
  both = { kind = "quickfix", title = "Take both sides" },
}

-- The hunks of a buffer as they were told last, for statuslines and motions.
---@type table<integer, table>
M.told = {}

-- What the client's capabilities need for being told of hunks.
M.capabilities = { experimental = { hunks = true } }

local function sign(bufnr, line, kind, is_staged)
  local shown = SIGNS[kind]
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  vim.api.nvim_buf_set_extmark(bufnr, namespace, math.max(math.min(line, last), 0), 0, {
    sign_text = shown.text,
    sign_hl_group = is_staged and "Comment" or shown.highlight,
    -- What is not staged is shown before what is.
    priority = is_staged and 5 or 6,
  })
end

local function place(bufnr, hunks, is_staged)
  for _, hunk in ipairs(hunks) do
    local first, after = hunk.range.start.line, hunk.range["end"].line
    if hunk.kind == "removed" then
      sign(bufnr, first - 1, "removed", is_staged)
    end
    for line = first, after - 1 do
      sign(bufnr, line, hunk.kind, is_staged)
    end
  end
end

-- Shows what the server tells of a buffer; what it tells of another state of it is passed over.
function M.show(params)
  local name = vim.uri_to_fname(params.uri)
  local bufnr = vim.fn.bufnr("^" .. vim.fn.escape(name, "\\*?[]{}~.^$,") .. "$")
  if bufnr < 0 or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local version = vim.lsp.util.buf_versions[bufnr]
  if version and version ~= params.version then
    return
  end
  M.told[bufnr] = params
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  place(bufnr, params.staged, true)
  place(bufnr, params.hunks, false)
end

-- Does one of `ACTIONS` at the cursor.
function M.act(name)
  local action = ACTIONS[name]
  if not action then
    vim.notify("tandem: there is no action `" .. name .. "`", vim.log.levels.ERROR)
    return
  end
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { action.kind }, diagnostics = {} },
    filter = function(found)
      return vim.startswith(found.title, action.title or "")
    end,
  })
end

-- Shows signs from now on, and makes the command.
function M.enable()
  vim.lsp.handlers["tandem/didChangeHunks"] = function(_, params)
    M.show(params)
  end
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = vim.api.nvim_create_augroup("tandem.hunks", {}),
    callback = function(event)
      M.told[event.buf] = nil
    end,
  })
  vim.api.nvim_create_user_command("Tandem", function(command)
    M.act(command.args)
  end, {
    nargs = 1,
    complete = function()
      local names = vim.tbl_keys(ACTIONS)
      table.sort(names)
      return names
    end,
    desc = "Stage, unstage or revert the hunk at the cursor, or settle the conflict there",
  })
end

return M
