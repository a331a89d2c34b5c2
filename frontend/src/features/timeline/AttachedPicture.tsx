import ImageOff from "lucide-solid/icons/image-off";
import Image from "lucide-solid/icons/image";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { Attachment } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { useApp } from "../../store/context";
import { Picture } from "../../ui/picture";
import { picturesOf } from "./pictures";

/** A picture is loaded within this distance from the view. */
const NEAR = "300px";

/** A prompt's image: a thumbnail that opens in full on click. Its space is reserved before it is loaded. */
export function AttachedPicture(props: { sessionId: string; messageId: string; index: number; attachment: Attachment }): JSX.Element {
  const { host } = useApp();
  const [url, setUrl] = createSignal<string | null>(null);
  const [failed, setFailed] = createSignal(false);
  let root!: HTMLDivElement;

  onMount(() => {
    const pictures = picturesOf(host);
    const ref = { sessionId: props.sessionId, messageId: props.messageId, index: props.index };
    const gone = new AbortController();
    let taken = false;
    const read = () => {
      pictures.take(ref, gone.signal).then(
        (found) => {
          if (found === null) return;
          taken = true;
          if (gone.signal.aborted) pictures.drop(ref);
          else setUrl(found);
        },
        () => setFailed(true),
      );
    };
    onCleanup(() => {
      if (taken) pictures.drop(ref);
      gone.abort();
    });
    if (typeof IntersectionObserver !== "function") return read();
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        read();
      },
      { rootMargin: NEAR },
    );
    observer.observe(root);
    onCleanup(() => observer.disconnect());
  });

  return (
    <div ref={root} data-slot="attached-picture" title={failed() ? words().blocks.pictureGone : undefined}>
      <Show
        when={url()}
        fallback={
          <span data-slot="waiting" role="img" aria-label={failed() ? `${props.attachment.name}. ${words().blocks.pictureGone}` : props.attachment.name}>
            <Show when={failed()} fallback={<Image size={16} />}>
              <ImageOff size={16} />
            </Show>
          </span>
        }
      >
        {(src) => <Picture src={src()} name={props.attachment.name} />}
      </Show>
    </div>
  );
}
