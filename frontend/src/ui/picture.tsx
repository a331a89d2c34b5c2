import { Dialog as Kobalte } from "@kobalte/core/dialog";
import Download from "lucide-solid/icons/download";
import Maximize2 from "lucide-solid/icons/maximize-2";
import Minimize2 from "lucide-solid/icons/minimize-2";
import X from "lucide-solid/icons/x";
import { createSignal, type JSX, Show } from "solid-js";
import type { Host } from "../host/host";
import { text as words } from "../i18n";
import { canDragOut, dragOut } from "../host/drag-out";
import { fileName } from "../lib/file-name";
import { contentOf } from "../lib/object-url";
import { offer } from "../lib/offers";
import { saveFile } from "../host/save-file";
import { useHost } from "../host/context";
import { ExactText } from "./exact-text";
import { IconButton } from "./icon-button";
import "./picture.css";

interface PictureProps {
  /** A data: or blob: URL. Nothing else is ever loaded. */
  src: string;
  /** The file name for saving it. */
  name: string;
  /** Its accessible name; defaults to the file name. */
  label?: string;
  width?: number;
  height?: number;
}

/** A thumbnail of a picture in memory; a click shows it in full. */
export function Picture(props: PictureProps): JSX.Element {
  const host = useHost();
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <button
        type="button"
        ref={(el) => offer(el, { picture: () => ({ src: props.src, name: props.name }) })}
        data-component="picture"
        aria-label={words().blocks.openPicture(props.label ?? props.name)}
        title={words().blocks.openPicture(props.label ?? props.name)}
        draggable={canDragOut(host)}
        onDragStart={(event) => dragPicture(host, event, props)}
        onClick={() => setOpen(true)}
      >
        <img src={props.src} alt="" width={props.width || undefined} height={props.height || undefined} loading="lazy" draggable={false} />
      </button>
      <PictureDialog {...props} open={open()} onClose={() => setOpen(false)} />
    </>
  );
}

function dragPicture(host: Host | undefined, event: DragEvent, { src, name }: PictureProps): void {
  const content = contentOf(src);
  if (content) dragOut(host, event, { name, content });
  else event.preventDefault();
}

/** A picture fitted to the window, or at its full size. */
export function PictureDialog(props: PictureProps & { open: boolean; onClose: () => void }): JSX.Element {
  return (
    <Kobalte open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Kobalte.Portal>
        <Kobalte.Overlay data-component="dialog-overlay" />
        <Viewer {...props} />
      </Kobalte.Portal>
    </Kobalte>
  );
}

function Viewer(props: PictureProps & { onClose: () => void }): JSX.Element {
  const host = useHost();
  const [full, setFull] = createSignal(false);
  const [failed, setFailed] = createSignal(false);
  const save = () => {
    const content = contentOf(props.src);
    if (!content) return setFailed(true);
    saveFile(host, fileName(props.name, content.type), content.type, content).then(
      () => setFailed(false),
      () => setFailed(true),
    );
  };
  let stage!: HTMLDivElement;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "1": () => setFull(true), "0": () => setFull(false), "+": () => setFull(true), "-": () => setFull(false) }[event.key];
    if (act) {
      act();
      event.preventDefault();
    }
  };
  return (
    <Kobalte.Content
      ref={(el) => offer(el, { picture: () => ({ src: props.src, name: props.name }) })}
      data-component="picture-dialog"
      onKeyDown={onKeyDown}
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        stage.focus();
      }}
    >
      <header data-slot="header">
        <Kobalte.Title data-slot="title">
          <ExactText text={props.name} />
        </Kobalte.Title>
        <IconButton label={full() ? words().blocks.fit : words().blocks.actualSize} shortcut={full() ? "0" : "1"} onClick={() => setFull(!full())}>
          <Show when={full()} fallback={<Maximize2 />}>
            <Minimize2 />
          </Show>
        </IconButton>
        <Show when={failed()}>
          <span data-slot="failed" role="alert">
            {words().blocks.saveFailed}
          </span>
        </Show>
        <IconButton label={words().blocks.download} onClick={save}>
          <Download />
        </IconButton>
        <IconButton label={words().common.close} shortcut="Esc" onClick={() => props.onClose()}>
          <X />
        </IconButton>
      </header>
      {/* Scrollable by keyboard when it is larger than the window. */}
      <div ref={stage} data-slot="stage" data-full={full() || undefined} tabindex="0" onDblClick={() => setFull(!full())}>
        <img
          src={props.src}
          alt={props.label ?? props.name}
          width={full() ? props.width || undefined : undefined}
          draggable={canDragOut(host)}
          onDragStart={(event) => dragPicture(host, event, props)}
        />
      </div>
    </Kobalte.Content>
  );
}
