import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { AuditRecord } from "../../host/border.gen";
import { number, text, translated } from "../../i18n";
import { dayAndTime } from "../../lib/dates";
import { nameOf } from "../../lib/whose";
import { useApp } from "../../store/context";
import { ExactText } from "../../ui/exact-text";
import { titleOf } from "../../store/names";

/** A record on one line; expands to all its fields. */
export function LogRecord(props: { record: AuditRecord }): JSX.Element {
  const app = useApp();
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  const words = () => text().permission.log;
  const named = (names: Record<string, string>, name: string | undefined): string => (name ? (names[name] ?? name) : "");
  const what = () => named(words().types, props.record.type in words().types ? props.record.type : "") || named(words().outcomes, props.record.type === "asked" ? "asked" : props.record.outcome);
  /** Its subject: a tool call, a rule with its effect, or a Mattermost action. */
  const object = () =>
    props.record.type === "rule"
      ? (props.record.message ?? "")
      : [props.record.type === "chat" || props.record.type === "outside" ? props.record.kind : props.record.tool, props.record.summary].filter(Boolean).join(": ");
  const broken = () => props.record.type in words().types;
  const facts = (): [string, string][] => {
    const { record } = props;
    const names = words().details;
    const all: [string, string | undefined][] = [
      [names.why, translated(record.why ?? "")],
      [names.message, record.type === "rule" ? "" : record.message],
      [names.rules, record.rules.join(", ")],
      [names.remembered, record.remembered.join(", ")],
      [names.session, record.sessionId && titleOf(app, record.sessionId, record.sessionId)],
      [names.at, dayAndTime(record.at)],
      [names.kind, record.kind],
      [names.connection, record.connection],
      [names.request, record.requestId],
      [names.input, record.inputSha256],
      [names.edited, record.editedSha256],
      [names.lost, record.lost ? number(record.lost) : ""],
      [names.seq, number(record.seq)],
      [names.hash, record.hash],
    ];
    return all.filter((fact): fact is [string, string] => !!fact[1]);
  };
  return (
    <li data-slot="record" data-bad={broken() ? "" : undefined}>
      <button type="button" aria-expanded={open()} aria-controls={id} onClick={() => setOpen(!open())}>
        <ChevronRight size={14} />
        <time>{dayAndTime(props.record.at)}</time>
        <span data-slot="said">{[what(), named(words().bys, nameOf(props.record.by ?? ""))].filter(Boolean).join(" · ")}</span>
        <code>
          <ExactText text={object()} />
        </code>
      </button>
      <Show when={open()}>
        <div id={id}>
          <Show when={props.record.summary}>
            {(summary) => (
              <pre>
                <ExactText text={summary()} />
              </pre>
            )}
          </Show>
          <dl data-slot="details">
            <For each={facts()}>
              {([name, value]) => (
                <>
                  <dt>{name}</dt>
                  <dd>
                    <ExactText text={value} />
                  </dd>
                </>
              )}
            </For>
          </dl>
        </div>
      </Show>
    </li>
  );
}
