import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import Hand from "lucide-solid/icons/hand";
import { type JSX, Match, Switch } from "solid-js";
import { text } from "../../i18n";

/** A rule's effect: an icon with its name. */
export function Effect(props: { effect: string }): JSX.Element {
  return (
    <span data-slot="effect" data-effect={props.effect} role="img" aria-label={effectName(props.effect)} title={effectName(props.effect)}>
      <Switch fallback={<Hand />}>
        <Match when={props.effect === "allow"}>
          <Check />
        </Match>
        <Match when={props.effect === "deny"}>
          <Ban />
        </Match>
      </Switch>
    </span>
  );
}

export function effectName(effect: string): string {
  const names: Record<string, string> = text().permission.effects;
  return names[effect] ?? effect;
}
