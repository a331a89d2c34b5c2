import CaseSensitive from "lucide-solid/icons/case-sensitive";
import ChevronDown from "lucide-solid/icons/chevron-down";
import ChevronUp from "lucide-solid/icons/chevron-up";
import WholeWord from "lucide-solid/icons/whole-word";
import X from "lucide-solid/icons/x";
import { createEffect, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { text } from "../../i18n";
import { bringIntoView } from "../../lib/into-view";
import { isComposing } from "../../lib/keys";
import { useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { IconButton } from "../../ui/icon-button";
import { mark, unmark } from "./marks";
import { createFinder, type Spot } from "./model";
import "./find.css";

/** Finds a text anywhere in the conversation, and steps through the matches. */
export function FindBar(props: {
  sessionId: string;
  /** Counts the requests to open it: each one focuses the field. */
  asked: number;
  /** The element with the messages. */
  root: () => Element | undefined;
  onClose: () => void;
}): JSX.Element {
  const { host, actions } = useApp();
  const pane = usePane();
  let field!: HTMLInputElement;
  let frame = 0;
  /** The match that is not in view yet. */
  let pending: Spot | null = null;

  // A bar belongs to one session.
  const finder = createFinder(host, props.sessionId, (spot) => {
    pending = spot;
    void actions.jump(props.sessionId, { messageId: spot.hit.messageId }).then(soon, soon);
  });

  function draw(): void {
    const root = props.root();
    if (!root) return;
    const current = mark(root, finder.query(), finder.spot());
    if (!current || pending !== finder.spot()) return;
    pending = null;
    const box = current.getBoundingClientRect();
    const view = root.getBoundingClientRect();
    const around = current.startContainer.parentElement;
    const seen = box.top >= view.top + 60 && box.bottom <= view.bottom - 20;
    if (around) bringIntoView(around, seen ? null : { block: "center" });
  }
  const soon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };

  onMount(() => {
    // Rows come and go while scrolling, and grow while an answer is written.
    const observer = new MutationObserver(soon);
    const root = props.root();
    if (root) observer.observe(root, { childList: true, characterData: true, subtree: true });
    onCleanup(() => observer.disconnect());
  });
  createEffect(on([finder.query, finder.spot, finder.places], soon));
  createEffect(
    on(
      () => props.asked,
      () => {
        field.focus();
        field.select();
      },
    ),
  );
  /** Returns the focus to the previous element, or else to the composer. */
  const before = document.activeElement;
  onCleanup(() => {
    cancelAnimationFrame(frame);
    unmark();
    queueMicrotask(() => {
      if (document.activeElement !== document.body) return;
      const back = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : pane.box();
      back?.focus({ preventScroll: true });
    });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") props.onClose();
    else if (event.key === "Enter" && event.target === field) finder.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const count = () => {
    const words = text().find;
    if (finder.query().text === "") return "";
    if (finder.places() === 0) return finder.busy() ? words.looking(finder.messages().done, finder.messages().total) : words.none;
    return finder.busy() ? words.soFar(finder.at(), finder.places()) : words.place(finder.at(), finder.places());
  };

  return (
    <div data-component="find-bar" role="search" aria-label={text().find.label} onKeyDown={onKeyDown}>
      <input
        ref={(el) => (field = el)}
        type="text"
        spellcheck={false}
        autocomplete="off"
        maxlength="200"
        aria-label={text().find.label}
        placeholder={text().find.placeholder}
        value={finder.query().text}
        onInput={(event) => finder.set({ text: event.currentTarget.value })}
      />
      <span data-slot="count" data-none={(finder.query().text !== "" && !finder.busy() && finder.places() === 0) || undefined}>
        {count()}
      </span>
      <span class="visually-hidden" role="status">
        {finder.query().text !== "" && !finder.busy() ? text().find.found(finder.places()) : ""}
      </span>
      <IconButton
        label={text().find.matchCase}
        aria-pressed={finder.query().matchCase}
        onClick={() => finder.set({ matchCase: !finder.query().matchCase })}
      >
        <CaseSensitive />
      </IconButton>
      <IconButton
        label={text().find.words}
        aria-pressed={finder.query().words}
        onClick={() => finder.set({ words: !finder.query().words })}
      >
        <WholeWord />
      </IconButton>
      <IconButton label={text().find.older} disabled={finder.places() === 0} onClick={() => finder.step(1)}>
        <ChevronUp />
      </IconButton>
      <IconButton label={text().find.newer} disabled={finder.places() === 0} onClick={() => finder.step(-1)}>
        <ChevronDown />
      </IconButton>
      <IconButton label={text().find.close} onClick={() => props.onClose()}>
        <X />
      </IconButton>
      <Show when={finder.error()}>
        <p data-slot="error" role="alert">
          {finder.error()}
        </p>
      </Show>
    </div>
  );
}
