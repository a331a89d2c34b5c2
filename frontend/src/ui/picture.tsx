import { Dialog as Kobalte } from "@kobalte/core/dialog";
import Download from "lucide-solid/icons/download";
import Maximize2 from "lucide-solid/icons/maximize-2";
import Minimize2 from "lucide-solid/icons/minimize-2";
import X from "lucide-solid/icons/x";
import { createSignal, type JSX, Show } from "solid-js";
import { text as words } from "../i18n";
import { contentOf } from "../lib/object-url";
import { saveFile } from "../lib/save-file";
import { useHost } from "../store/context";
import { ExactText } from "./exact-text";
import { IconButton } from "./icon-button";
import "./picture.css";

interface PictureProps {
  /** A data: or blob: address. Nothing else is ever loaded. */
  src: string;
  /** The name of the file that it is saved as. */
  name: string;
  /** What it is, for those who do not see it. The name when left out. */
  label?: string;
  width?: number;
  height?: number;
}

/** A picture that is held in memory, small; a click shows it in full. */
export function Picture(props: PictureProps): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <button
        type="button"
        data-component="picture"
        aria-label={words().blocks.openPicture(props.label ?? props.name)}
        title={words().blocks.openPicture(props.label ?? props.name)}
        onClick={() => setOpen(true)}
      >
        <img src={props.src} alt="" width={props.width || undefined} height={props.height || undefined} loading="lazy" draggable={false} />
      </button>
      <PictureDialog {...props} open={open()} onClose={() => setOpen(false)} />
    </>
  );
}

/** A picture as large as the window, or as large as it is. */
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
  let content: HTMLElement | undefined;

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
      ref={content}
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
        <img src={props.src} alt={props.label ?? props.name} width={full() ? props.width || undefined : undefined} draggable={false} />
      </div>
    </Kobalte.Content>
  );
}

const endings: Record<string, string> = { "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg" };

/** A name that is only a name: no folder, nothing hidden, not too long, and with an ending. */
export function fileName(name: string, type: string): string {
  const plain = name.replace(/^.*[/\\]/s, "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, "").replace(/^\.+/, "");
  const ending = /\.\w{2,5}$/.test(plain) ? "" : (endings[type] ?? "");
  return (plain.slice(-120) || "file") + ending;
}
