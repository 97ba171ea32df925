// Runs in a world of its own in every frame: pages can neither see nor change it.
(() => {
  if (globalThis.tandem) return;
  const refs = new Map();
  const ids = new WeakMap();
  let last = 0;

  const refOf = (element) => {
    let id = ids.get(element);
    if (!id) {
      id = ++last;
      ids.set(element, id);
      refs.set(id, new WeakRef(element));
    }
    return id;
  };
  const byRef = (id) => {
    const element = refs.get(id)?.deref();
    return element?.isConnected ? element : null;
  };

  const clean = (text) => text.replace(/\s+/g, " ").trim();
  const clip = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);
  const tagOf = (element) => element.localName;
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode()?.host ?? null;

  /// The nodes that are drawn inside an element: those of its shadow root, or of what fills a slot.
  const childrenOf = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (tagOf(element) === "slot") {
      const assigned = element.assignedNodes();
      if (assigned.length) return assigned;
    }
    return element.childNodes;
  };

  const isRendered = (element) =>
    element.checkVisibility() || getComputedStyle(element).display === "contents";
  const isVisible = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const isDisabled = (element) =>
    element.matches(":disabled") || element.closest("[aria-disabled=true]") !== null;

  // ---- Roles and names -------------------------------------------------------------------------

  const INPUT_ROLES = {
    button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
    range: "slider", number: "spinbutton", search: "searchbox", file: "file", color: "color", date: "date",
    "datetime-local": "date", month: "date", week: "date", time: "date",
  };
  const TAG_ROLES = {
    article: "article", aside: "complementary", audio: "audio", blockquote: "blockquote", button: "button",
    code: "code", dd: "definition", details: "group", dialog: "dialog", dl: "list", dt: "term", fieldset: "group",
    figure: "figure", form: "form", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading",
    h6: "heading", hr: "separator", iframe: "iframe", li: "listitem", main: "main", menu: "list", meter: "meter",
    nav: "navigation", ol: "list", optgroup: "group", option: "option", output: "status", p: "paragraph",
    progress: "progressbar", summary: "button", table: "table", td: "cell", textarea: "textbox",
    th: "columnheader", tr: "row", ul: "list", video: "video",
  };
  const INTERACTIVE = new Set([
    "button", "link", "checkbox", "radio", "switch", "slider", "spinbutton", "searchbox", "textbox", "combobox",
    "listbox", "option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "file", "color",
    "date", "iframe", "clickable", "video", "audio",
  ]);
  const NAMED_BY_CONTENT = new Set([
    "button", "link", "checkbox", "radio", "switch", "option", "menuitem", "menuitemcheckbox", "menuitemradio",
    "tab", "treeitem", "heading", "cell", "columnheader", "rowheader", "gridcell", "tooltip", "clickable", "term",
  ]);

  const roleOf = (element) => {
    const given = element.getAttribute("role")?.trim().split(/\s+/)[0];
    if (given && given !== "presentation" && given !== "none") return given;
    if (given) return "";
    const tag = tagOf(element);
    switch (tag) {
      case "a": case "area": return element.hasAttribute("href") ? "link" : clickable(element);
      case "input": return INPUT_ROLES[element.type] ?? (element.hasAttribute("list") ? "combobox" : "textbox");
      case "select": return element.multiple || element.size > 1 ? "listbox" : "combobox";
      case "img": return element.getAttribute("alt") === "" ? "" : "img";
      case "svg": return element.querySelector(":scope > title") || element.hasAttribute("aria-label") ? "img" : "";
      case "header": return element.closest("article,aside,main,nav,section") ? "" : "banner";
      case "footer": return element.closest("article,aside,main,nav,section") ? "" : "contentinfo";
      case "section": return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") ? "region" : "";
    }
    return TAG_ROLES[tag] ?? clickable(element);
  };
  const clickable = (element) => {
    if (element.isContentEditable && !element.parentElement?.isContentEditable) return "textbox";
    return element.hasAttribute("onclick") || (element.hasAttribute("tabindex") && element.tabIndex >= 0) ? "clickable" : "";
  };

  /// The text that a reader of an element reads.
  const textOf = (element, most = 400) => {
    let text = "";
    const walk = (node) => {
      if (text.length > most) return;
      if (node.nodeType === Node.TEXT_NODE) {
        text += node.data;
      } else if (node.nodeType === Node.ELEMENT_NODE) {
        const tag = tagOf(node);
        if (tag === "script" || tag === "style" || tag === "noscript" || tag === "template") return;
        if (node.getAttribute("aria-hidden") === "true" || !isRendered(node)) return;
        const label = node.getAttribute("aria-label") ?? (tag === "img" ? node.alt : null);
        if (label) {
          text += ` ${label} `;
          return;
        }
        const isBlock = tag !== "span" && tag !== "b" && tag !== "i" && tag !== "em" && tag !== "strong" && tag !== "a" && tag !== "code";
        if (isBlock) text += " ";
        for (const child of childrenOf(node)) walk(child);
        if (isBlock) text += " ";
      }
    };
    for (const child of childrenOf(element)) walk(child);
    return clean(text);
  };
  const textOfIds = (element, attribute) => {
    const root = element.getRootNode();
    const texts = (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean).map((id) => {
      const other = root.getElementById?.(id);
      return other ? other.getAttribute("aria-label") ?? (textOf(other) || clean(other.textContent)) : "";
    });
    return clean(texts.join(" "));
  };

  const nameOf = (element, role) => {
    const given = textOfIds(element, "aria-labelledby") || clean(element.getAttribute("aria-label") ?? "");
    if (given) return given;
    const tag = tagOf(element);
    if (tag === "input" && role === "button") {
      return clean(element.value || element.alt || { submit: "Submit", reset: "Reset" }[element.type] || "");
    }
    if (element.labels?.length) {
      const label = clean([...element.labels].map((label) => labelText(label, element)).join(" "));
      if (label) return label;
    }
    if (tag === "img" || tag === "area") return clean(element.alt || element.title);
    if (tag === "svg") return clean(element.querySelector(":scope > title")?.textContent ?? "");
    if (tag === "fieldset") return clean(element.querySelector(":scope > legend")?.textContent ?? "");
    if (tag === "table") return clean(element.querySelector(":scope > caption")?.textContent ?? "");
    if (tag === "figure") return clean(element.querySelector(":scope > figcaption")?.textContent ?? "");
    if (tag === "iframe") return clean(element.title || element.name || "");
    if (NAMED_BY_CONTENT.has(role)) {
      const text = textOf(element);
      if (text) return text;
    }
    return clean(element.getAttribute("placeholder") ?? element.getAttribute("title") ?? "");
  };
  /// The text of a label without the value of the field inside it.
  const labelText = (label, field) => {
    let text = "";
    const walk = (node) => {
      if (node === field) return;
      if (node.nodeType === Node.TEXT_NODE) text += node.data;
      else if (node.nodeType === Node.ELEMENT_NODE && tagOf(node) !== "option") node.childNodes.forEach(walk);
    };
    walk(label);
    return clean(text);
  };

  const statesOf = (element, role) => {
    const states = [];
    const aria = (name) => element.getAttribute(`aria-${name}`);
    if (role === "heading") states.push(`level=${aria("level") ?? tagOf(element)[1] ?? 2}`);
    const checked = element.checked ?? (aria("checked") === "true" || aria("checked") === "mixed");
    if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role) && checked) states.push("checked");
    if (aria("selected") === "true" || (tagOf(element) === "option" && element.selected)) states.push("selected");
    if (aria("pressed") === "true") states.push("pressed");
    const expanded = tagOf(element) === "summary" ? String(element.parentElement?.open ?? false) : aria("expanded");
    if (expanded) states.push(expanded === "true" ? "expanded" : "collapsed");
    if (aria("current") && aria("current") !== "false") states.push("current");
    if (element.required || aria("required") === "true") states.push("required");
    if (aria("invalid") === "true") states.push("invalid");
    if (element.readOnly) states.push("readonly");
    if (INTERACTIVE.has(role) && isDisabled(element)) states.push("disabled");
    if (deepFocus() === element) states.push("focused");
    return states;
  };
  const deepFocus = () => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active === document.body ? null : active;
  };
  const valueOf = (element, role) => {
    const tag = tagOf(element);
    if (tag === "select") return [...element.selectedOptions].map((option) => clean(option.label)).join(", ");
    if (tag === "input") {
      if (role === "checkbox" || role === "radio" || role === "button") return null;
      if (element.type === "password") return element.value ? "•••" : "";
      if (element.type === "file") return [...element.files].map((file) => file.name).join(", ");
      return element.value;
    }
    if (tag === "textarea") return element.value;
    if (tag === "progress" || tag === "meter") return String(element.value);
    if (role === "textbox" && element.isContentEditable) return clean(element.innerText);
    return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
  };

  // ---- Snapshot --------------------------------------------------------------------------------

  /// The tree of what a reader perceives below `top`: {role, name, element, children} and texts.
  const tree = (top, mostElements) => {
    let count = 0;
    const walk = (element, into) => {
      if (++count > mostElements) return;
      const tag = tagOf(element);
      if (tag === "script" || tag === "style" || tag === "noscript" || tag === "template" || tag === "head") return;
      if (element.getAttribute("aria-hidden") === "true" || !isRendered(element)) return;
      const role = roleOf(element);
      let place = into;
      // The text of a label is the name of its field.
      const isLabel = tag === "label" && element.control && isRendered(element.control);
      if (role) {
        const name = nameOf(element, role);
        const node = { role, name, element, children: [] };
        const isEmptyGroup = (role === "group" || role === "form" || role === "list" || role === "paragraph" || role === "listitem") && !name;
        node.transparent = isEmptyGroup && (role === "form" || role === "paragraph");
        into.push(node);
        place = node.children;
        if (tag === "select" || tag === "iframe" || tag === "svg" || tag === "textarea" || role === "img") return;
        if (role === "textbox" && element.isContentEditable) return;
        // Its name says it all, unless something inside can be used on its own.
        if (NAMED_BY_CONTENT.has(role) && !element.shadowRoot && !element.querySelector("a,button,input,select,textarea,iframe,[role],[tabindex],[onclick],img")) return;
      }
      for (const child of childrenOf(element)) {
        if (child.nodeType === Node.ELEMENT_NODE) walk(child, place);
        else if (child.nodeType === Node.TEXT_NODE && !isLabel) {
          const text = child.data.trim() && clean(child.data);
          if (text && getComputedStyle(child.parentElement ?? element).visibility !== "hidden") {
            const before = place[place.length - 1];
            if (typeof before === "string") place[place.length - 1] = `${before} ${text}`;
            else place.push(text);
          }
        }
      }
    };
    const nodes = [];
    walk(top, nodes);
    return { nodes, isWhole: count <= mostElements };
  };

  const quote = (text) => JSON.stringify(clip(text, 200));
  /// The lines of a tree. Of more than `run` siblings of one role in a row, some are left out.
  const render = (nodes, run, most) => {
    const lines = [];
    const frames = [];
    let size = 0;
    let left = 0;
    const line = (depth, text) => {
      size += text.length + 2 * depth + 3;
      if (size > most) left++;
      else lines.push(`${"  ".repeat(depth)}- ${text}`);
    };
    const subtree = (node) => (typeof node === "string" ? 1 : 1 + node.children.reduce((sum, child) => sum + subtree(child), 0));
    const write = (list, depth, parentName) => {
      for (let at = 0; at < list.length; at++) {
        const node = list[at];
        if (typeof node === "string") {
          if (node !== parentName) line(depth, `text ${quote(node)}`);
          continue;
        }
        let end = at;
        while (list[end + 1]?.role === node.role) end++;
        if (end - at + 1 > run + 2) {
          for (const shown of list.slice(at, at + run)) one(shown, depth);
          const hidden = list.slice(at + run, end);
          line(depth, `… ${hidden.length} more of ${node.role} left out (${hidden.reduce((sum, child) => sum + subtree(child), 0)} nodes)`);
          one(list[end], depth);
          at = end;
        } else {
          one(node, depth);
        }
      }
    };
    const one = (node, depth) => {
      if (size > most) {
        left += subtree(node);
        return;
      }
      const { role, name, element } = node;
      if (node.transparent) {
        // A paragraph of one text is that text.
        return write(node.children, depth, null);
      }
      let text = role;
      if (name) text += ` ${quote(name)}`;
      if (INTERACTIVE.has(role)) text += ` [e${refOf(element)}]`;
      for (const state of statesOf(element, role)) text += ` ${state}`;
      const value = valueOf(element, role);
      if (value) text += `: ${quote(value)}`;
      else if (role === "link") text += linkTarget(element);
      if (role === "combobox" && tagOf(element) === "select") {
        const options = [...element.options].map((option) => clean(option.label));
        text += ` of ${options.slice(0, 8).map(quote).join(", ")}${options.length > 8 ? `, … ${options.length - 8} more` : ""}`;
      }
      const single = node.children.length === 1 && typeof node.children[0] === "string" ? node.children[0] : null;
      if (single && !name && !value) {
        line(depth, `${text}: ${quote(single)}`);
      } else {
        line(depth, text);
        if (role === "iframe" && size <= most) frames.push({ line: lines.length, depth: depth + 1, ref: refOf(element) });
        write(node.children, depth + 1, name);
      }
    };
    write(nodes, 0, null);
    return { lines, frames, left, size };
  };
  const linkTarget = (element) => {
    const href = element.getAttribute("href") ?? "";
    return href && !href.startsWith("javascript:") ? ` ${clip(href, 80)}` : "";
  };

  const snapshot = ({ ref, most, run }) => {
    const top = ref ? byRef(ref) : document.body ?? document.documentElement;
    if (!top) return { gone: true };
    const { nodes, isWhole } = tree(top, 60000);
    let rendered;
    // The whole page if it fits; else long runs are cut shorter and shorter.
    for (const shown of run ? [run] : [Infinity, 40, 15, 6, 3]) {
      rendered = render(nodes, shown, shown === 3 || run ? most : Infinity);
      if (rendered.size <= most) break;
      if (shown === 3) break;
    }
    return { ...rendered, isWhole };
  };

  // ---- Finding ---------------------------------------------------------------------------------

  /// All elements that match, also those in open shadow roots.
  const all = (css) => {
    const found = [];
    const seen = new Set();
    const search = (root) => {
      for (const element of root.querySelectorAll(css)) if (!seen.has(element)) { seen.add(element); found.push(element); }
      for (const element of root.querySelectorAll("*")) if (element.shadowRoot) search(element.shadowRoot);
    };
    search(document);
    return found;
  };
  const everything = () => all("*").filter((element) => !["html", "head", "script", "style", "title", "meta", "link"].includes(tagOf(element)));
  const matchesText = (text, wanted, exact) => {
    const have = clean(text).toLowerCase();
    return exact ? have === wanted : have.includes(wanted);
  };

  /// The elements that `target` describes.
  const matching = (target) => {
    if (target.ref) {
      const element = byRef(target.ref);
      return element ? [element] : [];
    }
    if (target.css) return all(target.css);
    const wanted = clean(target.name ?? target.text ?? "").toLowerCase();
    if (target.role) {
      const found = everything().filter((element) => roleOf(element) === target.role && isRendered(element));
      if (!wanted) return found;
      const named = found.map((element) => [element, nameOf(element, target.role)]);
      const exact = named.filter(([, name]) => matchesText(name, wanted, true));
      return (exact.length ? exact : named.filter(([, name]) => matchesText(name, wanted, false))).map(([element]) => element);
    }
    // The innermost elements with the text; an exact one first.
    const own = (element) => element.matches("input[type=submit],input[type=button]") ? element.value : element.textContent;
    const holding = everything().filter((element) => isRendered(element) && matchesText(own(element) ?? "", wanted, false));
    const inner = holding.filter((element) => !holding.some((other) => other !== element && element.contains(other)));
    const exact = inner.filter((element) => matchesText(own(element), wanted, true));
    return exact.length ? exact : inner;
  };

  const selectorOf = (element) => {
    const root = element.getRootNode();
    const isOne = (css) => { try { return root.querySelectorAll(css).length === 1; } catch { return false; } };
    const tag = tagOf(element);
    if (element.id && isOne(`#${CSS.escape(element.id)}`)) return `#${CSS.escape(element.id)}`;
    for (const name of ["data-testid", "name", "aria-label"]) {
      const value = element.getAttribute(name);
      if (value) {
        const css = `${tag}[${name}=${JSON.stringify(value)}]`;
        if (isOne(css)) return css;
      }
    }
    const steps = [];
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      if (at.id && isOne(`#${CSS.escape(at.id)}`)) { steps.unshift(`#${CSS.escape(at.id)}`); break; }
      const same = at.parentElement ? [...at.parentElement.children].filter((other) => tagOf(other) === tagOf(at)) : [];
      steps.unshift(same.length > 1 ? `${tagOf(at)}:nth-of-type(${same.indexOf(at) + 1})` : tagOf(at));
      if (isOne(steps.join(" > "))) break;
    }
    return steps.join(" > ");
  };

  const describe = (element, mostText) => {
    const box = element.getBoundingClientRect();
    const round = (value) => Math.round(value * 10) / 10;
    const role = roleOf(element);
    return {
      ref: refOf(element),
      selector: selectorOf(element),
      tag: tagOf(element),
      text: clip(textOf(element) || clean(element.textContent ?? ""), mostText),
      attributes: Object.fromEntries([...element.attributes].slice(0, 40).map(({ name, value }) => [name, clip(value, 300)])),
      visible: isVisible(element),
      role, name: role ? clip(nameOf(element, role), mostText) : "",
      value: ["input", "textarea", "select"].includes(tagOf(element)) ? clip(valueOf(element, role) ?? "", mostText) : null,
      box: { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) },
    };
  };

  const query = ({ target, most, text }) => {
    const found = matching(target);
    return { count: found.length, elements: found.slice(0, most).map((element) => describe(element, text)) };
  };

  /// The first match, or all if it must be the only one.
  const find = ({ target }) => {
    let found = matching(target);
    if (found.length > 1) {
      const visible = found.filter(isVisible);
      if (visible.length) found = visible;
    }
    if (found.length > 1 && !target.css) {
      return { count: found.length, candidates: found.slice(0, 8).map((element) => {
        const role = roleOf(element);
        return `e${refOf(element)} ${role || tagOf(element)} ${quote(clip(nameOf(element, role) || textOf(element), 60))}`;
      }) };
    }
    return { count: found.length, ref: found[0] ? refOf(found[0]) : null };
  };

  // ---- Acting ----------------------------------------------------------------------------------

  const elementAt = (x, y) => {
    let element = document.elementFromPoint(x, y);
    while (element?.shadowRoot) {
      const inner = element.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === element) break;
      element = inner;
    }
    return element;
  };
  const holds = (outer, inner) => {
    for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const name = (element) => {
    const id = element.id ? `#${element.id}` : "";
    const first = typeof element.className === "string" && element.className.trim() ? `.${element.className.trim().split(/\s+/)[0]}` : "";
    return `<${tagOf(element)}${id}${first}>`;
  };
  const isMoving = (element) => document.getAnimations().some((animation) =>
    animation.playState === "running" && animation.effect?.target && holds(animation.effect.target, element)
    && animation.effect.getComputedTiming().endTime !== Infinity);

  /// A point of the element that gets the mouse, or why there is none yet.
  const point = (element, needs) => {
    if (!isVisible(element)) return { why: "it is not visible" };
    if (needs.enabled && isDisabled(element)) return { why: "it is disabled" };
    if (needs.editable && element.readOnly) return { why: "it is read-only" };
    if (needs.still && isMoving(element)) return { why: "it is moving" };
    let box = element.getBoundingClientRect();
    const isInside = () => box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!isInside()) {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      box = element.getBoundingClientRect();
    }
    const rects = [...element.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
    const rect = rects[0] ?? box;
    const label = element.labels?.[0];
    let covering = null;
    for (const [across, down] of [[0.5, 0.5], [0.25, 0.25], [0.75, 0.75], [0.75, 0.25], [0.25, 0.75]]) {
      const x = Math.min(Math.max(rect.left + rect.width * across, 0), innerWidth - 1);
      const y = Math.min(Math.max(rect.top + rect.height * down, 0), innerHeight - 1);
      const hit = elementAt(x, y);
      if (!needs.hit || (hit && (holds(element, hit) || (label && holds(label, hit))))) {
        return { x, y, inX: x - box.left, inY: y - box.top };
      }
      covering ??= hit;
    }
    return { why: covering ? `${name(covering)} covers it` : "it is outside of the window" };
  };

  /// Waits until an element can be acted on.
  const ready = async ({ ref, needs, timeout }) => {
    const end = performance.now() + timeout;
    for (;;) {
      const element = byRef(ref);
      if (!element) return { gone: true };
      const found = point(element, needs);
      if (!found.why) return found;
      if (performance.now() >= end) return found;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  };

  const changed = (element) => {
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  /// Prepares an element for typing, or sets its value where typing cannot.
  const prepareFill = ({ ref, value, clear }) => {
    let element = byRef(ref);
    if (!element) return { gone: true };
    if (tagOf(element) === "label" && element.control) element = element.control;
    const tag = tagOf(element);
    if (tag === "select") {
      const wanted = value.trim().toLowerCase();
      const names = element.multiple ? value.split("\n").map((line) => line.trim().toLowerCase()) : [wanted];
      const options = [...element.options];
      const chosen = names.map((name) => options.find((option) => option.value.toLowerCase() === name || clean(option.label).toLowerCase() === name));
      if (chosen.some((option) => !option)) {
        return { why: `no option is ${quote(value)}; there are ${options.slice(0, 20).map((option) => quote(clean(option.label))).join(", ")}` };
      }
      if (chosen.some((option) => option.disabled)) return { why: "that option is disabled" };
      for (const option of options) option.selected = chosen.includes(option);
      changed(element);
      return { done: true };
    }
    if (tag === "input" && (element.type === "checkbox" || element.type === "radio")) {
      const wanted = { true: true, on: true, checked: true, false: false, off: false, "": false }[value.trim().toLowerCase()];
      if (wanted === undefined) return { why: "a checkbox takes `true` or `false`" };
      return element.checked === wanted ? { done: true } : { click: true };
    }
    if (tag === "input" && element.type === "file") return { why: "files are chosen with `browser_act` and `upload`" };
    if (tag === "input" && ["range", "color", "date", "time", "datetime-local", "month", "week"].includes(element.type)) {
      const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
      element.focus();
      setter.call(element, value);
      if (element.value !== value && element.type !== "range") return { why: `a field of type ${element.type} does not take ${quote(value)}` };
      changed(element);
      return { done: true };
    }
    if (tag !== "input" && tag !== "textarea" && !element.isContentEditable) {
      return { why: `${name(element)} is no field that takes text` };
    }
    if (element.readOnly) return { why: "the field is read-only" };
    element.focus();
    if (tag === "input" || tag === "textarea") {
      if (clear) element.select();
      else if (element.selectionStart !== null) element.setSelectionRange(element.value.length, element.value.length);
      return { type: true, isEmpty: element.value === "" };
    }
    const range = document.createRange();
    range.selectNodeContents(element);
    if (!clear) range.collapse(false);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return { type: true, isEmpty: element.textContent === "" };
  };

  const focus = ({ ref }) => {
    const element = byRef(ref);
    if (!element) return { gone: true };
    element.focus();
    return {};
  };
  const scrolled = ({ ref }) => {
    const element = byRef(ref);
    if (!element) return { gone: true };
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = element.getBoundingClientRect();
    return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height };
  };
  const size = () => ({
    width: Math.max(document.documentElement.scrollWidth, document.body?.scrollWidth ?? 0),
    height: Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0),
    ratio: devicePixelRatio, viewWidth: innerWidth, viewHeight: innerHeight,
  });
  const page = () => ({ url: location.href, title: document.title });
  const hasText = ({ text }) => ({ found: (document.body?.innerText ?? "").toLowerCase().includes(text.toLowerCase()) });

  const functions = { snapshot, query, find, ready, prepareFill, focus, scrolled, size, page, hasText };
  globalThis.tandem = {
    /// Runs a function; `base` is the largest reference given out in any frame.
    run: async (base, which, argument) => {
      last = Math.max(last, base);
      const value = await functions[which](argument);
      return { value, last };
    },
    element: (ref) => byRef(ref),
  };
})();
