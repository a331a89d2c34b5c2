import "uplot/dist/uPlot.min.css";
import { createEffect, createSignal, type JSX, on, onCleanup, onMount } from "solid-js";
import type uPlot from "uplot";
import { locale } from "../../i18n";
import { amount, type Measure, type Series, timeOf } from "./model";

/** The colors of series, in order; see usage.css. */
export const colours = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"] as const;

/** Stacked bars per day. The table has the same values in accessible form. */
export function Plot(props: { days: readonly string[]; series: readonly Series[]; measure: Measure; label: string }): JSX.Element {
  let root!: HTMLDivElement;
  let probe!: HTMLSpanElement;
  let plot: uPlot | null = null;
  const [library, setLibrary] = createSignal<typeof uPlot | null>(null);
  const [looks, setLooks] = createSignal(0);
  let gone = false;

  onMount(() => {
    // Without a canvas, don't load the library.
    if (!document.createElement("canvas").getContext("2d")) return;
    void import("uplot").then((module) => gone || setLibrary(() => module.default));
    const again = () => setLooks((n) => n + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", again);
    const themes = new MutationObserver(again);
    themes.observe(document.documentElement, { attributes: true });
    const sizes = new ResizeObserver(() => plot?.setSize(size()));
    sizes.observe(root);
    onCleanup(() => {
      media.removeEventListener("change", again);
      themes.disconnect();
      sizes.disconnect();
    });
  });
  onCleanup(() => {
    gone = true;
    plot?.destroy();
  });

  const size = () => ({ width: Math.max(root.clientWidth, 120), height: Math.max(root.clientHeight, 120) });

  /** A color token in a format that a canvas accepts. */
  function colour(name: string): string {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  }

  createEffect(
    on([library, () => props.days, () => props.series, () => props.measure, looks, locale], ([uPlotClass, days, series, measure]) => {
      plot?.destroy();
      plot = null;
      if (!uPlotClass || days.length === 0) return;
      const font = `11px ${getComputedStyle(root).fontFamily}`;
      const line = colour("--line");
      const dim = colour("--text-dim");
      const stacked = stack(series);
      const width = Math.max(4, Math.round(root.clientWidth / days.length) - (days.length > 60 ? 1 : 3));
      const bars = uPlotClass.paths.bars?.({ size: [0.8, Math.min(width, 48)], align: 0 });
      const format = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", timeZone: "UTC" });
      plot = new uPlotClass(
        {
          ...size(),
          padding: [8, 8, 0, 0],
          legend: { show: false },
          cursor: { show: false },
          tzDate: (at) => uPlotClass.tzDate(new Date(at * 1000), "UTC"),
          scales: { x: { time: true, range: (_, min, max) => [min - 43_200, max + 43_200] }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] } },
          axes: [
            {
              font, stroke: dim, size: 28, grid: { show: false }, ticks: { show: false }, space: 72,
              incrs: [1, 2, 7, 14, 30, 60, 90, 182, 365].map((n) => n * 86_400),
              values: (_, splits) => splits.map((at) => format.format(at * 1000)),
            },
            {
              font, stroke: dim, size: 56, space: 36, grid: { stroke: line, width: 1 }, ticks: { show: false },
              values: (_, splits) => splits.map((value) => amount(value, measure)),
            },
          ],
          series: [
            {},
            // The highest series is drawn first; lower ones cover it.
            ...stacked.map((_, i) => {
              const fill = colour(colours[Math.min(stacked.length - 1 - i, colours.length - 1)] ?? colours[0]);
              return { fill, width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) };
            }),
          ],
        },
        [days.map((day) => timeOf(day) / 1000), ...stacked],
        root,
      );
    }),
  );

  return (
    <div data-slot="plot" role="img" aria-label={props.label} ref={root}>
      <span ref={probe} data-slot="probe" aria-hidden="true" />
    </div>
  );
}

/** The running sums, highest first. */
function stack(series: readonly Series[]): number[][] {
  const sums: number[][] = [];
  for (const one of series) {
    const below = sums[0];
    sums.unshift(one.values.map((value, i) => value + (below?.[i] ?? 0)));
  }
  return sums;
}
