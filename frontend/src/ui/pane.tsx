import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { text } from "../i18n";
import "./pane.css";

/** A framed area for content of any length: it scrolls internally, and can be expanded to its full height. */
export function Pane(props: {
  children: JSX.Element;
  label: string;
  tone?: "error";
  /** At the top right: a copy button. */
  corner?: JSX.Element;
}): JSX.Element {
  const [whole, setWhole] = createSignal(false);
  const [long, setLong] = createSignal(false);
  let box!: HTMLElement;
  let content!: HTMLElement;

  onMount(() => {
    const measure = () => setLong(content.scrollHeight > box.clientHeight + 4);
    const observer = new ResizeObserver(measure);
    observer.observe(content);
    onCleanup(() => observer.disconnect());
  });

  return (
    <div data-component="pane" data-tone={props.tone} data-whole={whole() || undefined}>
      <Show when={props.corner}>
        <div data-slot="corner">{props.corner}</div>
      </Show>
      <div
        ref={(el) => (box = el)}
        data-slot="box"
        role="group"
        aria-label={props.label}
        tabindex="0"
      >
        <div ref={(el) => (content = el)} data-slot="content">
          {props.children}
        </div>
      </div>
      <Show when={long() || whole()}>
        <button type="button" data-slot="more" onClick={() => setWhole(!whole())}>
          {whole() ? text().tools.showLess : text().tools.showAll}
        </button>
      </Show>
    </div>
  );
}
