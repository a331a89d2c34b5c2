import ArrowLeft from "lucide-solid/icons/arrow-left";
import Check from "lucide-solid/icons/check";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { ChannelsFields } from "./ChannelsFields";
import { channelsFault } from "./config";
import { FinishStep } from "./FinishStep";
import { type ChatModel, type Step, steps } from "./model";
import { PeopleFields } from "./PeopleFields";
import { Conflict } from "./SaveBar";
import { ServerStep } from "./ServerStep";
import "./wizard.css";

/** Connects a server in four steps; the user can leave and return to each. Only the last one saves. */
export function Wizard(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat;
  const editor = () => props.model.editor;
  /** The steps whose errors are shown: those the user tried to advance from. */
  const [tried, setTried] = createSignal<ReadonlySet<Step>>(new Set());
  const at = () => props.model.step() ?? "server";
  const index = () => steps.indexOf(at());
  /** Why a step is incomplete, "" if it is complete. */
  const fault = (step: Step): string => {
    const { config, hasToken, tried: wasTried, base } = editor();
    if (step === "server") {
      const faults = words().server.faults;
      if (config.url === "") return faults.address;
      if (!hasToken()) return faults.token;
      if (!wasTried()) return faults.untested;
      return config.teamId === "" && base() !== null ? faults.noTeam : "";
    }
    if (step === "channels") return channelsFault(config) || (config.channels.length === 0 && config.direct === null ? words().channels.faults.none : "");
    return "";
  };
  const reachable = (step: Step) => steps.slice(0, steps.indexOf(step)).every((before) => fault(before) === "");
  const done = (step: Step) => steps.indexOf(step) < index() && fault(step) === "";

  function next(): void {
    if (fault(at()) !== "") {
      setTried(new Set([...tried(), at()]));
      return;
    }
    const to = steps[index() + 1];
    if (to) props.model.go(to);
  }

  return (
    <div data-slot="wizard">
      <header data-slot="back">
        <IconButton label={words().steps.close} onClick={() => props.model.go(null)}>
          <ArrowLeft size={16} />
        </IconButton>
        <nav aria-label={words().steps.label}>
          <ol role="list">
            <For each={steps}>
              {(step, i) => (
                <li>
                  <button type="button" data-slot="step" data-done={done(step) || undefined} aria-current={at() === step ? "step" : undefined} disabled={!reachable(step)} onClick={() => props.model.go(step)}>
                    <span data-slot="number" aria-hidden="true">
                      <Show when={done(step)} fallback={i() + 1}>
                        <Check size={12} />
                      </Show>
                    </span>
                    {words().steps.names[step]}
                  </button>
                </li>
              )}
            </For>
          </ol>
        </nav>
      </header>
      <Conflict editor={editor()} />
      <div data-slot="step-page">
        <Switch>
          <Match when={at() === "server"}>
            <ServerStep editor={editor()} strict={tried().has("server")} />
          </Match>
          <Match when={at() === "channels"}>
            <h3>{words().channels.title}</h3>
            <ChannelsFields editor={editor()} autofocus />
          </Match>
          <Match when={at() === "people"}>
            <h3>{words().people.title}</h3>
            <PeopleFields editor={editor()} autofocus />
          </Match>
          <Match when={at() === "finish"}>
            <FinishStep model={props.model} />
          </Match>
        </Switch>
      </div>
      <Show when={at() !== "finish"}>
        <footer data-slot="save">
          <p data-slot={tried().has(at()) && fault(at()) ? "invalid" : "aside"} role={tried().has(at()) && fault(at()) ? "alert" : undefined}>
            {(tried().has(at()) && fault(at())) || words().steps.later}
          </p>
          <Show
            when={index() > 0}
            fallback={
              <Show when={editor().changed()}>
                <Button
                  variant="ghost"
                  onClick={() => {
                    editor().revert();
                    props.model.go(null);
                  }}
                >
                  {words().steps.discard}
                </Button>
              </Show>
            }
          >
            <Button variant="ghost" onClick={() => props.model.go(steps[index() - 1] ?? "server")}>
              {words().steps.back}
            </Button>
          </Show>
          <Button variant="primary" onClick={next}>
            {words().steps.next}
          </Button>
        </footer>
      </Show>
    </div>
  );
}
