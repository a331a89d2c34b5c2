import ShieldCheck from "lucide-solid/icons/shield-check";
import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { modeName } from "../../lib/names";
import { useApp } from "../../store/context";
import { BypassDialog } from "./BypassDialog";
import { allModes, guards, guardWorksIn, modeText } from "./names";
import { Picker } from "./Picker";

/** The permission mode and auto-approve, and the menu to change both. */
export function ModeChip(props: { mode: string; guard: string; onChange: (mode: string, guard?: string) => void }): JSX.Element {
  const { layout } = useApp();
  const [asking, setAsking] = createSignal(false);
  const mode = () => props.mode || "default";
  const guard = () => props.guard || "off";
  const words = () => text().choices;
  const works = () => guardWorksIn(mode());
  const on = () => works() && guard() !== "off";
  return (
    <>
      <Picker
        look="chip"
        label={words().modeLabel}
        icon={<Show when={on()}><ShieldCheck size={14} /></Show>}
        text={modeText(modeName(mode()), mode(), guard())}
        title={words().modeKeys(on() ? `${modeName(mode())} · ${words().guard.label}: ${guards().find((g) => g.id === guard())?.name ?? ""}` : words().modeLabel)}
        state={mode() === "default" && on() ? "guarded" : mode()}
        groups={[
          {
            label: words().modeLabel,
            choices: allModes(),
            value: mode(),
            onChange: (id) => (id === "bypassPermissions" ? setAsking(true) : props.onChange(id)),
          },
          {
            label: words().guard.label,
            choices: guards(),
            value: guard(),
            onChange: (id) => props.onChange(mode(), id),
          },
        ]}
        foot={works() ? undefined : <p>{words().guard.idle}</p>}
        action={{ name: words().guard.about, run: () => layout.go({ kind: "permissions", tab: "guard" }) }}
      />
      <BypassDialog open={asking()} onOpenChange={setAsking} onAccept={() => props.onChange("bypassPermissions")} />
    </>
  );
}
