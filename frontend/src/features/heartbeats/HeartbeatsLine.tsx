import HeartPulse from "lucide-solid/icons/heart-pulse";
import { createEffect, createSignal, type JSX, onCleanup } from "solid-js";
import type { HeartbeatsChanged } from "../../host/border.gen";
import { text } from "../../i18n";
import { createSlowClock } from "../../lib/ago";
import { relative } from "../../lib/dates";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { PageLine, type PageLineProps } from "../../ui/page-line";

/** The link to the heartbeats page, with their overall state. */
export function HeartbeatsLine(): JSX.Element {
  const { host, layout } = useApp();
  const [known, setKnown] = createSignal<HeartbeatsChanged | null>(null);
  const now = createSlowClock(15_000);
  const words = () => text().heartbeats.line;
  onCleanup(host.onGlobal((event) => event.event === "heartbeats.changed" && setKnown(event.payload)));
  // The page itself shows why they can't be loaded.
  const { answer } = createReading("heartbeat.list", () => ({}));
  createEffect(() => {
    const list = answer();
    if (!list) return;
    const due = list.heartbeats.map(({ next }) => next).filter((next) => next > 0);
    setKnown({
      running: list.heartbeats.filter(({ state }) => state === "running" || state === "waiting").length,
      failed: list.heartbeats.filter(({ state }) => state === "stopped").length,
      nextAt: due.length > 0 ? Math.min(...due) : 0,
      paused: list.paused,
    });
  });

  /** The most important state. */
  const state = (): Pick<PageLineProps, "about" | "tone"> => {
    const all = known();
    if (!all) return { about: "" };
    if (all.failed > 0) return { about: words().stopped(all.failed), tone: "critical" };
    if (all.running > 0) return { about: words().running(all.running) };
    if (all.paused) return { about: words().paused };
    return { about: all.nextAt > 0 ? words().next(relative(Math.max(all.nextAt, now()), now())) : "" };
  };
  return (
    <PageLine
      kind="heartbeats"
      icon={<HeartPulse size={14} aria-hidden="true" />}
      name={text().heartbeats.title}
      about={state().about}
      tone={state().tone}
      onOpen={() => layout.go({ kind: "heartbeats" })}
    />
  );
}
