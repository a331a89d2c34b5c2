import Plus from "lucide-solid/icons/plus";
import Search from "lucide-solid/icons/search";
import { createEffect, createSignal, createUniqueId, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";

export interface Found {
  id: string;
  name: string;
  about: string;
  /** Whether it is on the list already. */
  taken: boolean;
  /** Why it can't be chosen, "" if it can. */
  barred?: string;
}

const typingDelay = 100;

/** Searches Mattermost by a part of a name. */
export function Finder<T>(props: {
  label: string;
  hint: string;
  /** Also searches before anything is typed. */
  eager?: boolean;
  autofocus?: boolean;
  find: (words: string) => Promise<{ found: T[]; more: boolean }>;
  show: (one: T) => Found;
  add: (name: string) => string;
  nothing: (words: string) => string;
  more?: string;
  onAdd: (one: T) => void;
}): JSX.Element {
  const id = createUniqueId();
  const [typed, setTyped] = createSignal("");
  const [open, setOpen] = createSignal(false);
  const [answer, setAnswer] = createSignal<{ words: string; found: T[]; more: boolean } | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  let field!: HTMLInputElement;
  let asked = 0;
  let taking = false;
  onCleanup(() => asked++);

  /** Between press and release, the target under the pointer must not move. */
  let pressed = false;
  const heard = new AbortController();
  onCleanup(() => heard.abort());
  onMount(() => {
    for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
      document.addEventListener(name, () => (pressed = name === "pointerdown"), { capture: true, signal: heard.signal });
    }
  });
  function leave(): void {
    if (!pressed) return void setOpen(false);
    // The click follows immediately.
    const later = () => setTimeout(() => !field.parentElement?.contains(document.activeElement) && setOpen(false));
    document.addEventListener("pointerup", later, { once: true, signal: heard.signal });
  }

  async function ask(words: string): Promise<void> {
    const mine = ++asked;
    setBusy(true);
    try {
      const { found, more } = await props.find(words);
      if (mine !== asked) return;
      setAnswer({ words, found, more });
      setError("");
    } catch (failure) {
      if (mine === asked) setError(messageOf(failure));
    } finally {
      if (mine === asked) setBusy(false);
    }
  }

  createEffect(
    on([typed, open], ([words, shown]) => {
      if (!shown || (words.trim() === "" && !props.eager)) {
        asked++;
        setAnswer(null);
        setBusy(false);
        return;
      }
      const timer = setTimeout(() => void ask(words.trim()), typingDelay);
      onCleanup(() => clearTimeout(timer));
    }),
  );

  function add(one: T): void {
    props.onAdd(one);
    setTyped("");
    setOpen(false);
    taking = true;
    field.focus();
    taking = false;
  }
  const free = () => answer()?.found.find((one) => !props.show(one).taken && !props.show(one).barred);

  return (
    <div
      data-slot="finder"
      onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && event.relatedTarget !== null && leave()}
      onKeyDown={(event) => {
        if (isComposing(event) || event.key !== "Escape" || !open()) return;
        event.preventDefault();
        event.stopPropagation();
        setOpen(false);
        setTyped("");
        field.focus();
      }}
    >
      <div data-slot="search">
        <Search size={15} aria-hidden="true" />
        <input
          ref={field}
          id={id}
          type="search"
          spellcheck={false}
          autocomplete="off"
          data-autofocus={props.autofocus ? "" : undefined}
          aria-label={props.label}
          placeholder={props.label}
          aria-controls={`${id}-found`}
          aria-describedby={open() && answer() ? undefined : `${id}-hint`}
          value={typed()}
          onFocus={() => props.eager && !taking && setOpen(true)}
          onClick={() => props.eager && setOpen(true)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setOpen(true);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || isComposing(event)) return;
            event.preventDefault();
            const one = free();
            if (one) add(one);
          }}
        />
      </div>
      <div id={`${id}-found`} data-slot="found" aria-busy={busy()}>
        <Show when={open() && error()}>
          {(why) => (
            <p data-slot="invalid" role="alert">
              {why()}{" "}
              <Button size="small" onClick={() => void ask(typed().trim())}>
                {text().common.tryAgain}
              </Button>
            </p>
          )}
        </Show>
        <Show when={open() && !error() && answer()} fallback={<p data-slot="aside" id={`${id}-hint`}>{props.hint}</p>}>
          {(now) => (
            <>
              <p class="visually-hidden" role="status">
                {now().found.length === 0 ? props.nothing(now().words) : ""}
              </p>
              <Show when={now().found.length > 0} fallback={<p data-slot="aside">{props.nothing(now().words)}</p>}>
                <ul role="list">
                  <For each={now().found}>
                    {(one) => {
                      const shown = () => props.show(one);
                      return (
                        <li>
                          <button type="button" data-slot="hit" disabled={shown().taken || !!shown().barred} aria-label={props.add(`${shown().name} ${shown().barred || shown().about}`)} onClick={() => add(one)}>
                            <Plus size={14} aria-hidden="true" />
                            <bdi data-slot="name">
                              <ExactText text={shown().name} />
                            </bdi>{" "}
                            <span data-slot="aside">{shown().barred || shown().about}</span>
                          </button>
                        </li>
                      );
                    }}
                  </For>
                </ul>
                <Show when={now().more && props.more}>
                  <p data-slot="aside">{props.more}</p>
                </Show>
              </Show>
            </>
          )}
        </Show>
      </div>
    </div>
  );
}
