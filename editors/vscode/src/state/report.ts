// Builds the report of the editor state (`tandem/didChangeEditorState`).

export interface Position {
  line: number;
  character: number;
}

export interface Span {
  start: Position;
  end: Position;
}

export interface Report {
  activeUri?: string;
  tabs: { uri: string; dirty: boolean }[];
  activeTab?: number;
  selections?: Span[];
  visible: { uri: string; range: Span }[];
  version?: number;
}

/** An editor's state, in plain values. */
export interface Seen {
  tabs: { uri: string; dirty: boolean; active: boolean }[];
  active?: { uri: string; version: number; selections: { anchor: Position; active: Position }[] };
  visible: { uri: string; ranges: Span[] }[];
}

/** URI schemes of reported documents. */
const TOLD = ["file:", "untitled:"];

/** The server's limit. */
const MOST = { tabs: 2_000, selections: 1_000, visible: 1_000 };

export function report(seen: Seen): Report {
  const isTold = ({ uri }: { uri: string }) => TOLD.some((scheme) => uri.startsWith(scheme));
  const tabs = seen.tabs.filter(isTold).slice(0, MOST.tabs);
  const activeTab = tabs.findIndex((tab) => tab.active);
  const active = seen.active && isTold(seen.active) ? seen.active : undefined;
  const visible = seen.visible
    .filter(isTold)
    .flatMap(({ uri, ranges }) => ranges.map((range) => ({ uri, range })));
  return {
    tabs: tabs.map(({ uri, dirty }) => ({ uri, dirty })),
    visible: visible.slice(0, MOST.visible),
    ...(activeTab >= 0 && { activeTab }),
    ...(active && {
      activeUri: active.uri,
      version: active.version,
      // If there are too many, none are reported: a part would be a wrong answer.
      ...(active.selections.length <= MOST.selections && {
        // The cursor is the selection's end, in whichever direction it was made.
        selections: active.selections.map(({ anchor, active: cursor }) => ({ start: anchor, end: cursor })),
      }),
    }),
  };
}
