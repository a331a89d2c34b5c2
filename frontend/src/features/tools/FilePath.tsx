import SquareArrowOutUpRight from "lucide-solid/icons/square-arrow-out-up-right";
import { createSignal, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { shortPath } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import { useApp } from "../../store/context";
import { useScope } from "../../store/scope";

/** A file path that opens the file in the user's editor, with a note. */
export function FilePath(props: { path: string; line?: number | null; aside?: string }): JSX.Element {
  const { host } = useApp();
  const scope = useScope();
  const [said, setSaid] = createSignal("");
  const [failed, setFailed] = createSignal(false);
  const words = () => (props.line ? text().tools.openLine(props.line) : text().tools.openInEditor);

  const open = async () => {
    try {
      const { editor } = await host.call("editor.open", { sessionId: scope.sessionId, path: props.path, ...(props.line ? { line: props.line } : {}) });
      setFailed(false);
      setSaid(text().tools.opened(editor));
    } catch (failure) {
      setFailed(true);
      setSaid(messageOf(failure));
    }
  };

  return (
    <Show when={props.path}>
      <p data-slot="path">
        <button type="button" data-slot="open-file" aria-label={`${showHidden(props.path)}${props.line ? `:${props.line}` : ""}, ${words()}`} title={words()} onClick={() => void open()}>
          <span>{showHidden(shortPath(props.path, scope.cwd))}{props.line ? `:${props.line}` : ""}</span>
          <SquareArrowOutUpRight size={12} />
        </button>
        <Show when={props.aside}>
          <span data-slot="aside">{props.aside}</span>
        </Show>
        <span data-slot={failed() ? "failed" : "aside"} role="status">
          {said()}
        </span>
      </p>
    </Show>
  );
}
