// Checks that each feature of the server has a guard, which leaves a language to its own extension:
// `node scripts/guards.mjs TANDEM`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The middleware of the client for each of the server's capabilities. */
const GUARDS = {
  callHierarchyProvider: ["prepareCallHierarchy"],
  codeActionProvider: ["provideCodeActions"],
  codeLensProvider: ["provideCodeLenses"],
  colorProvider: ["provideDocumentColors", "provideColorPresentations"],
  completionProvider: ["provideCompletionItem"],
  declarationProvider: ["provideDeclaration"],
  definitionProvider: ["provideDefinition"],
  diagnosticProvider: ["provideDiagnostics", "sendRequest"],
  documentFormattingProvider: ["provideDocumentFormattingEdits"],
  documentHighlightProvider: ["provideDocumentHighlights"],
  documentLinkProvider: ["provideDocumentLinks"],
  documentOnTypeFormattingProvider: ["provideOnTypeFormattingEdits"],
  documentRangeFormattingProvider: ["provideDocumentRangeFormattingEdits"],
  documentSymbolProvider: ["provideDocumentSymbols"],
  executeCommandProvider: ["executeCommand"],
  foldingRangeProvider: ["provideFoldingRanges"],
  hoverProvider: ["provideHover"],
  implementationProvider: ["provideImplementation"],
  inlayHintProvider: ["provideInlayHints"],
  inlineValueProvider: ["provideInlineValues"],
  linkedEditingRangeProvider: ["provideLinkedEditingRange"],
  referencesProvider: ["provideReferences"],
  renameProvider: ["provideRenameEdits", "prepareRename"],
  selectionRangeProvider: ["provideSelectionRanges"],
  semanticTokensProvider: ["provideDocumentSemanticTokens", "provideDocumentRangeSemanticTokens"],
  signatureHelpProvider: ["provideSignatureHelp"],
  typeDefinitionProvider: ["provideTypeDefinition"],
  typeHierarchyProvider: ["prepareTypeHierarchy"],
  workspaceSymbolProvider: ["provideWorkspaceSymbols"],
};

/** The server's capabilities in its answer to this client. */
function capabilities(program) {
  const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const client = { textDocument: { diagnostic: { relatedDocumentSupport: true } } };
  const params = {
    ...{ processId: process.pid, capabilities: client },
    rootUri: pathToFileURL(import.meta.dirname).href,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  let text = "";
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
    server.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      const length = Number(/^Content-Length: (\d+)/m.exec(text)?.[1]);
      const start = text.indexOf("\r\n\r\n") + 4;
      const bytes = Buffer.from(text.slice(start));
      if (start > 3 && bytes.length >= length) {
        server.removeAllListeners("exit");
        server.kill();
        resolve(JSON.parse(bytes.subarray(0, length).toString()).result.capabilities);
      }
    });
  });
}

const [program] = process.argv.slice(2);
const guards = readFileSync(new URL("../src/server/guards.ts", import.meta.url), "utf8");
const offered = Object.entries(await capabilities(program)).filter(
  ([name, value]) => name.endsWith("Provider") && value,
);
const missing = offered.flatMap(([name]) => {
  const needed = GUARDS[name] ?? [`${name}, which scripts/guards.mjs does not know`];
  return needed.filter((guard) => !new RegExp(`^    ${guard}: `, "m").test(guards));
});
if (missing.length > 0) {
  console.error(`src/server/guards.ts has no guard for ${missing.join(", ")}`);
  process.exitCode = 1;
} else {
  console.log(`guards: each of ${offered.length} features has its own`);
}
