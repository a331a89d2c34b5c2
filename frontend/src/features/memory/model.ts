// The memory page: the current view, and the user's actions.

import { createEffect, createSignal, on } from "solid-js";
import type { Memory, MemoryForgotten, MemoryWorkspace } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import type { App } from "../../store/context";
import { createReading } from "../../store/reading";

/** The view beside the places. */
export type View =
  /** scope is a workspace's slug, "" for general memories, null for all. */
  | { kind: "list"; scope: string | null }
  | { kind: "file"; file: string; begin?: string }
  | { kind: "told"; scope: string | null }
  | { kind: "trash" }
  | { kind: "import" };

const typingDelay = 120;
const page = 50;

export function createMemoryModel(app: App) {
  const { host, actions } = app;
  const [view, setView] = createSignal<View>({ kind: "list", scope: null });
  const [words, setWords] = createSignal("");
  const [about, setAbout] = createSignal("");
  const [limit, setLimit] = createSignal(page);
  /** The search words, debounced. */
  const [sought, setSought] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const [said, setSaid] = createSignal("");
  const [gone, setGone] = createSignal<MemoryForgotten | null>(null);
  const [unsaved, setUnsaved] = createSignal(false);
  const [leaving, setLeaving] = createSignal<(() => void) | null>(null);
  const overview = createReading("memory.list", () => ({}), { globals: ["memory.changed", "workspaces.changed", "settings.changed"] });

  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(words, (now) => {
      clearTimeout(timer);
      setLimit(page);
      if (now.trim() === "") setSought("");
      else timer = setTimeout(() => setSought(now.trim()), typingDelay);
    }),
  );
  const scope = () => {
    const now = view();
    return now.kind === "list" || now.kind === "told" ? now.scope : null;
  };
  const found = createReading(
    "memory.search",
    () => (view().kind === "list" ? { words: sought(), limit: limit(), ...(scope() === null ? {} : { in: [scope() ?? ""] }), ...(about() ? { about: about() } : {}) } : null),
    { globals: ["memory.changed", "sessions.changed"] },
  );
  const workspace = (slug: string): MemoryWorkspace | undefined => overview.answer()?.workspaces.find((w) => w.slug === slug);
  const told = createReading(
    "memory.preview",
    () => {
      const id = workspace(scope() ?? "")?.id;
      return view().kind === "list" || view().kind === "told" ? (id ? { workspaceId: id } : {}) : null;
    },
    { globals: ["memory.changed", "settings.changed"] },
  );

  async function attempt<T>(what: Promise<T>, done = ""): Promise<T | null> {
    setProblem("");
    setSaid("");
    try {
      const answer = await what;
      setSaid(done);
      overview.again();
      found.again();
      told.again();
      return answer;
    } catch (failure) {
      setProblem(messageOf(failure));
      return null;
    }
  }

  function leave(act: () => void): void {
    if (unsaved()) setLeaving(() => act);
    else act();
  }

  return {
    overview,
    found,
    told,
    view,
    scope,
    workspace,
    words,
    setWords,
    sought,
    about,
    setAbout,
    problem,
    said,
    gone,
    leaving,
    leave,
    setUnsaved,
    /** The user's decision whether to discard unsaved text. */
    answer(go: boolean) {
      const act = leaving();
      setLeaving(null);
      if (!go) return;
      setUnsaved(false);
      act?.();
    },
    show(next: View) {
      leave(() => {
        setProblem("");
        setLimit(page);
        if (next.kind !== "list") setWords("");
        setAbout("");
        setView(next);
      });
    },
    more: () => setLimit((now) => Math.min(200, now + page)),
    canMore: () => limit() < 200 && (found.answer()?.total ?? 0) > (found.answer()?.memories.length ?? 0),
    nameOf: (slug: string): string => (slug === "" ? text().memory.general : workspace(slug)?.title || slug),
    openSession: (sessionId: string) => actions.open(sessionId),
    save: (what: string, who: string, slug: string) => {
      const id = workspace(slug)?.id;
      return attempt(host.call("memory.save", { text: what, ...(who ? { about: who } : {}), ...(id ? { workspaceId: id } : {}) }), text().memory.saved);
    },
    change: (memory: Memory, to: string) => attempt(host.call("memory.change", { id: memory.id, was: memory.text, text: to }), text().memory.saved),
    async forget(memory: Memory) {
      setGone(await attempt(host.call("memory.forget", { id: memory.id })));
    },
    async forgetFile(file: string, revision: string) {
      const item = await attempt(host.call("memory.forgetFile", { file, revision }));
      if (!item) return;
      setUnsaved(false);
      setGone(item);
      setView({ kind: "list", scope: null });
    },
    async restore(id: string) {
      if (await attempt(host.call("memory.restore", { id }), text().memory.undone)) setGone(null);
    },
    dismissGone: () => setGone(null),
    tell: (slug: string | null, to: boolean) => {
      const id = workspace(slug ?? "")?.id;
      return attempt<unknown>(id ? host.call("memory.setEnabled", { workspaceId: id, on: to }) : host.call("settings.set", { memoryInject: to }));
    },
  };
}

export type MemoryModel = ReturnType<typeof createMemoryModel>;
