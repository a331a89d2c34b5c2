// The heartbeats page: the list, the current view, and the user's actions.

import { createSignal } from "solid-js";
import type { Heartbeat, HeartbeatRecord, Spec } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import type { App } from "../../store/context";
import { folderNow } from "../../store/names";
import { createReading } from "../../store/reading";
import { emptySpec, freeName, plainSpec } from "./draft";

export const tabs = ["list", "history", "file"] as const;
export type Tab = (typeof tabs)[number];

/** What replaces the list. */
export type View =
  | { kind: "list" }
  /** name is the heartbeat being edited, "" for a new one. */
  | { kind: "form"; name: string; spec: Spec }
  | { kind: "preview"; name: string };

export interface Place {
  tab: string;
  /** The heartbeat whose history is shown. */
  name?: string;
}

export function createHeartbeatsModel(app: App, begin: Place) {
  const { host, actions } = app;
  const known = (id: string): Tab => tabs.find((tab) => tab === id) ?? "list";
  const [tab, setTab] = createSignal<Tab>(known(begin.tab));
  const [view, setView] = createSignal<View>({ kind: "list" });
  /** The heartbeat to filter the history by, "" for all. */
  const [filter, setFilter] = createSignal(begin.name ?? "");
  /** The position in the file to go to. */
  const [line, setLine] = createSignal<{ line: number; column: number } | null>(null);
  const [problem, setProblem] = createSignal("");
  /** The last action, announced to screen readers. */
  const [said, setSaid] = createSignal("");
  const [unsaved, setUnsaved] = createSignal<{ form: boolean; file: boolean }>({ form: false, file: false });
  /** An action that waits until the user agrees to discard changes. */
  const [leaving, setLeaving] = createSignal<(() => void) | null>(null);
  const reading = createReading("heartbeat.list", () => ({}), { globals: ["heartbeats.changed"] });
  const words = () => text().heartbeats;

  async function attempt(what: Promise<unknown>, done = ""): Promise<boolean> {
    setProblem("");
    setSaid("");
    try {
      await what;
      setSaid(done);
      reading.again();
      return true;
    } catch (failure) {
      setProblem(messageOf(failure));
      return false;
    }
  }

  /** Runs an action that discards unsaved changes, once the user agrees. */
  function leave(what: "form" | "file" | "all", act: () => void): void {
    const lost = what === "all" ? unsaved().form || unsaved().file : unsaved()[what];
    if (lost) setLeaving(() => act);
    else act();
  }

  const names = () => (reading.answer()?.heartbeats ?? []).map(({ name }) => name);

  return {
    reading,
    tab,
    view,
    filter,
    setFilter,
    line,
    problem,
    said,
    leaving,
    leave,
    /** The user's decision. */
    answer(go: boolean) {
      const act = leaving();
      setLeaving(null);
      if (!go) return;
      setUnsaved({ form: false, file: false });
      act?.();
    },
    setUnsaved: (what: "form" | "file", is: boolean) => setUnsaved((now) => ({ ...now, [what]: is })),
    show: (id: string) => setTab(known(id)),
    names,
    create: (spec: Spec = emptySpec(folderNow(app))) => setView({ kind: "form", name: "", spec }),
    edit: (heartbeat: Heartbeat) => setView({ kind: "form", name: heartbeat.name, spec: plainSpec(heartbeat) }),
    duplicate: (heartbeat: Heartbeat) => setView({ kind: "form", name: "", spec: { ...plainSpec(heartbeat), name: freeName(heartbeat.name, names()) } }),
    preview: (name: string) => setView({ kind: "preview", name }),
    list: () => setView({ kind: "list" }),
    history(name: string) {
      setFilter(name);
      setTab("history");
    },
    goToLine(line: number, column: number) {
      setLine({ line, column });
      setTab("file");
    },
    openSession: (sessionId: string) => actions.open(sessionId),
    enable: (name: string, enabled: boolean) => attempt(host.call("heartbeat.enable", { name, enabled })),
    run: (name: string) => attempt(host.call("heartbeat.run", { name }), words().list.started(name)),
    cancel: (record: HeartbeatRecord) => attempt(host.call("heartbeat.cancel", { recordId: record.id })),
    remove: (name: string) => attempt(host.call("heartbeat.delete", { name }), words().list.deleted(name)),
    pause: (paused: boolean, until = 0) => attempt(host.call("heartbeat.pause", { paused, ...(until > 0 ? { until } : {}) })),
    async save(name: string, spec: Spec): Promise<string> {
      try {
        const saved = await host.call("heartbeat.save", { spec, ...(name ? { name } : {}) });
        setUnsaved((now) => ({ ...now, form: false }));
        setView({ kind: "list" });
        setSaid(words().list.saved(saved.name));
        reading.again();
        return "";
      } catch (failure) {
        return messageOf(failure);
      }
    },
  };
}

export type HeartbeatsModel = ReturnType<typeof createHeartbeatsModel>;
