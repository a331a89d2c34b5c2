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

function Blocks(props: { text: string; open: boolean }): JSX.Element {
  const [view, setView] = createStore<{ blocks: MarkdownBlock[] }>({ blocks: [] });
  let stream = new MarkdownStream();

  createComputed(() => {
    const { text, open } = props;
    batch(() => {
      if (!stream.continues(text)) {
        stream = new MarkdownStream();
        setView("blocks", []);
      }
      const from = stream.update(text, !open);
      if (view.blocks.length > stream.blocks.length) {
        setView("blocks", (blocks) => blocks.slice(0, stream.blocks.length));
      }
      // Setting single paths keeps a block's elements while it grows.
      for (const [i, block] of stream.blocks.slice(from).entries()) {
        setView("blocks", from + i, { ...block });
      }
    });
  });

  return (
    <For each={view.blocks}>
      {(block) => (
        <div data-slot="block" data-continues={block.continues || undefined}>
          <Switch>
            <Match when={block.kind === "code"}>
              <CodeBlock lang={block.lang} text={block.text} />
            </Match>
            <Match when={block.kind === "html"}>
              <Html html={block.html} />
            </Match>
          </Switch>
        </div>
      )}
    </For>
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
