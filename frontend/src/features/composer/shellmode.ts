// Commands for the user's own shell, typed after a "!".

import { type Accessor, createSignal } from "solid-js";
import { type Host, messageOf } from "../../host/host";
import type { AppState } from "../../store/state";

export interface ShellMode {
  /** Whether the box holds a command. */
  on: Accessor<boolean>;
  busy: Accessor<boolean>;
  /** Why the last one did not run. */
  error: Accessor<string>;
  run(): Promise<void>;
  /** The message of a running command, undefined for none. */
  running(): string | undefined;
  stop(messageId: string): void;
}

export function createShellMode(
  host: Host,
  state: AppState,
  sessionId: Accessor<string>,
  text: Accessor<string>,
  setText: (text: string) => void,
): ShellMode {
  const [busy, setBusy] = createSignal(false);
  const [failed, setFailed] = createSignal({ text: "", why: "" });
  const command = () => text().slice(1).trim();
  return {
    on: () => text().startsWith("!"),
    busy,
    // An error only applies to the command that caused it.
    error: () => (failed().text === text() ? failed().why : ""),
    async run() {
      const id = sessionId();
      const written = text();
      if (busy() || command() === "") return;
      setBusy(true);
      try {
        await host.call("shell.run", { sessionId: id, command: command() });
        if (sessionId() === id && text() === written) setText("");
      } catch (error) {
        setFailed({ text: written, why: messageOf(error) });
      } finally {
        setBusy(false);
      }
    },
    running() {
      const conversation = state.conversations[sessionId()];
      return conversation?.order.findLast((id) => conversation.messages[id]?.shell?.state === "running");
    },
    stop(messageId) {
      void host.call("shell.stop", { sessionId: sessionId(), messageId }).catch(() => {});
    },
  };
}
