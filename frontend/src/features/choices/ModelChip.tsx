import type { JSX } from "solid-js";
import type { Session } from "../../host/border.gen";
import { text } from "../../i18n";
import { usePane } from "../../store/pane";
import { effortName, effortsOf, currentModel, type Models, modelText } from "./model";
import { engineName } from "./names";
import { Picker, type PickerChoice } from "./Picker";

/** The model and effort, and the menu to change both. The current values are those the CLI reports. */
export function ModelChip(props: {
  session: Session;
  models: Models;
  onModel: (model: string) => void;
  onEffort: (effort: string) => void;
}): JSX.Element {
  let button: HTMLElement | undefined;
  usePane().offer({
    models() {
      button?.focus();
      button?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    },
  });
  const list = () => props.models.list();
  const model = () => props.session.model;
  const effort = () => props.session.effort;
  const name = () => modelText(list(), model());
  const value = () => currentModel(list(), model())?.value ?? model();
  const choices = () => modelChoices(props.models, model());
  const efforts = (): PickerChoice[] => {
    const levels = effortsOf(list(), model());
    const all = effort() !== "" && !levels.includes(effort()) ? [effort(), ...levels] : levels;
    return all.map((id) => ({ id, name: effortName(id) }));
  };
  return (
    <Picker
      ref={(el) => (button = el)}
      look="chip"
      label={text().choices.model}
      text={effort() ? `${name()} · ${effortName(effort())}` : name()}
      title={props.session.model || text().choices.modelByCLI}
      groups={[
        { label: text().choices.model, choices: choices(), value: value(), onChange: (id) => props.onModel(id) },
        { label: text().choices.effort, choices: efforts(), value: effort(), onChange: (id) => props.onEffort(id) },
      ]}
      busy={props.models.busy()}
      problem={props.models.problem()}
      onOpen={() => props.models.ask()}
      onRetry={() => props.models.ask(true)}
      foot={
        <p>{text().choices.engineFixed(engineName(props.session.engine), props.session.profile !== "")}</p>
      }
    />
  );
}

/** The CLI's models. If the current one is not among them, it comes first, unchanged. */
export function modelChoices(models: Models, current: string): PickerChoice[] {
  const list = models.list();
  const known = (list?.models ?? []).map((m) => ({ id: m.value, name: m.name, about: m.description }));
  if (current === "" || currentModel(list, current)) return known;
  const about = list && list.at > 0 ? text().choices.currentUnlisted : text().choices.current;
  return [{ id: current, name: modelText(list, current), about }, ...known];
}
