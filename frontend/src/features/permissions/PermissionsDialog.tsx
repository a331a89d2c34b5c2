import { Tabs } from "@kobalte/core/tabs";
import { createEffect, createSignal, For, type JSX, Match, on, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Dialog } from "../../ui/dialog";
import { FoldersTab } from "./FoldersTab";
import { GuardTab } from "./GuardTab";
import { LogTab } from "./LogTab";
import { RulesTab } from "./RulesTab";
import { TryTab } from "./TryTab";
import "./permissions.css";
import "./log.css";

export const tabs = ["rules", "try", "folders", "guard", "log"] as const;
type Tab = (typeof tabs)[number];

/** What may happen without a question, over everything else. */
export function PermissionsDialog(): JSX.Element {
  const { layout } = useApp();
  const asked = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "permissions" ? overlay.tab : null;
  };
  return (
    <Dialog
      open={asked() !== null}
      onOpenChange={(open) => layout.setOverlay(open ? { kind: "permissions", tab: "" } : null)}
      title={text().permission.title}
      description={text().permission.about}
      size="wide"
    >
      <Show when={asked() !== null}>
        <PermissionsPage tab={asked() ?? ""} />
      </Show>
    </Dialog>
  );
}

export function PermissionsPage(props: { tab: string }): JSX.Element {
  const known = (id: string): Tab => tabs.find((tab) => tab === id) ?? "rules";
  const [tab, setTab] = createSignal<Tab>(known(props.tab));
  createEffect(on(() => props.tab, (id) => setTab(known(id)), { defer: true }));
  return (
    <Tabs data-component="permissions" value={tab()} onChange={(id) => setTab(known(id))}>
      <Tabs.List data-slot="tabs" aria-label={text().permission.title}>
        <For each={tabs}>{(id) => <Tabs.Trigger value={id}>{text().permission.tabs[id]}</Tabs.Trigger>}</For>
      </Tabs.List>
      <For each={tabs}>
        {(id) => (
          <Tabs.Content data-slot="page" value={id}>
            <Switch>
              <Match when={id === "rules"}><RulesTab /></Match>
              <Match when={id === "try"}><TryTab /></Match>
              <Match when={id === "folders"}><FoldersTab /></Match>
              <Match when={id === "guard"}><GuardTab /></Match>
              <Match when={id === "log"}><LogTab /></Match>
            </Switch>
          </Tabs.Content>
        )}
      </For>
    </Tabs>
  );
}
