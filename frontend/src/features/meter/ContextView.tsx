import RefreshCw from "lucide-solid/icons/refresh-cw";
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from "solid-js";
import type { ContextPart, ContextReport } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { baseName } from "../../lib/path";
import { formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { Compact } from "./Compact";
import { lastAnswer, percent, type Piece, piecesOf } from "./parts";
import "./context-view.css";

/** The content of a session's context window, and ways to free space. */
export function ContextView(props: { sessionId: string; onDone?: () => void }): JSX.Element {
  const { host, state } = useApp();
  const [report, setReport] = createSignal<ContextReport | null>(null);
  const [error, setError] = createSignal("");
  const [turn, setTurn] = createSignal(0);
  const session = () => state.sessions[props.sessionId];
  const words = () => text().usage.context;
  let asked = 0;
  onCleanup(() => asked++);

  // Reload after an answer or when the process starts or ends.
  createEffect(
    on(
      [() => props.sessionId, () => session()?.context?.used, () => session()?.context?.window, () => (session()?.pid ?? 0) > 0, turn, () => host.status().kind],
      ([sessionId, , , , , link]) => {
        const mine = ++asked;
        if (link !== "open") return;
        host.call("usage.context", { sessionId }).then(
          (answer) => {
            if (mine !== asked) return;
            setError("");
            setReport(() => answer);
          },
          (failure: unknown) => mine === asked && setError(messageOf(failure)),
        );
      },
    ),
  );

  const live = () => report()?.live === true;
  const context = () => session()?.context ?? null;
  // The meter's value, so that both agree. Before the first answer, the CLI's estimate.
  const used = () => context()?.used ?? report()?.total ?? 0;
  const total = () => {
    const { window, percent: share } = context() ?? {};
    return window === undefined || share === undefined ? words().used(formatTokens(used())) : words().total(formatTokens(used()), formatTokens(window), percent(share));
  };
  const pieces = (): Piece[] => {
    const known = report();
    return known?.live ? piecesOf(known) : lastAnswer(context());
  };
  const inside = () => pieces().filter((p) => p.kind !== "deferred");
  const outside = () => pieces().filter((p) => p.kind === "deferred");

  return (
    <section data-component="context-view">
      <header>
        <strong>{text().usage.meter.title}</strong>
        <span data-slot="total">{used() > 0 ? total() : ""}</span>
        <IconButton label={words().refresh} onClick={() => setTurn((n) => n + 1)}>
          <RefreshCw />
        </IconButton>
      </header>
      <Show when={error()}>
        <p data-slot="aside" role="alert">
          {words().failed} {error()}
        </p>
      </Show>
      <Show when={report() || error()} fallback={<p data-slot="aside" role="status">{words().asking}</p>}>
        <Show when={pieces().length > 0} fallback={<p data-slot="aside">{text().usage.meter.notYet}</p>}>
          <div data-slot="window" aria-hidden="true">
            {/* Empty while the window size is unknown. */}
            <For each={inside().filter((p) => p.share !== null)}>
              {(piece) => <span data-kind={piece.kind} data-piece={piece.id} style={{ "flex-grow": piece.tokens }} />}
            </For>
          </div>
          <table aria-label={words().bar}>
            <tbody>
              <For each={inside()}>{(piece) => <Line piece={piece} />}</For>
            </tbody>
          </table>
        </Show>
        <Show when={live()} fallback={<Show when={!error()}><p data-slot="aside">{words().asleep}</p></Show>}>
          <Show when={(report()?.autoCompactAt ?? 0) > 0}>
            <p data-slot="aside">{words().auto(number(report()?.autoCompactAt ?? 0))}</p>
          </Show>
          <p data-slot="aside">{words().estimate}</p>
          <Parts title={words().messages} parts={report()?.messages ?? []} name={(part) => (words().parts as Record<string, string>)[part.id] ?? part.name} />
          <Parts title={words().tools} parts={report()?.tools ?? []} />
          <Parts title={words().memoryFiles} parts={report()?.memoryFiles ?? []} name={(part) => baseName(part.name)} hint={(part) => part.name} />
          <Parts title={words().mcpTools} parts={report()?.mcpTools ?? []} />
          <Parts title={words().agents} parts={report()?.agents ?? []} />
          <Parts title={words().skills} parts={report()?.skills ?? []} />
          <Show when={outside().length > 0}>
            <Parts title={words().notIn} parts={outside().map((p) => ({ id: p.id, name: p.name, detail: "", tokens: p.tokens, kind: p.kind }))} />
          </Show>
        </Show>
      </Show>
      <Compact sessionId={props.sessionId} {...(props.onDone ? { onDone: props.onDone } : {})} />
    </section>
  );
}

function Line(props: { piece: Piece }): JSX.Element {
  return (
    <tr data-kind={props.piece.kind}>
      <th scope="row">
        <span data-slot="swatch" data-kind={props.piece.kind} data-piece={props.piece.id} aria-hidden="true" />
        {props.piece.name}
      </th>
      <td>{number(props.piece.tokens)}</td>
      <td>{props.piece.share === null ? "" : percent(props.piece.share)}</td>
    </tr>
  );
}

/** A collapsed list. */
function Parts(props: {
  title: string;
  parts: readonly ContextPart[];
  name?: (part: ContextPart) => string;
  hint?: (part: ContextPart) => string;
}): JSX.Element {
  const sum = () => props.parts.reduce((n, part) => n + part.tokens, 0);
  const nameOf = (part: ContextPart) => props.name?.(part) ?? part.name;
  return (
    <Show when={props.parts.length > 0}>
      <details>
        <summary>
          <span data-slot="name">{props.title}</span>
          <span data-slot="tokens">{formatTokens(sum())}</span>
        </summary>
        <ul role="list">
          <For each={props.parts}>
            {(part) => (
              <li title={props.hint?.(part) ?? nameOf(part)}>
                <span data-slot="name">
                  <bdi>{nameOf(part)}</bdi>
                  <Show when={part.detail}>
                    {" "}
                    <small>{part.detail}</small>
                  </Show>
                </span>
                <span data-slot="tokens">{number(part.tokens)}</span>
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  );
}
