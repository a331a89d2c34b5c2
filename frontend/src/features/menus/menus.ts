// Connects the window's native menus to the page: sends their content, and runs the chosen entries.

import { createEffect, createMemo, on, onCleanup } from "solid-js";
import { HostError } from "../../host/host";
import { barClosed, barOpened, type MenuEntry, type Menus } from "../../host/menus";
import { text } from "../../i18n";
import { isOverlaid } from "../../lib/keys";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import { saveFile } from "../../host/save-file";
import type { App } from "../../store/context";
import { fileName } from "../../lib/file-name";
import type { Action } from "../../desk/shortcuts";
import { barOf } from "./bar";
import { type Context, contextAt } from "./context";
import { readLook } from "./look";
import { withMnemonics } from "./mnemonics";

/** Changes are batched for this long before the menu bar is updated. */
const pause = 100;

/** Runs inside an owner. */
export function followMenus(app: App, menus: Menus, actions: () => readonly Action[]): void {
  let context: Context | undefined;

  async function carryOut(id: string): Promise<void> {
    const act = context?.acts.get(id);
    if (!act) return;
    if (act.kind === "open") app.host.openExternal(act.href);
    else if (act.kind === "save") await saveFile(app.host, fileName(act.name, act.content.type), act.content.type, act.content);
    else if (!(await writeClipboard(act.text()))) throw new HostError("unavailable", text().blocks.copyFailed);
  }

  function run(id: string): void {
    // A dialog has opened since.
    if (isOverlaid()) return;
    const action = actions().find((action) => action.id === id);
    if (action && action.enabled?.() !== false) action.run();
  }

  const stop = menus.onChosen((id) => {
    if (id === barOpened) sayBar(isOverlaid());
    else if (id === barClosed) sayBar(false);
    else if (context?.acts.has(id)) carryOut(id).catch((failure: unknown) => app.actions.report(failure));
    else run(id);
  });

  const onContext = (event: MouseEvent) => {
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof Element)) return;
    context = contextAt(target, (command) => document.queryCommandEnabled(command));
    menus.say({ context: entriesOf(context) });
  };
  // Without this, Wails only shows the context menu in text fields.
  document.documentElement.style.setProperty("--default-contextmenu", "show");
  document.addEventListener("contextmenu", onContext);

  const shown = () => app.state.info?.settings.menuBar ?? false;
  const bar = createMemo(() => ({ menus: barOf(actions(), app.host.kind, false), shown: shown() }));
  let said = "";
  function sayBar(idle: boolean): void {
    const now = idle ? { menus: barOf(actions(), app.host.kind, true), shown: shown() } : bar();
    const written = JSON.stringify(now);
    if (written === said) return;
    said = written;
    menus.say({ bar: now });
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(bar, () => {
      clearTimeout(timer);
      timer = setTimeout(() => sayBar(false), pause);
    }),
  );

  const sayLook = () => {
    const look = readLook();
    if (look) menus.say({ look });
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", sayLook);
  // By then the page has the new look.
  createEffect(on(() => [app.state.theme, app.state.info?.settings.scheme, app.state.info?.settings.accent], () => void setTimeout(sayLook)));

  onCleanup(() => {
    stop();
    clearTimeout(timer);
    dark.removeEventListener("change", sayLook);
    document.removeEventListener("contextmenu", onContext);
  });
}

function entriesOf({ groups }: Context): MenuEntry[] {
  const named = withMnemonics(groups.flat().map(({ label }) => label));
  let at = 0;
  return groups.flatMap((group, i) => {
    const entries = group.map((entry): MenuEntry => ({ ...entry, label: named[at++] ?? "" }));
    return i === groups.length - 1 ? entries : [...entries, { id: "" }];
  });
}
