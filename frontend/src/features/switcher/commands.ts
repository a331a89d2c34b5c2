// All actions of the page. The palette, the shortcuts and the shortcut list are generated from it. To add one, add a
// line here (plus one in desk/shortcuts.ts if it has keys, and its name in i18n/*/shell.ts).

import type { Session } from "../../host/border.gen";
import { languages, text } from "../../i18n";
import { newId } from "../../lib/id";
import type { App } from "../../store/context";
import { allQuestions, isBusy, type Theme } from "../../store/state";
import { paneActions } from "../panes/keys";
import { nextWaiting } from "../permissions/waiting";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import { abilitiesOf } from "../sessions/allowed-actions";
import type { SidebarModel } from "../sessions/model";
import { restart } from "../shell/restart";
import { copyDiagnostics } from "../settings/diagnostics";
import { schemes } from "../settings/look";
import { registry } from "../settings/registry";
import { type Action, partActions, shownKeys } from "../../desk/shortcuts";

/** An action with its displayed keys and its group. */
export interface Command extends Action {
  keys: string;
  /** Acts on the page, acts on the program, or shows a setting. */
  group: "view" | "program" | "setting";
  /** Search aliases. */
  also: string;
}

export interface ShellActs {
  newSession(): void;
  newHere(): void;
  toggleSidebar(): void;
  showShortcuts(): void;
  showSwitcher(): void;
  /** Opens the settings at a page or a setting. */
  showSettings(where?: string): void;
  neighbour(by: 1 | -1): void;
  interrupt(): void;
}

/** The currently available actions. */
export function createActions(app: App, model: SidebarModel, shell: ShellActs): () => Action[] {
  const { state, layout, actions } = app;

  return () => {
    const words = text().shell.actions;
    const session = state.current === null ? undefined : state.sessions[state.current];
    const settings = state.info?.settings;
    const list: Action[] = [];
    const add = (id: string, name: string, run: () => void, enabled?: () => boolean, listed = true) =>
      list.push({ id, name, run, listed, ...(enabled ? { enabled } : {}) });
    const show = (place: "list" | "archive" | "trash") => () => {
      layout.setSidebar({ collapsed: false });
      model.show(place);
    };
    const set = (patch: Parameters<typeof actions.changeSettings>[0]) => () => {
      actions.changeSettings(patch).catch((failure: unknown) => actions.report(failure));
    };
    const busy = () => session !== undefined && isBusy(session);
    const zoom = settings?.zoom ?? 100;

    add("switcher", words.switcher, shell.showSwitcher, undefined, false);
    add("newSession", words.newSession, shell.newSession);
    add("newHere", words.newHere, shell.newHere);
    if (session) {
      const { id } = session;
      add("interrupt", words.interrupt, shell.interrupt, busy);
      add("fork", words.fork, () => void actions.fork(id));
      add("duplicate", words.duplicate, () => void actions.duplicate(id));
      add("rename", words.rename, () => {
        layout.setSidebar({ collapsed: false });
        model.rename(id);
      });
      add("compact", words.compact, () => {
        app.host.call("session.prompt", { sessionId: id, text: "/compact", promptId: newId(), delivery: "queue" }).catch((failure: unknown) => actions.report(failure));
      }, () => !busy() && session.messages > 0);
      add("fresh", words.fresh, () => model.setQuestion({ kind: "fresh", sessionId: id }), () => abilitiesOf(session).fresh);
      add("copyPath", words.copyPath, () => void writeClipboard(session.cwd));
      add("copyResume", words.copyResume, () => void writeClipboard(resumeCommand(session)), () => session.cliSessionId !== "" && !session.rehearsal);
      add("pin", session.pinned ? words.unpin : words.pin, () => void actions.pin(id, !session.pinned));
      add("archive", words.archive, () => void actions.archive(id), () => !busy());
      add("suspend", words.suspend, () => void actions.suspend(id), () => session.pid > 0 && !busy());
      add("closeSession", words.closeSession, () => void actions.closeSession(id), () => session.state !== "closed");
      add("delete", words.delete, () => {
        layout.setSidebar({ collapsed: false });
        model.setQuestion({ kind: "delete", sessionId: id });
      });
    }
    list.push(...paneActions(layout), ...partActions());
    add("previousSession", words.previousSession, () => shell.neighbour(-1));
    add("nextSession", words.nextSession, () => shell.neighbour(1));
    const waiting = allQuestions(state);
    add(
      "nextQuestion",
      text().permission.waiting.next,
      () => {
        const next = nextWaiting(waiting, state.current);
        if (next !== null) actions.open(next);
      },
      () => waiting.length > 0,
    );
    add("waiting", text().permission.waiting.title, () => layout.setOverlay({ kind: "waiting" }), () => waiting.length > 0);
    add("toggleSidebar", words.toggleSidebar, shell.toggleSidebar);
    add("byWorkspace", words.byWorkspace, () => model.setGrouping("workspace"), () => model.grouping() !== "workspace");
    add("byTime", words.byTime, () => model.setGrouping("time"), () => model.grouping() !== "time");
    add("showArchive", words.showArchive, show("archive"));
    add("showTrash", words.showTrash, show("trash"));
    for (const theme of themes) add(`theme.${theme}`, words.theme(text().settings.themes[theme]), () => actions.setTheme(theme), () => theme !== state.theme);
    for (const { id } of schemes) {
      add(`scheme.${id}`, words.scheme(text().settings.schemes[id]), set({ scheme: id }), () => settings !== undefined && id !== settings.scheme);
    }
    for (const { code, name } of languages) add(`language.${code}`, words.language(name), set({ language: code }), () => settings !== undefined && code !== settings.language);
    add("zoomIn", words.zoomIn, set({ zoom: Math.min(300, zoom + 10) }), () => settings !== undefined);
    add("zoomOut", words.zoomOut, set({ zoom: Math.max(50, zoom - 10) }), () => settings !== undefined);
    add("zoomReset", words.zoomReset, set({ zoom: 100 }), () => settings !== undefined);
    if (app.host.menus) {
      const checked = () => settings?.menuBar ?? false;
      list.push({ id: "menuBar", name: words.menuBar, run: set({ menuBar: !checked() }), enabled: () => settings !== undefined, checked });
    }
    add("settings", words.settings, () => shell.showSettings());
    add("log", words.log, () => shell.showSettings("log"));
    add("copyDiagnostics", words.copyDiagnostics, () => void copyDiagnostics(app).catch((failure: unknown) => actions.report(failure)));
    add("shortcuts", words.shortcuts, shell.showShortcuts);
    add("restart", words.restart, () => void restart(app), () => state.info?.restart.possible === true && !state.info.restart.waiting);
    return list;
  };
}

/** The palette's entries: the enabled actions, and the settings. */
export function createCommands(app: App, actions: () => Action[], showSettings: (where: string) => void): () => Command[] {
  const also: Readonly<Record<string, string>> = text().switcher.also;
  const commands = (list: Action[], group: Command["group"]): Command[] =>
    list.map((action) => ({ ...action, group, id: `c:${action.id}`, keys: shownKeys(action.id, app.host.kind), also: also[action.id.split(".")[0] ?? ""] ?? "" }));
  const settings = (): Action[] => {
    const { fields } = text().settings;
    return registry
      .filter((entry) => !entry.window || app.host.kind === "window")
      .map(({ id }) => ({ id: `setting.${id}`, name: text().switcher.setting(fields[id].label), run: () => showSettings(id) }));
  };
  return () => {
    const offered = actions().filter((action) => action.listed !== false && action.enabled?.() !== false);
    const here = new Set<string>([...sessionActions, ...partActions().map(({ id }) => id)]);
    return [
      ...commands([...here].flatMap((id) => offered.filter((action) => action.id === id)), "view"),
      ...commands(offered.filter(({ id }) => !here.has(id)), "program"),
      ...commands(settings(), "setting"),
    ];
  };
}

/** Actions on the current session. Enter runs the first one directly, so it must be harmless. */
const sessionActions = [
  "rename", "fork", "copyPath", "copyResume", "compact", "pin", "archive", "duplicate", "interrupt", "fresh", "suspend", "closeSession", "delete",
] as const;

/** The command that continues a conversation in a terminal. */
const resumeCommand = (session: Session) => `cd ${quoted(session.cwd)} && claude --resume ${quoted(session.cliSessionId)}`;

/** Quotes a word for a shell. */
const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const themes: readonly Theme[] = ["light", "dark", "system"];
