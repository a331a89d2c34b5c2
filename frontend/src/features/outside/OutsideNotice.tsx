import { createEffect, createMemo, createSignal, For, type JSX, lazy, Show, Suspense } from "solid-js";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Banner } from "../../ui/banner";
import "./outside.css";

const FileChanges = lazy(async () => ({ default: (await import("./FileChanges")).FileChanges }));

/** Changes to Parley's files by other programs that need the user's decision: a notice, and the dialog to decide. */
export function OutsideNotice(): JSX.Element {
  const { state, host } = useApp();
  const [open, setOpen] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  const words = () => text().outside;
  // Pending changes are reported among the problems, which are pushed.
  const problems = createMemo(() => JSON.stringify((state.info?.problems ?? []).flatMap(({ id, action, facts }) => (action === "outside" ? [[id, facts]] : []))));
  const wanted = createMemo<boolean>((before) => before || problems() !== "[]", false);
  const reading = createReading("outside.list", () => (wanted() ? {} : null), { anew: problems });
  const list = reading.answer;
  const count = () => (list()?.files.length ?? 0) + (list()?.more ?? 0);
  const waits = () => (list()?.doubt ?? "") !== "" || (list()?.files.length ?? 0) > 0;

  async function decide(method: "outside.accept" | "outside.undo", name: string, revision = ""): Promise<void> {
    setProblem("");
    try {
      await host.call(method, revision === "" ? { name } : { name, revision });
    } catch (failed) {
      setProblem(messageOf(failed));
    }
    // Not its answer: a later change may have been reported by now.
    await reading.again();
  }
  // A reading may have been replaced by a newer one: the dialog follows the list, not the click.
  createEffect(() => {
    if (open() && !waits()) setOpen(false);
  });

  return (
    <>
      <Show when={waits()}>
        <Banner
          level="warning"
          title={list()?.doubt ? words().doubtTitle : words().title(count(), number(count()))}
          hint={words().hint}
          actions={
            <Button size="small" onClick={() => setOpen(true)}>
              {words().look}
            </Button>
          }
        />
      </Show>
      {/* The dialog stays mounted when nothing is pending, and closes itself. */}
      <Dialog open={open()} onOpenChange={setOpen} title={words().dialog} description={words().about} size="form">
        <div data-component="outside">
          <Show when={problem()}>
            <p data-slot="error" role="alert">
              {problem()}
            </p>
          </Show>
          <Show when={list()?.doubt}>
            {(doubt) => (
              <section aria-label={words().store}>
                <h3>{words().store}</h3>
                <p>{words().doubts[doubt() as keyof ReturnType<typeof words>["doubts"]] ?? doubt()}</p>
                <div data-slot="buttons">
                  <Button onClick={() => void decide("outside.accept", "store")}>{words().acceptStore}</Button>
                </div>
              </section>
            )}
          </Show>
          <Suspense>
            <For each={list()?.files}>{(file) => <FileChanges file={file} onDecide={(method) => void decide(method, file.name, file.revision)} />}</For>
          </Suspense>
          <Show when={list()?.more}>{(more) => <p>{words().moreFiles(more(), number(more()))}</p>}</Show>
        </div>
      </Dialog>
    </>
  );
}
