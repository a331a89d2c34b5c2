// Reads what was used, again whenever it may have changed.

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { UsageQueryParams, UsageReport } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { useApp } from "../../store/context";

export interface Reading {
  /** The newest answer, null before the first one. It stays while another is awaited. */
  report: () => UsageReport | null;
  error: () => string;
  again: () => void;
}

/** Asks what params say, while there is a link; null asks nothing. */
export function createReading(params: () => UsageQueryParams | null): Reading {
  const { host } = useApp();
  const [report, setReport] = createSignal<UsageReport | null>(null);
  const [error, setError] = createSignal("");
  const [turn, setTurn] = createSignal(0);
  let asked = 0;
  const again = () => setTurn((n) => n + 1);
  onCleanup(host.onGlobal((event) => event.event === "usage.changed" && again()));
  onCleanup(() => asked++);
  createEffect(
    on([params, turn, () => host.status().kind], ([what, , link]) => {
      const mine = ++asked;
      if (!what || link !== "open") return;
      host.call("usage.query", what).then(
        (answer) => {
          if (mine !== asked) return;
          setError("");
          setReport(() => answer);
        },
        (failure: unknown) => mine === asked && setError(messageOf(failure)),
      );
    }),
  );
  return { report, error, again };
}
