import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { createReading } from "../../store/reading";
import { Told } from "./Told";
import { momentWords } from "./words";
import "./told.css";

/** The memory that was included in a session when its process started. */
export function InjectedLine(props: { sessionId: string; onShowAll?: () => void }): JSX.Element {
  const { layout, state } = useApp();
  const [open, setOpen] = createSignal(false);
  // A restarted process gets the memory again.
  const pid = () => state.sessions[props.sessionId]?.pid ?? 0;
  const reading = createReading("memory.included", () => (pid() >= 0 ? { sessionId: props.sessionId } : null));
  const told = () => reading.answer();
  const words = () => text().memory.injected;

  function line(): string {
    const now = told();
    if (!now) return reading.error() || text().common.loading;
    if (!now.known) return words().unknown;
    if (now.text === "") {
      const off: Record<string, string> = text().memory.told.off;
      return off[now.off] ?? words().none;
    }
    const memories = now.sections.reduce((sum, section) => sum + section.memories, 0);
    return memories > 0 ? words().told(memories, now.tokens) : words().tokens(now.tokens);
  }

  function showAll(): void {
    setOpen(false);
    props.onShowAll?.();
    layout.go({ kind: "memory" });
  }

  return (
    <section data-component="memory-injected">
      <h3>{words().title}</h3>
      <p data-slot="aside">{line()}</p>
      <Show when={told()?.text}>
        <Button size="small" variant="ghost" onClick={() => setOpen(true)}>
          {words().look}
        </Button>
      </Show>
      <Dialog
        open={open()}
        onOpenChange={setOpen}
        title={words().lookTitle}
        description={words().at(momentWords(told()?.at ?? 0))}
        size="large"
        footer={
          <Button variant="ghost" onClick={showAll}>
            {words().open}
          </Button>
        }
      >
        <Show when={told()}>{(now) => <Told told={now()} />}</Show>
      </Dialog>
    </section>
  );
}
