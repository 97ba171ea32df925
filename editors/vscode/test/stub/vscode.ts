// What the unit tests need of the editor: the parts of its API that hold no window.

type Listener<T> = (value: T) => unknown;

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((each) => each.dispose()));
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(value: T): void {
    [...this.listeners].forEach((listener) => listener(value));
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };

  cancel(): void {
    if (!this.token.isCancellationRequested) {
      this.token.isCancellationRequested = true;
      this.cancelled.fire();
    }
  }

  dispose(): void {
    this.cancelled.dispose();
  }
}

/** Of `file:///path` only; written as the editor writes it, with more quoted than need be. */
export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}

  static parse(text: string): Uri {
    const [, scheme = "", path = ""] = /^([\w-]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
    return new Uri(scheme, decodeURIComponent(path));
  }

  static file(path: string): Uri {
    return new Uri("file", path);
  }

  static joinPath({ scheme, path }: Uri, below: string): Uri {
    return new Uri(scheme, `${path}/${below}`);
  }

  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    const quoted = encodeURIComponent(this.path).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    const slashes = this.scheme === "file" ? "//" : "";
    return `${this.scheme}:${slashes}${quoted.replaceAll("%2F", "/")}`;
  }
}

export const QuickPickItemKind = { Separator: -1, Default: 0 };

/** The person's settings, by their whole names. */
export const settings = new Map<string, unknown>();
const configured = new EventEmitter<{ affectsConfiguration(name: string): boolean }>();

/** Changes a setting as the person does. */
export function configure(name: string, value: unknown): void {
  settings.set(name, value);
  configured.fire({ affectsConfiguration: (other) => name === other || name.startsWith(`${other}.`) });
}

interface Folder {
  uri: Uri;
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Location {
  constructor(
    readonly uri: Uri,
    readonly range: Position,
  ) {}
}

export class TestMessage {
  location: Location | undefined;
  expectedOutput: string | undefined;
  actualOutput: string | undefined;

  constructor(readonly message: string) {}

  static diff(message: string, expected: string, actual: string): TestMessage {
    return Object.assign(new TestMessage(message), {
      expectedOutput: expected,
      actualOutput: actual,
    });
  }
}

export class TestTag {
  constructor(readonly id: string) {}
}

export const workspace = {
  findFiles: async (_pattern: string): Promise<Uri[]> => [],
  asRelativePath: ({ path }: Uri) => path,
  isTrusted: true,
  workspaceFolders: undefined as Folder[] | undefined,
  textDocuments: [],
  onDidChangeConfiguration: configured.event,
  getConfiguration: (section?: string) => ({
    get: (name: string, otherwise?: unknown) =>
      settings.get(section === undefined ? name : `${section}.${name}`) ?? otherwise,
  }),
  getWorkspaceFolder: ({ path }: Uri) =>
    workspace.workspaceFolders?.find(({ uri }) => path.startsWith(`${uri.path}/`)),
};

/** Messages that were shown, in order. */
export const messages: string[] = [];

const show = async (text: string): Promise<undefined> => {
  messages.push(text);
};

export const window = {
  createOutputChannel: () => ({ appendLine: () => {}, show: () => {}, dispose: () => {} }),
  showErrorMessage: show,
  showWarningMessage: show,
  showInformationMessage: show,
  activeTextEditor: undefined,
  tabGroups: { all: [], close: async () => true },
};

export const env = { clipboard: { writeText: async () => {} } };

export const commands = { executeCommand: async () => undefined };

export const extensions = { getExtension: () => undefined };
