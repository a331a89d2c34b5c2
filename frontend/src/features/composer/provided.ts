// What can be done with the composer by keys or from the palette, wherever the focus is.

import { text } from "../../i18n";
import type { AppState } from "../../store/state";
import { provideAction } from "../shell/shortcuts";
import { openModels } from "../timeline/prompting";

/** Provides the actions for the session's composer until the owner is disposed of. */
export function provideComposerActions(state: AppState, sessionId: () => string, composer: { box: () => HTMLTextAreaElement; attach: () => void }): void {
  const enabled = () => state.current === sessionId();
  const words = () => text().composer.actions;
  const provide = (id: "write" | "chooseModel" | "attach", run: () => void) =>
    provideAction({
      id,
      get name() {
        return words()[id];
      },
      enabled,
      run,
    });
  provide("write", () => composer.box().focus());
  provide("chooseModel", () => openModels(composer.box()));
  provide("attach", composer.attach);
}
