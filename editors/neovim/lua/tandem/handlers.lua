-- What the server says and asks, each handed to its own file when it first comes.
local M = {}

M["tandem/didChangeHunks"] = function(_, params)
  require("tandem.hunks").show(params)
end

M["tandem/didCallTool"] = function(_, params)
  require("tandem.activity").told(params)
end

M["experimental/serverStatus"] = function(_, params, context)
  require("tandem.status").told(params, context.client_id)
end

M["tandem/review"] = function(_, params, context)
  return require("tandem.review").asked(params, context)
end

M["window/showMessageRequest"] = function(_, params, context)
  return require("tandem.questions").asked(params, context)
end

-- A question that nobody waits for any more. Neovim does not tell which: where several are open,
-- they stay, and answers to the one that was taken back are ignored.
M["$/cancelRequest"] = function()
  require("tandem.review").taken_back()
  require("tandem.questions").taken_back()
end

return M
