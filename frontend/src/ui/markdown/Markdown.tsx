import { batch, createComputed, createEffect, createRenderEffect, createSignal, For, type JSX, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { text as words } from "../../i18n";
import { PictureDialog } from "../picture";
import { choose } from "../../lib/choose";
import { stable } from "../../lib/stable";
import { formatBytes } from "../../lib/time";
import { CodeBlock, HUGE } from "./CodeBlock";
import { Diagram } from "./Diagram";
import { drawFormulas } from "./dialect";
import { finish } from "./finish";
import { LongText } from "./LongText";
import { plainly } from "../../lib/plainly";
import { type MarkdownBlock, MarkdownStream } from "./stream";
import "./Markdown.css";

/**
 * External Markdown, rendered safely. While open is set, the text may grow at its end; then only the addition is parsed
 * and rendered. A different text starts over. A very long initial text is shown as plain text, on demand.
 */
export function Markdown(props: { text: string; open?: boolean }): JSX.Element {
  const [folded, setFolded] = createSignal(props.text.length > HUGE && !props.open);
  return (
    <div data-component="markdown">
      {folded() ? <Folded text={props.text} onGone={() => setFolded(false)} /> : <Blocks text={props.text} open={props.open ?? false} />}
    </div>
  );
}

function Folded(props: { text: string; onGone: () => void }): JSX.Element {
  const [plain, setPlain] = createSignal(false);
  // A different, shorter text may replace this one.
  createEffect(() => {
    if (props.text.length <= HUGE) props.onGone();
  });
  return (
    <>
      {plain() ? (
        <div data-slot="plain">
          <LongText text={props.text} />
        </div>
      ) : (
        <button type="button" data-slot="unfold" onClick={() => setPlain(true)}>
          {words().blocks.longText(formatBytes(props.text.length))}
        </button>
      )}
    </>
  );
}

// Blocks per part: for a new block, Solid only checks the last part, however long the text is. The browser skips
// off-screen parts if they were rendered while streaming, so that it knows their heights; others are laid out, because
// an estimated height would move the content being read.
const PART = 32;
// Every such part costs a little in every frame, except inside a larger off-screen element: a growing text is grouped
// into chapters of this many parts.
const CHAPTER = 8;
// The amount parsed at a time, so that the page stays responsive, however much arrives at once.
const SLICE = 1_200;

function Blocks(props: { text: string; open: boolean }): JSX.Element {
  const [view, setView] = createStore<{ chapters: MarkdownBlock[][][] }>({ chapters: [] });
  let stream = new MarkdownStream();
  let fed = 0;
  let begun = false;
  const live = untrack(() => props.open);
  // Other texts are one chapter.
  const chapterSize = live ? CHAPTER : Number.MAX_SAFE_INTEGER;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const [turn, setTurn] = createSignal(0);
  onCleanup(() => clearTimeout(timer));

  const shrinkTo = (length: number) => {
    const parts = Math.ceil(length / PART);
    const chapters = Math.ceil(parts / chapterSize);
    if (view.chapters.length > chapters) setView("chapters", (all) => all.slice(0, chapters));
    if (chapters === 0) return;
    const kept = parts - (chapters - 1) * chapterSize;
    const last = view.chapters[chapters - 1] ?? [];
    if (last.length > kept) setView("chapters", chapters - 1, (all) => all.slice(0, kept));
    const left = length - (parts - 1) * PART;
    if ((last[kept - 1]?.length ?? 0) > left) setView("chapters", chapters - 1, kept - 1, (blocks) => blocks.slice(0, left));
  };
  createComputed(() => {
    const { text, open } = props;
    turn();
    clearTimeout(timer);
    // Rendering must not trigger another parse.
    const read = () => {
      if (!stream.continues(text)) {
        stream = new MarkdownStream();
        fed = 0;
        shrinkTo(0);
      }
      // The initial text is rendered immediately, so that its size is known.
      const end = begun && text.length - fed > SLICE ? fed + SLICE : text.length;
      begun = true;
      fed = end;
      if (end < text.length) timer = setTimeout(() => setTurn((n) => n + 1));
      const from = stream.update(text.slice(0, end), !open && end === text.length);
      shrinkTo(stream.blocks.length);
      // Setting single paths keeps a block's elements while it grows.
      for (const [offset, block] of stream.blocks.slice(from).entries()) {
        const at = Math.floor((from + offset) / PART);
        const [chapter, part] = [Math.floor(at / chapterSize), at % chapterSize];
        if (!view.chapters[chapter]) setView("chapters", chapter, []);
        if (!view.chapters[chapter]?.[part]) setView("chapters", chapter, part, []);
        setView("chapters", chapter, part, (from + offset) % PART, { ...block });
      }
    };
    untrack(() => batch(read));
  });

  return (
    <For each={view.chapters}>
      {(parts) =>
        live ? (
          <div data-slot="chapter" data-live>
            <Parts parts={parts} live />
          </div>
        ) : (
          <Parts parts={parts} />
        )
      }
    </For>
  );
}

function Parts(props: { parts: MarkdownBlock[][]; live?: boolean }): JSX.Element {
  return (
    <For each={props.parts}>
      {(blocks) => (
        <div data-slot="part" data-live={props.live || undefined}>
          <For each={blocks}>{(block) => <BlockView block={block} />}</For>
        </div>
      )}
    </For>
  );
}

function BlockView(props: { block: MarkdownBlock }): JSX.Element {
  return (
    <div data-slot="block" data-continues={props.block.continues || undefined} data-heading={headingOf(props.block)}>
      {choose(
        () => (isDiagram(props.block) ? "diagram" : props.block.kind),
        (kind) => {
          if (kind === "diagram") return <Diagram source={props.block.text} />;
          if (kind === "html") return <Html html={props.block.html} />;
          return <CodeBlock lang={props.block.lang} text={props.block.text} open={props.block.open} />;
        },
      )}
    </div>
  );
}

/** The level of a block's leading heading. */
const headingOf = ({ kind, html }: MarkdownBlock) => (kind === "html" ? /^<h([3-6])>/.exec(html)?.[1] : undefined);

const isDiagram = ({ kind, lang, open }: MarkdownBlock) => kind === "code" && lang.toLowerCase() === "mermaid" && !open && !plainly();

// The content has passed sanitize().
function Html(props: { html: string }): JSX.Element {
  const [picture, setPicture] = createSignal<{ src: string; alt: string }>();
  const shown = stable(picture);
  const root = (<div data-slot="html" dir="auto" />) as HTMLDivElement;
  createRenderEffect(() => {
    root.innerHTML = props.html;
    finish(root, (src, alt) => setPicture({ src, alt }));
    // If it can't be loaded, the source stays.
    drawFormulas(root).catch(() => {});
  });
  return (
    <>
      {root}
      {picture() && <PictureDialog open src={shown().src} name={shown().alt || words().blocks.picture} onClose={() => setPicture(undefined)} />}
    </>
  );
}
