import { createMemo, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { isBusy } from "../../store/state";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { Question, SidebarModel } from "./model";

interface Words {
  title: string;
  text: string[];
  action: string;
  act: () => Promise<void>;
}

/** Confirmations before something is removed. */
export function Questions(props: { model: SidebarModel }): JSX.Element {
  const { state, actions } = useApp();

  function wordsOf(question: Question | null): Words | null {
    if (!question) return null;
    if (question.kind === "removeWorkspace") {
      const workspace = state.workspaces[question.workspaceId];
      return {
        title: text().sessions.ask.removeWorkspace(workspace?.title ?? ""),
        text: [
          text().sessions.ask.removeWorkspaceAbout,
          text().sessions.ask.removeWorkspaceBack,
        ],
        action: text().sessions.ask.removeWorkspaceAct,
        act: () => actions.removeWorkspace(question.workspaceId),
      };
    }
    const session = state.sessions[question.sessionId];
    const name = session?.title || text().common.newSession;
    switch (question.kind) {
      case "delete":
        return {
          title: text().sessions.ask.delete(name),
          text: [
            ...(session && isBusy(session) ? [text().sessions.ask.deleteBusy] : []),
            ...(session && !isBusy(session) && session.tasks.length > 0 ? [text().inspector.archive.alsoEnds(session.tasks.length)] : []),
            text().sessions.ask.deleteAbout,
            text().sessions.ask.transcript,
          ],
          action: text().common.delete,
          act: () => actions.remove(question.sessionId),
        };
      case "purge":
        return {
          title: text().sessions.ask.purge(name),
          text: [
            text().sessions.ask.purgeAbout,
            text().sessions.ask.transcript,
          ],
          action: text().sessions.ask.purgeAct,
          act: () => actions.purge(question.sessionId),
        };
      case "fresh":
        return {
          title: text().sessions.ask.fresh,
          text: [text().sessions.ask.freshAbout(name)],
          action: text().sessions.ask.freshAct,
          act: () => actions.fresh(question.sessionId),
        };
    }
  }

  // Keeps the text while the dialog closes.
  const words = createMemo<Words | null>((last) => wordsOf(props.model.question()) ?? last, null);

  function close(): void {
    props.model.setQuestion(null);
  }

  return (
    <Dialog
      open={props.model.question() !== null}
      onOpenChange={(open) => !open && close()}
      title={words()?.title ?? ""}
      footer={
        <>
          <span data-slot="spacer" />
          <Button variant="ghost" onClick={close}>
            {text().common.cancel}
          </Button>
          <Button
            variant="primary"
            data-autofocus
            onClick={() => {
              const act = words()?.act;
              close();
              void act?.();
            }}
          >
            {words()?.action}
          </Button>
        </>
      }
    >
      <div data-component="question-text">
        <Show when={words()}>{(found) => found().text.map((line) => <p>{line}</p>)}</Show>
      </div>
    </Dialog>
  );
}
