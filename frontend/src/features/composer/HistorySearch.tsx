import { createEffect, createSignal, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import type { Author } from "../../host/border.gen";
import { ExactText } from "../../ui/exact-text";
import { AuthorName } from "../mattermost/AuthorName";
import { optionId } from "./SlashMenu";
import "./slash-menu.css";

/** Finds an earlier prompt by some of its words, above the box. */
export function HistorySearch(props: {
  id: string;
  /** The prompts that contain the words, newest first. */
  find: (words: string) => Promise<string[]>;
  /** The author of a prompt, if it was not the user. */
  authorOf: (prompt: string) => Author | undefined;
  onChoose: (prompt: string) => void;
  onClose: () => void;
}): JSX.Element {
  let field!: HTMLInputElement;
  let list: HTMLUListElement | undefined;
  const [typed, setTyped] = createSignal("");
  const [found, setFound] = createSignal<readonly string[]>([]);
  const [at, setAt] = createSignal(0);
  const words = () => text().composer;
  let serial = 0;
  /** Enter was pressed before the result arrived: take its first entry, not the stale one. */
  let early = false;
  let answered = false;
  onCleanup(() => serial++);
  onMount(() => field.focus());
  createEffect(
    on(typed, async (now) => {
      const mine = ++serial;
      answered = early = false;
      const prompts = await props.find(now).catch((): string[] => []);
      if (mine !== serial) return;
      setFound(prompts);
      setAt(0);
      answered = true;
      if (early && prompts[0] !== undefined) props.onChoose(prompts[0]);
      early = false;
    }),
  );
  createEffect(on(at, (index) => list?.children[index]?.scrollIntoView({ block: "nearest" })));

  function choose(index: number): void {
    const { length } = found();
    setAt((index + length) % length);
    answered = true;
    early = false;
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const { length } = found();
    const chosen = found()[at()];
    const again = event.key.toLowerCase() === "r" && event.ctrlKey;
    if (event.key === "Escape") props.onClose();
    else if (event.key === "Enter" && !answered) early = true;
    else if (event.key === "Enter" && chosen !== undefined) props.onChoose(chosen);
    else if (length > 0 && (event.key === "ArrowDown" || again)) choose(at() + 1);
    else if (length > 0 && event.key === "ArrowUp") choose(at() - 1);
    else if (!again) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div data-component="slash-menu" data-kind="history" onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && props.onClose()}>
      <Show
        when={found().length > 0}
        fallback={
          <p data-slot="wait" role="status">
            {words().historyNone}
          </p>
        }
      >
        <ul ref={(el) => (list = el)} role="listbox" id={props.id} aria-label={words().historySearch} onMouseDown={(event) => event.preventDefault()}>
          <For each={found()}>
            {(prompt, index) => (
              <li
                role="option"
                id={optionId(props.id, index())}
                aria-selected={at() === index()}
                onMouseMove={() => setAt(index())}
                onClick={() => props.onChoose(prompt)}
              >
                <span data-slot="prompt">
                  <ExactText text={prompt.replaceAll("\n", " ").slice(0, 300)} />
                </span>
                <Show when={props.authorOf(prompt)}>{(author) => <AuthorName author={author()} />}</Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <input
        ref={field}
        data-slot="field"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={props.id}
        aria-activedescendant={found().length > 0 ? optionId(props.id, at()) : undefined}
        aria-label={words().historyWords}
        placeholder={`${words().historyWords} · ${words().historyHint}`}
        value={typed()}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
