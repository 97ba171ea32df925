// Middleware: leaves features to other extensions that provide them, and blocks what must not be sent.
import type { Middleware } from "vscode-languageclient/node";
import type { CodeAction, CodeLens, Command, Diagnostic, Uri } from "vscode";
import * as vscode from "vscode";
import { languageOf } from "../language/coexistence";
import { sayMissing } from "./formatter";
import type { Feature, Plan } from "./link";

export function guards(plan: Plan): Middleware {
  const ours = (feature: Feature, document: { languageId: string }) =>
    plan.serves(feature, document);
  const language = (uri: Uri) => {
    const key = uri.toString();
    const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === key);
    const languageId = open?.languageId ?? languageOf(uri.path);
    return languageId === undefined ? undefined : { languageId };
  };
  const told = (uri: Uri, found: readonly Diagnostic[]) => {
    const own = plan.serves("diagnostics", language(uri));
    const checks = plan.serves("checks", language(uri));
    return found.filter((each) => (isOfCheck(each) ? checks : own || isConflict(each)));
  };
  return {
    provideCompletionItem: (document, position, context, token, next) =>
      ours("completion", document) ? next(document, position, context, token) : null,
    provideHover: (document, position, token, next) =>
      ours("hover", document) || blameIs("hover") ? next(document, position, token) : null,
    provideSignatureHelp: (document, position, context, token, next) =>
      ours("signatureHelp", document) ? next(document, position, context, token) : null,
    provideDefinition: (document, position, token, next) =>
      ours("navigation", document) ? next(document, position, token) : null,
    provideDeclaration: (document, position, token, next) =>
      ours("navigation", document) ? next(document, position, token) : null,
    provideTypeDefinition: (document, position, token, next) =>
      ours("navigation", document) ? next(document, position, token) : null,
    provideImplementation: (document, position, token, next) =>
      ours("navigation", document) ? next(document, position, token) : null,
    provideReferences: (document, position, options, token, next) =>
      ours("references", document) ? next(document, position, options, token) : null,
    provideDocumentHighlights: (document, position, token, next) =>
      ours("references", document) ? next(document, position, token) : null,
    prepareCallHierarchy: (document, position, token, next) =>
      ours("references", document) ? next(document, position, token) : null,
    prepareTypeHierarchy: (document, position, token, next) =>
      ours("references", document) ? next(document, position, token) : null,
    provideDocumentSymbols: (document, token, next) =>
      ours("symbols", document) ? next(document, token) : null,
    provideWorkspaceSymbols: (query, token, next) =>
      plan.serves("symbols", undefined) ? next(query, token) : null,
    prepareRename: (document, position, token, next) =>
      ours("rename", document) ? next(document, position, token) : null,
    provideRenameEdits: (document, position, name, token, next) =>
      ours("rename", document) ? next(document, position, name, token) : null,
    provideInlayHints: (document, range, token, next) =>
      ours("inlayHints", document) || blameIs("inlay") ? next(document, range, token) : null,
    provideCodeLenses: async (document, token, next) => {
      if (!ours("codeLens", document) && !blameIs("lens")) {
        return null;
      }
      const found = await next(document, token);
      return counts() ? found : found?.filter((lens) => !isCount(lens));
    },
    provideDocumentLinks: (document, token, next) =>
      ours("links", document) ? next(document, token) : null,
    provideDocumentSemanticTokens: (document, token, next) =>
      ours("syntax", document) ? next(document, token) : null,
    provideDocumentSemanticTokensEdits: (document, previous, token, next) =>
      ours("syntax", document) ? next(document, previous, token) : null,
    provideDocumentRangeSemanticTokens: (document, range, token, next) =>
      ours("syntax", document) ? next(document, range, token) : null,
    provideFoldingRanges: (document, context, token, next) =>
      ours("syntax", document) ? next(document, context, token) : null,
    provideSelectionRanges: (document, positions, token, next) =>
      ours("syntax", document) ? next(document, positions, token) : null,
    provideLinkedEditingRange: (document, position, token, next) =>
      ours("syntax", document) ? next(document, position, token) : null,
    provideDocumentColors: (document, token, next) =>
      ours("syntax", document) ? next(document, token) : null,
    provideColorPresentations: (color, context, token, next) =>
      ours("syntax", context.document) ? next(color, context, token) : null,
    // A formatter is a program, so none is requested in an untrusted workspace.
    provideDocumentFormattingEdits: (document, options, token, next) =>
      formatted(() => next(document, options, token)),
    provideDocumentRangeFormattingEdits: (document, range, options, token, next) =>
      formatted(() => next(document, range, options, token)),
    provideDocumentRangesFormattingEdits: (document, ranges, options, token, next) =>
      formatted(() => next(document, ranges, options, token)),
    provideInlineValues: (document, range, context, token, next) =>
      ours("inlineValues", document) ? next(document, range, context, token) : null,
    provideOnTypeFormattingEdits: (document, position, typed, options, token, next) =>
      ours("syntax", document) ? next(document, position, typed, options, token) : null,
    provideCodeActions: async (document, range, context, token, next) => {
      const found = await next(document, range, context, token);
      const fixes = ours("checks", document);
      return ours("codeActions", document)
        ? found
        : found?.filter((action) => isOfGit(action) || (fixes && isFixOfCheck(action)));
    },
    // The server runs linters and type checkers then, which a workspace may bring itself.
    didSave: (document, next) =>
      vscode.workspace.isTrusted && ours("checks", document) ? next(document) : Promise.resolve(),
    handleDiagnostics: (uri, diagnostics, next) => next(uri, told(uri, diagnostics)),
    provideDiagnostics: async (document, previous, token, next) => {
      const report = await next(document, previous, token);
      if (report && "items" in report) {
        const uri = "uri" in document ? document.uri : document;
        report.items = told(uri, report.items);
      }
      return report;
    },
    // The client's reports bypass `provideWorkspaceDiagnostics`, so they are filtered here, as a whole.
    sendRequest: async (type, param, token, next) => {
      const method = typeof type === "string" ? type : type.method;
      if (method !== "workspace/diagnostic") {
        return next(type, param, token);
      }
      const whole = { ...param, partialResultToken: undefined } as typeof param;
      const report = await next(type, whole, token);
      for (const each of (report as Told | null)?.items ?? []) {
        each.items = each.items && told(vscode.Uri.parse(each.uri), each.items);
      }
      return report;
    },
    executeCommand: (command, args, next) => {
      const why = plan.refuses(command);
      if (why !== undefined) {
        throw new Error(why);
      }
      return next(command, args);
    },
  };
}

/** Requests formatting if programs may run, and reports a missing formatter. */
async function formatted(
  next: () => vscode.ProviderResult<vscode.TextEdit[]>,
): Promise<vscode.TextEdit[] | null | undefined> {
  if (!vscode.workspace.isTrusted) {
    return null;
  }
  try {
    return await next();
  } catch (error) {
    if (sayMissing(error)) {
      return null;
    }
    throw error;
  }
}

/** The fields of a workspace report that are read. */
interface Told {
  items: { uri: string; items?: Diagnostic[] | undefined }[];
}

/** Conflict markers come from git, whichever server supports the language. */
function isConflict(diagnostic: Diagnostic): boolean {
  return diagnostic.code === "merge-conflict";
}

/** The server's own diagnostics have its name; those of linters and compilers have theirs. */
function isOfCheck({ source }: Diagnostic): boolean {
  return source !== undefined && source !== "tandem";
}

function isFixOfCheck(action: CodeAction | Command): boolean {
  return "diagnostics" in action && action.diagnostics?.some(isOfCheck) === true;
}

function isOfGit(action: CodeAction | Command): boolean {
  const kind = "kind" in action ? action.kind : undefined;
  const about = "diagnostics" in action ? action.diagnostics : undefined;
  return kind?.value.startsWith("git.") === true || about?.some(isConflict) === true;
}

/** Whether lenses count references and implementations. */
export function counts(): boolean {
  return vscode.workspace.getConfiguration("tandem").get("lens.counts", false);
}

/** A lens that counts says what in `data.counts` (docs/protocol.md); other lenses are complete. */
function isCount(lens: CodeLens): boolean {
  const { data } = lens as { data?: { counts?: unknown } };
  return typeof data?.counts === "string";
}

function blameIs(where: "lens" | "inlay" | "hover"): boolean {
  return vscode.workspace.getConfiguration("tandem.git.blame").get<boolean>(where, false);
}

