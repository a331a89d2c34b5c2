import { batch, createComputed, createEffect, createRenderEffect, createSignal, For, type JSX, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { text as words } from "../../i18n";
import { PictureDialog } from "../picture";
import { choose } from "../../lib/choose";
import { held } from "../../lib/held";
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
 * Markdown from outside, drawn safely. While it is open the text may grow at its
 * end; then only what is new is read and drawn. Called with another text it
 * starts again. A very long text that is there from the start is shown as plain
 * text, on demand.
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
  // Another, shorter text may take this one's place.
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

// Blocks are kept in parts of this many: a new block makes Solid look through the
// last part only, however long the text is. The browser does nothing for parts that
// are out of sight when they were seen growing, so that it knows their heights; others
// are laid out, because a height that is guessed moves what is read.
const PART = 32;
// Every such part costs a little in every frame, but for those in something larger that
// is out of sight itself: what grows is kept in chapters of so many parts.
const CHAPTER = 8;
// So much of what has come is read at a time, so that the page can do something
// else in between, however much comes at once.
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
    // What is drawn is no reason to read again.
    const read = () => {
      if (!stream.continues(text)) {
        stream = new MarkdownStream();
        fed = 0;
        shrinkTo(0);
      }
      // What is there from the start is drawn at once, so that its size is known.
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

/** The level of the heading that a block begins with. */
const headingOf = ({ kind, html }: MarkdownBlock) => (kind === "html" ? /^<h([3-6])>/.exec(html)?.[1] : undefined);

const isDiagram = ({ kind, lang, open }: MarkdownBlock) => kind === "code" && lang.toLowerCase() === "mermaid" && !open && !plainly();

// What comes here went through sanitize().
function Html(props: { html: string }): JSX.Element {
  const [picture, setPicture] = createSignal<{ src: string; alt: string }>();
  const shown = held(picture);
  const root = (<div data-slot="html" dir="auto" />) as HTMLDivElement;
  createRenderEffect(() => {
    root.innerHTML = props.html;
    finish(root, (src, alt) => setPicture({ src, alt }));
    // Where it cannot be loaded, the source stays.
    drawFormulas(root).catch(() => {});
  });
  return (
    <>
      {root}
      {picture() && <PictureDialog open src={shown().src} name={shown().alt || words().blocks.picture} onClose={() => setPicture(undefined)} />}
    </>
  );
}
