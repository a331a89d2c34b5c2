import CircleX from "lucide-solid/icons/circle-x";
import { type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import type { ProcessInfo } from "../../host/border.gen";
import { stateName } from "../../lib/names";
import { formatBytes } from "../../lib/time";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { share } from "./tree";

/** A process: its name, uptime and resource usage, with a button to end it, which asks first. */
export function ProcessRow(props: {
  process: ProcessInfo;
  title: string;
  detail: string;
  /** The usage including its descendants. */
  total?: string;
  /** The memory of a full bar. */
  most: number;
  below?: boolean;
  asking?: boolean;
  onAsk?: (on: boolean) => void;
  onEnd?: () => void;
  onOpen?: () => void;
}): JSX.Element {
  const cpu = () => {
    const percent = props.process.cpuPercent;
    const digits = percent < 10 ? 1 : 0;
    return text().figures.percent(number(percent, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  };
  return (
    <li data-slot="process" data-below={props.below || undefined}>
      <div data-slot="what">
        <Show when={props.onOpen} fallback={<span data-slot="title">{props.title}</span>}>
          {(open) => (
            <button type="button" data-slot="title" title={text().processes.open} onClick={() => open()()}>
              {props.title}
            </button>
          )}
        </Show>
        <span data-slot="detail">
          {props.process.pid} · {props.detail}
          {props.process.state && !props.below ? ` · ${stateName(props.process.state)}` : ""}
          {props.total ? ` · ${props.total}` : ""}
        </span>
      </div>
      <Show
        when={props.asking}
        fallback={
          <>
            <span data-slot="cpu" title={text().processes.ofOneCore}>
              {cpu()}
            </span>
            <span data-slot="memory">
              <span data-slot="bar" aria-hidden="true">
                <span style={{ width: `${100 * share(props.process.bytes, props.most)}%` }} />
              </span>
              <span data-slot="bytes">{formatBytes(props.process.bytes)}</span>
            </span>
            <Show when={props.onAsk} fallback={<span data-slot="none" />}>
              {(ask) => (
                <IconButton label={text().processes.endNamed(props.title)} onClick={() => ask()(true)}>
                  <CircleX />
                </IconButton>
              )}
            </Show>
          </>
        }
      >
        <div data-slot="ask" role="alertdialog" aria-label={text().processes.askNamed(props.title)}>
          <span>{props.below ? text().processes.askBelow : text().processes.ask}</span>
          <Button size="small" variant="ghost" onClick={() => props.onAsk?.(false)}>
            {text().processes.keep}
          </Button>
          <Button size="small" ref={(el) => queueMicrotask(() => el.focus())} onClick={() => props.onEnd?.()}>
            {text().processes.end}
          </Button>
        </div>
      </Show>
    </li>
  );
}
