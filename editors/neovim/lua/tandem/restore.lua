-- Restores what a person had turned on for a buffer; Neovim forgets it when the server ends.
local M = {}

---@class tandem.Shown
---@field hints boolean
---@field lenses boolean

---@type table<integer, tandem.Shown> For buffers whose server has ended.
local shown = {}

---Records what a buffer shows, before its server is detached.
---@param bufnr integer
function M.keep(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local lenses = vim.lsp.codelens
  shown[bufnr] = {
    hints = vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }),
    -- Since 0.12 lenses are enabled for a buffer; before, they had to be requested.
    lenses = not lenses.enable and #lenses.get(bufnr) > 0,
  }
end

---Restores it when another server is attached.
---@param bufnr integer
function M.bring_back(bufnr)
  local own = shown[bufnr]
  shown[bufnr] = nil
  if not own or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  if own.hints then
    -- If they are already enabled, Neovim would not request them again.
    vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if own.lenses then
    -- A request that the last server never answered would prevent new ones.
    vim.lsp.codelens.on_codelens({ message = "the server has ended" }, nil, { bufnr = bufnr })
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end
end

return M
