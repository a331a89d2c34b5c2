import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { moment, relative } from "../../lib/dates";
import { useApp } from "../../store/context";
import { plainSpec } from "./draft";
import { type Due, nextOf, soonest } from "./history";
import type { HeartbeatsModel } from "./model";

/** The next ten runs, of one heartbeat or of all. */
export function NextTen(props: { model: HeartbeatsModel; name: string; now: number }): JSX.Element {
  const { host } = useApp();
  const [due, setDue] = createSignal<Due[] | null>(null);
  const words = () => text().heartbeats.history;
  let asked = 0;
  onCleanup(() => asked++);
  createEffect(
    on([() => props.model.reading.answer(), () => props.name], ([list, name]) => {
      if (!list) return;
      const mine = ++asked;
      const found = soonest(list.heartbeats, name);
      const times = found.map(async (heartbeat): Promise<Due[]> => {
        try {
          const { next } = await host.call("heartbeat.check", { spec: plainSpec(heartbeat) });
          return next.map((at) => ({ name: heartbeat.name, at }));
        } catch {
          // The only known time.
          return [{ name: heartbeat.name, at: heartbeat.next }];
        }
      });
      void Promise.all(times).then((all) => mine === asked && setDue(nextOf(all.flat())));
    }),
  );
  return (
    <section data-slot="next-part">
      <h3>{words().next}</h3>
      <Show when={due()} fallback={<p data-slot="aside">{words().reading}</p>}>
        {(list) => (
          <Show when={list().length > 0} fallback={<p data-slot="aside">{words().nextNone}</p>}>
            <ol role="list" data-slot="due">
              <For each={list()}>
                {({ name, at }) => (
                  <li>
                    <time datetime={new Date(at).toISOString()} title={moment(at)}>
                      {moment(at)}
                    </time>
                    <span data-slot="name">{props.name === "" ? name : ""}</span>
                    <span>{relative(at, props.now)}</span>
                  </li>
                )}
              </For>
            </ol>
          </Show>
        )}
      </Show>
    </section>
  );
}
