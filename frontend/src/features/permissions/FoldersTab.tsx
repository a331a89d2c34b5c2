import Eye from "lucide-solid/icons/eye";
import Undo from "lucide-solid/icons/undo-2";
import { createSignal, For, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { tilde } from "../../lib/path";
import { dayAndTime } from "../../lib/dates";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { Findings } from "../approval/Findings";
import { folderNow } from "../../store/names";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";

/** The folders the user trusted or restricted, and what any folder would make the CLI load. */
export function FoldersTab(): JSX.Element {
  const app = useApp();
  const { host } = app;
  const words = () => text().permission.folders;
  let notice: HTMLElement | undefined;
  const [path, setPath] = createSignal(folderNow(app));
  const [looked, setLooked] = createSignal("");
  const [said, setSaid] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const reading = createReading("trust.list", () => ({}), { globals: ["rules.changed"] });
  const checked = createReading("trust.check", () => (looked() === "" ? null : { cwd: looked() }), { globals: ["rules.changed"] });
  const folders = () => reading.answer()?.folders ?? [];
  const report = stable(checked.answer);
  const short = (path: string) => tilde(path, app.state.info?.home ?? "");
  const choice = (name: string): string => {
    const names: Record<string, string> = words().choices;
    return names[name] ?? name;
  };
  const state = (name: string): string => {
    const names: Record<string, string> = words().states;
    return names[name] ?? name;
  };
  const by = (surface: string): string => {
    const names: Record<string, string> = text().permission.log.bys;
    return names[surface] ?? surface;
  };

  async function forget(folder: string): Promise<void> {
    try {
      await host.call("trust.forget", { folder });
      setSaid(words().forgotten(folder));
      setProblem("");
      reading.again();
      // The row is removed, and the pressed button with it.
      notice?.focus();
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }

  function look(folder: string): void {
    setPath(folder);
    if (folder === looked()) checked.again();
    else setLooked(folder);
  }

  return (
    <>
      <p data-slot="aside">{words().about}</p>
      <Show when={said()}>
        <p data-slot="notice" role="status" tabindex="-1" ref={(el) => (notice = el)}>
          <ExactText text={said()} />
        </p>
      </Show>
      <Show when={problem()}>
        <p data-slot="invalid" role="alert">{problem()}</p>
      </Show>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().permission.failed} />}>
        <Show when={folders().length > 0} fallback={<p data-slot="aside">{words().none}</p>}>
          <ul role="list" data-slot="rows">
            <For each={folders()}>
              {(folder) => (
                <li data-slot="row">
                  <div data-slot="what">
                    <code>
                      <ExactText text={short(folder.folder)} />
                    </code>
                    <p data-slot="facts">
                      {choice(folder.choice)} · {dayAndTime(folder.at)} · {by(folder.by)}
                    </p>
                  </div>
                  <div data-slot="acts">
                    <IconButton label={words().show(folder.folder)} onClick={() => look(folder.folder)}>
                      <Eye />
                    </IconButton>
                    <IconButton label={words().forget(folder.folder)} onClick={() => void forget(folder.folder)}>
                      <Undo />
                    </IconButton>
                  </div>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </Show>
      <section>
        <h3>{words().check}</h3>
        <form
          data-slot="tools"
          onSubmit={(event) => {
            event.preventDefault();
            if (path().trim() !== "") look(path().trim());
          }}
        >
          <input
            type="text"
            data-component="text-field"
            data-code=""
            spellcheck={false}
            aria-label={words().path}
            placeholder={words().placeholder}
            value={path()}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
          <Button type="submit" disabled={path().trim() === ""}>
            {words().look}
          </Button>
        </form>
        <div role="status">
          <Show
            when={!checked.error()}
            fallback={<p data-slot="invalid">{checked.error()}</p>}
          >
            <Show when={checked.answer()}>
              <p>
                <code>
                  <ExactText text={short(report().folder)} />
                </code>
              </p>
              <p data-slot="aside">{state(report().state)}</p>
              <Show when={report().findings.length > 0}>
                <Findings findings={report().findings} more={report().more} label={words().check} />
              </Show>
            </Show>
          </Show>
        </div>
      </section>
    </>
  );
}
