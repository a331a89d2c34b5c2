import X from "lucide-solid/icons/x";
import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import type { Editor } from "./editor";

/** The folders whose new sessions are mirrored. */
export function MirrorFolders(props: { editor: Editor }): JSX.Element {
  const { state } = useApp();
  const words = () => text().chat.channels;
  const folders = () => props.editor.config.mirrorFolders ?? [];
  const short = (path: string) => tilde(path, state.info?.home ?? "");
  return (
    <div data-slot="mirror-folders">
      <span data-slot="label">{words().mirrorFolders}</span>
      <Show when={folders().length > 0} fallback={<p data-slot="aside">{words().mirrorFoldersNone}</p>}>
        <ul role="list">
          <For each={folders()}>
            {(path) => (
              <li>
                <bdi title={path}>{short(path)}</bdi>
                <IconButton label={words().removeFolder(short(path))} onClick={() => props.editor.setConfig("mirrorFolders", (list = []) => list.filter((one) => one !== path))}>
                  <X size={14} />
                </IconButton>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
