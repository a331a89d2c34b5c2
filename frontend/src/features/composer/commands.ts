// Composer actions available by keys or from the palette, wherever the focus is.

import { text } from "../../i18n";
import type { AppState } from "../../store/state";
import { provideAction } from "../../desk/shortcuts";
import { usePane } from "../../store/pane";

/** Registers the composer actions of the session until the owner is disposed of. */
export function provideComposerActions(state: AppState, sessionId: () => string, attach: () => void): void {
  const pane = usePane();
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
  provide("write", () => pane.focusComposer());
  provide("chooseModel", () => pane.openModels());
  provide("attach", attach);
}
