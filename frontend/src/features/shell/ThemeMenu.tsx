import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Monitor from "lucide-solid/icons/monitor";
import Moon from "lucide-solid/icons/moon";
import Sun from "lucide-solid/icons/sun";
import { type JSX, Match, Switch } from "solid-js";
import { useApp } from "../../store/context";
import type { Theme } from "../../store/state";
import { ChoiceMenu } from "../../ui/menu";

const themes: { id: Theme; name: string }[] = [
  { id: "system", name: "Like the system" },
  { id: "light", name: "Light" },
  { id: "dark", name: "Dark" },
];

export function ThemeMenu(): JSX.Element {
  const { state, actions } = useApp();
  const name = () => themes.find((t) => t.id === state.theme)?.name ?? "";
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger
        data-component="icon-button"
        data-variant="ghost"
        aria-label={`Theme: ${name()}`}
        title={`Theme: ${name()}`}
      >
        <Switch fallback={<Monitor />}>
          <Match when={state.theme === "light"}>
            <Sun />
          </Match>
          <Match when={state.theme === "dark"}>
            <Moon />
          </Match>
        </Switch>
      </DropdownMenu.Trigger>
      <ChoiceMenu
        label="Theme"
        choices={themes}
        value={state.theme}
        onChange={(id) => actions.setTheme(themes.find((t) => t.id === id)?.id ?? "system")}
      />
    </DropdownMenu>
  );
}
