-- Handlers of the server's messages. Each loads its file when first needed.
local M = {}

M["tandem/didChangeHunks"] = function(_, params)
  require("tandem.hunks").show(params)
end

M["tandem/didCallTool"] = function(_, params, context)
  require("tandem.edits").called(params, context.client_id)
  require("tandem.activity").told(params)
end

M["tandem/didStop"] = function(_, params, context)
  require("tandem.debug").stopped(params, context.client_id)
end

M["tandem/didContinue"] = function(_, params, context)
  require("tandem.debug").continued(params, context.client_id)
end

M["tandem/didExit"] = function(_, params, context)
  require("tandem.debug").exited(params, context.client_id)
end

M["tandem/didOutput"] = function(_, params)
  require("tandem.debug").wrote(params)
end

M["experimental/serverStatus"] = function(_, params, context)
  require("tandem.status").told(params, context.client_id)
end

-- Neovim does not check the version of a document that has not changed since it was opened, so an edit
-- of the old text would be applied to newer text.
M["workspace/applyEdit"] = function(error, params, context)
  for _, change in ipairs(params and params.edit.documentChanges or {}) do
    local document = change.textDocument
    local version = document and type(document.version) == "number" and document.version
    local bufnr = document and vim.fn.bufadd(vim.uri_to_fname(document.uri))
    local current = version and vim.lsp.util.buf_versions[bufnr]
    if current and current ~= version then
      local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
      return { applied = false, failureReason = name .. " has changed meanwhile" }
    end
  end
  local answer = vim.lsp.handlers["workspace/applyEdit"](error, params, context)
  if answer and answer.applied then
    require("tandem.edits").made(params.edit.documentChanges or {})
  end
  return answer
end

M["tandem/review"] = function(_, params, context)
  return require("tandem.review").asked(params, context)
end

M["window/showMessageRequest"] = function(_, params, context)
  return require("tandem.questions").asked(params, context)
end

-- A cancelled question. Neovim does not report which one: if a server has several open, they stay, and
-- the answer to the cancelled one is ignored.
M["$/cancelRequest"] = function(_, _, context)
  local id = context.client_id
  local review, questions = require("tandem.review"), require("tandem.questions")
  if review.count(id) + questions.count(id) == 1 then
    review.ended(id)
    questions.ended(id)
  end
end

return M
