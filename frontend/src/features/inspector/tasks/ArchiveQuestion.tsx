import { For, type JSX } from "solid-js";
import { text } from "../../../i18n";
import { stable } from "../../../lib/stable";
import { useApp } from "../../../store/context";
import { Button } from "../../../ui/button";
import { Dialog } from "../../../ui/dialog";
import "./tasks.css";

/** Confirms archiving or closing a session that has background tasks. */
export function ArchiveQuestion(): JSX.Element {
  const { state, layout, actions } = useApp();
  const asked = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "archive" ? state.sessions[overlay.sessionId] : undefined;
  };
  const last = stable(asked);
  const closes = stable(() => {
    const overlay = layout.overlay();
    return overlay?.kind === "archive" ? overlay.close === true : undefined;
  });
  const words = () => {
    const all = text().inspector.archive;
    return closes()
      ? { title: all.closeTitle, about: all.closeAbout, act: all.closeAct, look: all.look }
      : { title: all.title, about: all.about, act: all.act, look: all.look };
  };
  const close = () => layout.setOverlay(null);
  return (
    <Dialog
      open={asked() !== undefined}
      onOpenChange={(open) => !open && close()}
      title={last() ? words().title(last().title || last().id) : ""}
      footer={
        <>
          <Button
            variant="ghost"
            data-edge="start"
            onClick={() => {
              const { id } = last();
              close();
              actions.open(id);
              layout.showInspector("tasks");
            }}
          >
            {words().look}
          </Button>
          <span data-slot="spacer" />
          <Button variant="ghost" data-autofocus onClick={close}>
            {text().common.cancel}
          </Button>
          <Button
            variant="primary"
            onClick={() => {
              const { id } = last();
              const closing = closes();
              close();
              void (closing ? actions.closeSession(id, true) : actions.archive(id, true));
            }}
          >
            {words().act}
          </Button>
        </>
      }
    >
      <div data-component="question-text">
        <p>{words().about(last()?.tasks.length ?? 0)}</p>
        <ul data-slot="work">
          <For each={last()?.tasks}>{(task) => <li>{task.description || task.taskId}</li>}</For>
        </ul>
      </div>
    </Dialog>
  );
}
