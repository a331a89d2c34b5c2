import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Monitor from "lucide-solid/icons/monitor";
import Moon from "lucide-solid/icons/moon";
import Sun from "lucide-solid/icons/sun";
import { type JSX, Match, Switch } from "solid-js";
import { useApp } from "../../store/context";
import { text } from "../../i18n";
import type { Theme } from "../../store/state";
import { ChoiceMenu } from "../../ui/menu";

const ids: readonly Theme[] = ["system", "light", "dark"];

export function ThemeMenu(): JSX.Element {
  const { state, actions } = useApp();
  const name = () => text().settings.themes[state.theme];
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger
        data-component="icon-button"
        data-variant="ghost"
        aria-label={text().shell.theme(name())}
        title={text().shell.theme(name())}
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
        label={text().shell.themeMenu}
        choices={ids.map((id) => ({ id, name: text().settings.themes[id] }))}
        value={state.theme}
        onChange={(id) => actions.setTheme(ids.find((known) => known === id) ?? "system")}
      />
    </DropdownMenu>
  );
}
