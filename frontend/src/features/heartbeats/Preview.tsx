import ArrowLeft from "lucide-solid/icons/arrow-left";
import Play from "lucide-solid/icons/play";
import { For, type JSX, Show } from "solid-js";
import type { HeartbeatPreview } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { modeName, modelName } from "../../lib/names";
import { tilde } from "../../lib/path";
import { createClock, formatCost, formatTokens } from "../../lib/time";
import { moment, relative } from "../../lib/dates";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";
import type { HeartbeatsModel } from "./model";

const most = 5;

/** What a run would send now, and its estimated cost. Nothing runs. */
export function Preview(props: { model: HeartbeatsModel; name: string }): JSX.Element {
  const reading = createReading("heartbeat.preview", () => ({ name: props.name }), { globals: ["heartbeats.changed"] });
  const words = () => text().heartbeats.preview;
  return (
    <section data-slot="preview" aria-label={words().title(props.name)}>
      <header data-slot="back">
        <IconButton label={text().heartbeats.form.back} onClick={() => props.model.list()}>
          <ArrowLeft />
        </IconButton>
        <h3 data-autofocus="" tabindex="-1">
          {words().title(props.name)}
        </h3>
        <Button
          onClick={() => {
            props.model.list();
            void props.model.run(props.name);
          }}
        >
          <Play size={14} /> {words().runNow}
        </Button>
      </header>
      <p data-slot="aside">{words().about}</p>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().heartbeats.failed} />}>
        {(preview) => <Facts preview={preview()} zone={props.model.reading.answer()?.zone ?? ""} />}
      </Show>
    </section>
  );
}

function Facts(props: { preview: HeartbeatPreview; zone: string }): JSX.Element {
  const { state } = useApp();
  const now = createClock(10_000);
  const words = () => text().heartbeats.preview;
  const runs = () => number(props.preview.runsPerMonth);
  return (
    <>
      <Show when={props.preview.blocked}>
        {(why) => (
          <p data-slot="notice" role="status">
            {words().blocked(why())}
          </p>
        )}
      </Show>
      <h4 id="heartbeat-prompt">{words().prompt}</h4>
      <pre data-slot="sent" tabindex="0" role="group" aria-labelledby="heartbeat-prompt">
        {props.preview.prompt}
      </pre>
      <dl data-slot="facts">
        <dt>{words().folder}</dt>
        <dd>
          <bdi>{tilde(props.preview.folder, state.info?.home ?? "")}</bdi>
        </dd>
        <dt>{words().model}</dt>
        <dd>{props.preview.model ? modelName(props.preview.model) : words().byCLI}</dd>
        <dt>{words().mode}</dt>
        <dd>{props.preview.permissionMode ? modeName(props.preview.permissionMode) : words().byCLI}</dd>
        <dt>{words().estimate}</dt>
        <dd>
          <Show when={props.preview.basis > 0} fallback={words().none}>
            {words().run(formatTokens(props.preview.tokens), formatCost(props.preview.costUSD))}
            <small>{words().basis(props.preview.basis)}</small>
          </Show>
          <Show when={props.preview.runsPerMonth > 0}>
            <p>{props.preview.basis > 0 ? words().month(runs(), formatCost(props.preview.costUSD * props.preview.runsPerMonth)) : words().monthRuns(runs())}</p>
          </Show>
        </dd>
      </dl>
      <Show when={props.preview.next.length > 0}>
        <h4>{words().next}</h4>
        <ol role="list" data-slot="due">
          <For each={props.preview.next.slice(0, most)}>
            {(at) => (
              <li>
                <time datetime={new Date(at).toISOString()}>{moment(at, props.zone)}</time> <span>{relative(at, now())}</span>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </>
  );
}
