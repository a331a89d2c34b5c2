import { createEffect, createSignal, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import type { RuleChoice, RuleOffer, RulePreview } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text, translatedAround } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Kbd } from "../../ui/kbd";
import { Radios } from "../../ui/radios";
import "./rule-form.css";

export type Preview = (requestId: string, rule: RuleChoice) => Promise<RulePreview>;

const scopes = ["session", "workspace", "global"] as const;
const expiries = ["hour", "today", "never"] as const;
const REST_MS = 150;

/** Creates a rule with the answer. The user reviews and narrows its pattern, scope and duration first. */
export function RuleForm(props: {
  offers: readonly RuleOffer[];
  busy: boolean;
  preview: (rule: RuleChoice) => Promise<RulePreview>;
  onSend: (rule: RuleChoice) => void;
  onBack: () => void;
}): JSX.Element {
  const [offer, setOffer] = createSignal(0);
  const [texts, setTexts] = createSignal<readonly string[]>(props.offers[0]?.rules ?? []);
  const [scope, setScope] = createSignal<(typeof scopes)[number]>("session");
  const [expiry, setExpiry] = createSignal<(typeof expiries)[number]>("never");
  const [seen, setSeen] = createSignal<RulePreview | null>(null);
  const [error, setError] = createSignal("");
  const words = () => text().approval.rule;
  let root!: HTMLDivElement;
  // Wait until the menu has returned the focus.
  onMount(() => {
    const timer = setTimeout(() => root.querySelector("input")?.focus());
    onCleanup(() => clearTimeout(timer));
  });

  const choice = (): RuleChoice => ({ offer: offer(), texts: [...texts()], scope: scope(), ...(scope() === "session" ? {} : { expiry: expiry() }) });
  let serial = 0;
  createEffect(
    on([offer, texts, scope, expiry], () => {
      const mine = ++serial;
      setSeen(null);
      const timer = setTimeout(() => {
        props.preview(choice()).then(
          (preview) => {
            if (mine !== serial) return;
            setSeen(preview);
            setError("");
          },
          (failure: unknown) => mine === serial && setError(messageOf(failure)),
        );
      }, REST_MS);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  const ready = () => seen() !== null && !props.busy;
  const send = () => {
    if (ready()) props.onSend(choice());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") props.onBack();
    else if (event.key === "Enter" && isMod(event)) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={(el) => (root = el)} data-component="rule-form" role="group" aria-label={words().title} onKeyDown={onKeyDown}>
      <Show when={props.offers.length > 1}>
        <Radios
          legend={words().offer}
          choices={props.offers.map((it, id) => ({ id, name: translatedAround(it.means) }))}
          value={offer()}
          onChange={(i) => {
            setOffer(i);
            setTexts(props.offers[i]?.rules ?? []);
          }}
        />
      </Show>
      <For each={[...texts().keys()]}>
        {(i) => (
          <label data-slot="text">
            <span>{words().text}</span>
            <input
              type="text"
              spellcheck={false}
              value={texts()[i] ?? ""}
              aria-invalid={error() !== ""}
              onInput={(event) => setTexts(texts().map((old, at) => (at === i ? event.currentTarget.value : old)))}
            />
          </label>
        )}
      </For>
      <div data-slot="sides">
        <Radios legend={words().scope} choices={scopes.map((id) => ({ id, name: words().scopes[id] }))} value={scope()} onChange={setScope} />
        <Show when={scope() !== "session"}>
          <Radios legend={words().expiry} choices={expiries.map((id) => ({ id, name: words().expiries[id] }))} value={expiry()} onChange={setExpiry} />
        </Show>
      </div>
      <p data-slot="seen" role="status">
        <For each={seen()?.rules ?? []}>
          {(rule) => (
            <code>
              <ExactText text={rule.text} />
            </code>
          )}
        </For>
        <Show when={(seen()?.also.length ?? 0) > 0}> {words().also(seen()?.also.length ?? 0)}</Show>
      </p>
      <Show when={error()}>
        <p data-slot="invalid" role="alert">
          {error()}
        </p>
      </Show>
      <div data-slot="actions">
        <Button variant="primary" disabled={!ready()} onClick={send}>
          {words().send} <Kbd keys="Mod+Enter" />
        </Button>
        <Button variant="ghost" onClick={() => props.onBack()}>
          {text().approval.back}
        </Button>
      </div>
    </div>
  );
}
