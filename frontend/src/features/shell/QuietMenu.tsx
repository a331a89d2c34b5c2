import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Bell from "lucide-solid/icons/bell";
import BellOff from "lucide-solid/icons/bell-off";
import { createEffect, createSignal, type JSX, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { isQuiet, type QuietChoice, quietChoices, quietUntil } from "../../lib/quiet";
import { formatClock } from "../../lib/time";
import { useApp } from "../../store/context";
import { ChoiceMenu } from "../../ui/menu";

// Longer timers fire immediately.
const longest = 2 ** 31 - 1;

/** Whether "do not disturb" is on, and until when; it turns off automatically. */
export function useQuiet() {
  const { state, actions } = useApp();
  const [now, setNow] = createSignal(Date.now());
  const until = () => state.info?.settings.doNotDisturbUntil ?? 0;
  createEffect(() => {
    const left = until() - now();
    if (left <= 0) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(left + 50, longest));
    onCleanup(() => clearTimeout(timer));
  });
  const quiet = () => isQuiet(until(), Math.max(now(), Date.now()));
  return {
    quiet,
    /** The current state, in words. */
    words: () => {
      if (!quiet()) return text().desk.quiet.off;
      return until() < 0 ? text().desk.quiet.on : text().desk.quiet.until(formatClock(until()));
    },
    /** The current choice; one that ends at a set time is not in the list. */
    value: () => (quiet() ? (until() < 0 ? "on" : "") : "off"),
    choose: (choice: QuietChoice) => actions.changeSettings({ doNotDisturbUntil: quietUntil(choice) }),
  };
}

/** The bell: turns notifications on or off. */
export function QuietMenu(): JSX.Element {
  const { quiet, words, value, choose } = useQuiet();
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger data-component="icon-button" data-variant="ghost" aria-label={words()} title={words()}>
        <Show when={quiet()} fallback={<Bell />}>
          <BellOff />
        </Show>
      </DropdownMenu.Trigger>
      <ChoiceMenu
        label={text().desk.quiet.menu}
        choices={quietChoices.map((id) => ({ id, name: text().desk.quiet.choices[id] }))}
        value={value()}
        onChange={(id) => {
          const choice = quietChoices.find((known) => known === id);
          // If it can't be saved, the bell stays unchanged.
          if (choice) choose(choice).catch(() => {});
        }}
      />
    </DropdownMenu>
  );
}
