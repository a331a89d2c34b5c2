import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import { text } from "../../i18n";
import type { ProcessInfo, ProcessList } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { createClock, formatAge, formatBytes } from "../../lib/time";
import { useApp } from "../../store/context";
import { Page, PageBody } from "../../ui/page";
import { ProcessRow } from "./ProcessRow";
import { groups } from "./tree";
import "./process-dialog.css";

const every = 2000;

/** Parley's processes: itself, the sessions' CLIs, and their descendants. */
export function ProcessesPlace(): JSX.Element {
  const { layout } = useApp();
  return (
    <Page at={layout.at("processes")} into={layout.panel("processes")} title={text().processes.title} about={text().processes.about} width={720}>
      {() => <Processes />}
    </Page>
  );
}

function Processes(): JSX.Element {
  const { host, layout, actions } = useApp();
  // Reconciled by pid, so that rows survive when their values change.
  const [state, set] = createStore<{ list: ProcessList | null }>({ list: null });
  const list = () => state.list;
  const [error, setError] = createSignal("");
  const [asked, setAsked] = createSignal(0);
  const now = createClock(1000);
  const age = (startedAt: number) => formatAge(now() - startedAt);
  let reading = false;

  async function read(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      const list = await host.call("process.list", {});
      set("list", reconcile(list, { key: "pid" }));
      setError("");
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      reading = false;
    }
  }
  createEffect(() => {
    if (host.status().kind !== "open" || !layout.shows("processes")) return;
    void read();
    const timer = setInterval(() => void read(), every);
    onCleanup(() => clearInterval(timer));
  });

  const made = createMemo(() => groups(list()?.processes ?? []));
  const pids = createMemo(() => made().map((g) => g.pid), [], { equals: same });
  const most = () => Math.max(list()?.self.bytes ?? 0, ...made().map((g) => g.bytes));

  async function end(process: ProcessInfo): Promise<void> {
    setAsked(0);
    try {
      await host.call("process.end", { pid: process.pid });
      await read();
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <PageBody kind="processes" whole>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <Show
        when={list()}
        fallback={
          <Show when={!error()}>
            <p data-slot="aside" role="status">
              {text().processes.reading}
            </p>
          </Show>
        }
      >
        {(found) => (
          <>
            <p data-slot="aside">{found().held === "cgroup" ? text().processes.heldByKernel : text().processes.heldByMarks}</p>
            <Show when={found().orphans > 0}>
              <p data-slot="aside">{text().processes.orphans(found().orphans)}</p>
            </Show>
            <ul role="list" aria-label="Parley">
              <ProcessRow process={found().self} title="Parley" detail={`${found().self.name} · ${age(found().self.startedAt)}`} most={most()} />
              <For each={found().processes.filter((p) => p.kind === "parley")}>
                {(part) => <ProcessRow process={part} title={part.name} detail={age(part.startedAt)} most={most()} />}
              </For>
            </ul>
            <h3>{text().processes.sessions}</h3>
            <ul role="list" aria-label={text().processes.sessions}>
              <For
                each={pids()}
                fallback={<li data-slot="aside">{text().processes.none}</li>}
              >
                {(pid) => (
                  <Show when={made().find((g) => g.pid === pid)}>
                    {(group) => (
                      <>
                        <ProcessRow
                          process={group().head}
                          title={group().head.title || (group().head.kind === "probe" ? text().processes.probe : text().common.newSession)}
                          detail={`${group().head.name} · ${age(group().head.startedAt)}`}
                          total={group().below.length > 0 ? text().processes.inAll(formatBytes(group().bytes)) : ""}
                          most={most()}
                          asking={asked() === pid}
                          onAsk={(on) => setAsked(on ? pid : 0)}
                          onEnd={() => void end(group().head)}
                          onOpen={group().head.sessionId ? () => actions.open(group().head.sessionId) : undefined}
                        />
                        <For each={group().below}>
                          {(process) => (
                            <ProcessRow
                              below
                              process={process}
                              title={process.name}
                              detail={age(process.startedAt)}
                              most={most()}
                              asking={asked() === process.pid}
                              onAsk={(on) => setAsked(on ? process.pid : 0)}
                              onEnd={() => void end(process)}
                            />
                          )}
                        </For>
                      </>
                    )}
                  </Show>
                )}
              </For>
            </ul>
          </>
        )}
      </Show>
    </PageBody>
  );
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((pid, i) => pid === b[i]);
}
