import type { JSX } from "solid-js";
import type { Shell } from "../../host/border.gen";
import { toAttachment } from "../../store/pasted";
import type { DraftAttachment, MessageState } from "../../store/state";
import { Attachments } from "./Attachments";
import { ShellBlock } from "../timeline/ShellBlock";

const at = Date.now() - 12_000;
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const colours = "\u001b[32m✓\u001b[0m upload \u001b[2m(12 ms)\u001b[0m\n\u001b[31m✗\u001b[0m retry \u001b[2m(3 ms)\u001b[0m\n";

function block(command: string, change: Partial<Shell>, output: string): JSX.Element {
  const message: MessageState = { id: `shell-${command}`, role: "shell", at, blockIds: [] };
  const shell: Shell = { command, state: "done", exitCode: 0, durationMs: 1830, ...change };
  return <ShellBlock sessionId="s1" message={message} shell={shell} output={output} />;
}

const file = (name: string, mediaType: string, bytes: number, data = ""): DraftAttachment => ({ id: name, name, mediaType, bytes, data });

export const galleryEntries = [
  { name: "Your command, running", component: () => block("npm test -- --watch=false", { state: "running", durationMs: 0 }, colours) },
  { name: "Your command, failed", component: () => block("npm test", { exitCode: 1 }, colours) },
  { name: "Your command, quiet", component: () => block("true", {}, "") },
  { name: "Your command, stopped by a signal", component: () => block("make all", { exitCode: -1, signal: "killed" }, "cc -c main.c\n") },
  { name: "Your command, a long output", component: () => block("seq 1000000", { skipped: 6_800_000, tail: "999999\n1000000\n" }, "1\n2\n3\n") },
  { name: "Your command, a hostile one", component: () => block("echo \u202egnp.exe\u202c; rm -rf x", { state: "stopped", exitCode: -1 }, "<b>no</b>\n") },
  {
    name: "What goes with a prompt",
    component: () => (
      <Attachments
        items={[
          file("screenshot.png", "image/png", 82, pixel),
          file("quarterly figures, all regions, final version 7.pdf", "application/pdf", 1_240_000),
          toAttachment("a line of it\n".repeat(300), "Pasted text, 301 lines"),
        ]}
        onRemove={() => {}}
        onUnfold={() => {}}
      />
    ),
  },
];
