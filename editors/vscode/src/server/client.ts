// The language client, in a bundle of its own so that activation does not load it.
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";
import { CloseAction, ErrorAction, RevealOutputChannelOn } from "vscode-languageclient/node";
import * as vscode from "vscode";
import type { Link, Plan } from "./link";
import { Asked } from "./asked";
import { Formatting } from "./formatting";
import { guards } from "./guards";

/** Capabilities of this client beyond LSP. */
const EXPERIMENTAL = {
  hunks: true,
  activity: true,
  review: true,
  // Nothing runs in an untrusted workspace, see `refusal`.
  workspaceTrust: true,
  debug: true,
  serverStatusNotification: true,
  commands: {
    commands: ["tandem.showReferences", "tandem.debug", "tandem.rename", "tandem.run"],
  },
};

/** Errors are not handled here: `Server` reports them once. */
class QuietClient extends LanguageClient {
  failed: (message: string) => void = () => {};

  override error(message: string, data?: unknown): void {
    const why = data instanceof Error ? data.message : typeof data === "string" ? data : undefined;
    this.failed(why === undefined ? message : `${message} ${why}`);
  }
}

/** Starts a server and waits for `initialize`. */
export async function connect(plan: Plan): Promise<Link> {
  const asked = new Asked();
  const options: LanguageClientOptions = {
    // Every document, because tools edit open documents of any language through the editor.
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    outputChannel: plan.output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: plan.options,
    synchronize: { configurationSection: "tandem" },
    middleware: guards(plan),
    markdown: { isTrusted: false, supportHtml: false },
    connectionOptions: {
      messageStrategy: {
        handleMessage: (message, next) => {
          // The client library has no middleware for it.
          const { method, params } = message as { method?: string; params?: unknown };
          if (method === "workspace/applyEdit") {
            plan.applies(params);
          }
          next(message);
        },
      },
    },
    errorHandler: {
      error: (_error, _message, count) => ({
        action: (count ?? 0) < 4 ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: async () => {
        asked.lost();
        const wait = plan.died();
        if (wait === undefined) {
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
        return { action: CloseAction.Restart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
  };
  const executable = {
    command: plan.program,
    args: ["lsp", "--stdio"],
    options: { env: plan.env, cwd: plan.cwd },
  };
  const client = new QuietClient("tandem", "Tandem", executable, options);
  client.failed = plan.failed;
  const formatting = new Formatting(client);
  const configured = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("tandem.lens")) {
      const feature = client.getFeature("textDocument/codeLens");
      const providers = vscode.workspace.textDocuments.map((each) => feature.getProvider(each));
      new Set(providers).forEach((each) => each?.onDidChangeCodeLensEmitter.fire());
    }
  });
  client.registerFeature({
    preInitialize: (capabilities) => {
      // Registered by language, see `Formatting`.
      delete capabilities.documentFormattingProvider;
      delete capabilities.documentRangeFormattingProvider;
    },
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental ?? {}), ...EXPERIMENTAL };
    },
    initialize: () => {},
    getState: () => ({ kind: "static" }),
    clear: () => {},
  });
  for (const [method, handler] of plan.notifications) {
    client.onNotification(method, handler);
  }
  for (const [method, handler] of plan.requests) {
    client.onRequest(method, asked.handle(handler));
  }
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) {
      formatting.begin();
    } else {
      asked.lost();
    }
    plan.changed(PHASES[newState]);
  });
  await client.start();
  return {
    get answer() {
      return client.initializeResult;
    },
    request: (method, params, token) =>
      token ? client.sendRequest(method, params, token) : client.sendRequest(method, params),
    notify: (method, params) => {
      // Everything that depends on the state is sent again after a restart.
      if (client.state === State.Running) {
        client.sendNotification(method, params).catch(() => {});
      }
    },
    stop: async () => {
      if (client.state !== State.Stopped) {
        await client.stop(2_000).catch(() => {});
      }
      formatting.dispose();
      configured.dispose();
      await client.dispose().catch(() => {});
    },
  };
}

const PHASES = {
  [State.Starting]: "starting",
  [State.Running]: "running",
  [State.Stopped]: "stopped",
} as const;

