import { batch, createComputed, createEffect, createRenderEffect, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { createStore } from "solid-js/store";
import { formatBytes } from "../time";
import { CodeBlock, HUGE } from "./CodeBlock";
import { writeClipboard } from "./CopyButton";
import { LongText } from "./LongText";
import { type MarkdownBlock, MarkdownStream } from "./stream";
import "./Markdown.css";

/**
 * Markdown from outside, drawn safely. While it is open the text may grow at its
 * end; then only what is new is read and drawn. Called with another text it
 * starts anew. A very long text that is there from the start is shown as plain
 * text, on demand.
 */
export function Markdown(props: { text: string; open?: boolean }): JSX.Element {
  const [folded, setFolded] = createSignal(props.text.length > HUGE && !props.open);
  return (
    <div data-component="markdown">
      <Show when={!folded()} fallback={<Folded text={props.text} onGone={() => setFolded(false)} />}>
        <Blocks text={props.text} open={props.open ?? false} />
      </Show>
    </div>
  );
}

function Folded(props: { text: string; onGone: () => void }): JSX.Element {
  const [plain, setPlain] = createSignal(false);
  // Another, shorter text may take this one's place.
  createEffect(() => {
    if (props.text.length <= HUGE) props.onGone();
  });
  return (
    <Show
      when={plain()}
      fallback={
        <button type="button" data-slot="unfold" onClick={() => setPlain(true)}>
          Long text, {formatBytes(props.text.length)}. Show it as plain text
        </button>
      }
    >
      <div data-slot="plain">
        <LongText text={props.text} />
      </div>
    </Show>
  );
}

// Blocks are kept in parts of this many: a new block makes Solid and the browser
// look through the last part only, however long the text is.
const PART = 64;

function Blocks(props: { text: string; open: boolean }): JSX.Element {
  const [view, setView] = createStore<{ parts: MarkdownBlock[][] }>({ parts: [] });
  let stream = new MarkdownStream();

  const shrinkTo = (length: number) => {
    const parts = Math.ceil(length / PART);
    if (view.parts.length > parts) setView("parts", (all) => all.slice(0, parts));
    const last = length - (parts - 1) * PART;
    if (parts > 0 && (view.parts[parts - 1]?.length ?? 0) > last) {
      setView("parts", parts - 1, (blocks) => blocks.slice(0, last));
    }
  };
  createComputed(() => {
    const { text, open } = props;
    batch(() => {
      if (!stream.continues(text)) {
        stream = new MarkdownStream();
        shrinkTo(0);
      }
      const from = stream.update(text, !open);
      shrinkTo(stream.blocks.length);
      // Setting single paths keeps a block's elements while it grows.
      for (const [offset, block] of stream.blocks.slice(from).entries()) {
        const part = Math.floor((from + offset) / PART);
        if (!view.parts[part]) setView("parts", part, []);
        setView("parts", part, (from + offset) % PART, { ...block });
      }
    });
  });

  return (
    <For each={view.parts}>
      {(blocks) => (
        <div data-slot="part">
          <For each={blocks}>{(block) => <BlockView block={block} />}</For>
        </div>
      )}
    </For>
  );
}

function BlockView(props: { block: MarkdownBlock }): JSX.Element {
  return (
    <div data-slot="block" data-continues={props.block.continues || undefined}>
      <Switch>
        <Match when={props.block.kind === "code"}>
          <CodeBlock lang={props.block.lang} text={props.block.text} />
        </Match>
        <Match when={props.block.kind === "html"}>
          <Html html={props.block.html} />
        </Match>
      </Switch>
    </div>
  );
}

// What comes here went through sanitize().
function Html(props: { html: string }): JSX.Element {
  const root = (<div data-slot="html" />) as HTMLDivElement;
  createRenderEffect(() => {
    root.innerHTML = props.html;
    addCopyButtons(root);
  });
  return root;
}

// Code inside lists and quotes gets its copy button, too.
function addCopyButtons(root: HTMLElement): void {
  for (const pre of root.querySelectorAll("pre")) {
    const frame = document.createElement("div");
    frame.dataset.slot = "nested-code";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      void writeClipboard(pre.textContent ?? "").then((done) => {
        button.textContent = done ? "Copied" : "Could not copy";
      });
    });
    pre.replaceWith(frame);
    pre.tabIndex = 0;
    frame.append(pre, button);
  }
}
