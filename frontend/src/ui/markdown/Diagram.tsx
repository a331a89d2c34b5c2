import CodeXml from "lucide-solid/icons/code-xml";
import Workflow from "lucide-solid/icons/workflow";
import { createEffect, createResource, createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { text as words } from "../../i18n";
import { Picture } from "../picture";
import { dropUrl, makeUrl } from "../../lib/object-url";
import { CodeBlock } from "./CodeBlock";
import { drawDiagram, type Drawing } from "./diagram";
import { createDarkness } from "./darkness";
import "./Diagram.css";

/** A Mermaid diagram as an image, rendered when it comes into view; or its source, on request or if it can't be
 * rendered. */
export function Diagram(props: { source: string }): JSX.Element {
  const dark = createDarkness();
  const [near, setNear] = createSignal(false);
  const [asSource, setAsSource] = createSignal(false);
  let root!: HTMLDivElement;

  onMount(() => {
    if (typeof IntersectionObserver !== "function") return;
    const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setNear(true), { rootMargin: "400px" });
    observer.observe(root);
    onCleanup(() => observer.disconnect());
  });

  const [drawing] = createResource(
    () => (near() ? { source: props.source, dark: dark() } : false),
    ({ source, dark: inDark }) => drawDiagram(source, inDark),
  );
  const made = () => {
    const found = drawing.latest;
    return found?.ok ? found : undefined;
  };
  const why = () => {
    const found: Drawing | undefined = drawing.latest;
    return found && !found.ok ? found.why : undefined;
  };
  const url = createObjectUrl(() => made()?.svg);

  const Toggle = () => (
    <button
      type="button"
      data-component="copy-button"
      aria-label={asSource() ? words().blocks.showDiagram : words().blocks.showSource}
      title={asSource() ? words().blocks.showDiagram : words().blocks.showSource}
      onClick={() => setAsSource(!asSource())}
    >
      <Show when={asSource()} fallback={<CodeXml size={14} />}>
        <Workflow size={14} />
      </Show>
    </button>
  );

  return (
    <div ref={root} data-component="diagram" data-state={why() !== undefined ? "failed" : made() ? "drawn" : "waiting"}>
      <Show
        when={!asSource() && made()}
        fallback={
          <>
            <CodeBlock lang="mermaid" text={props.source} actions={<Show when={made()}>{Toggle()}</Show>} />
            <Show when={why()}>{(reason) => <p data-slot="why">{words().blocks.diagramFailed(reason())}</p>}</Show>
            <Show when={drawing.loading}>
              <p data-slot="drawing">{words().blocks.diagramDrawing}</p>
            </Show>
          </>
        }
      >
        {(found) => (
          <figure>
            <figcaption>
              <span>{words().blocks.diagram}</span>
              {Toggle()}
            </figcaption>
            <Show when={url()}>
              {(src) => <Picture src={src()} name="diagram.svg" label={words().blocks.diagram} width={found().width} height={found().height} />}
            </Show>
          </figure>
        )}
      </Show>
    </div>
  );
}

/** The URL of an image in memory, for as long as it is shown. */
function createObjectUrl(svg: () => string | undefined): () => string | undefined {
  const [url, setUrl] = createSignal<string>();
  createEffect(() => {
    const source = svg();
    if (source === undefined) {
      setUrl(undefined);
      return;
    }
    const made = makeUrl(new Blob([source], { type: "image/svg+xml" }));
    setUrl(made);
    onCleanup(() => dropUrl(made));
  });
  return url;
}
