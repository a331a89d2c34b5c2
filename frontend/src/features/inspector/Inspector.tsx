import { Tabs } from "@kobalte/core/tabs";
import X from "lucide-solid/icons/x";
import { For, type JSX, onMount, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { text } from "../../i18n";
import { readingOffset } from "../../lib/direction";
import { inspectorWidth } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { Edge } from "../../ui/edge";
import { IconButton } from "../../ui/icon-button";
import type { InspectorTab } from "./tab";
import { inspectorTabs } from "./tabs";
import "./inspector.css";

/** The side panel: what the session does and did besides the conversation. */
export function Inspector(props: {
  sessionId: string;
  /** Whether it covers the conversation. */
  over: boolean;
  onClose: () => void;
}): JSX.Element {
  const { layout } = useApp();
  const tab = () => (inspectorTabs.find((t) => t.id === layout.state.inspector.tab) ?? inspectorTabs[0])?.id;
  let root!: HTMLElement;

  onMount(() => {
    // The user has just opened it over the conversation.
    if (props.over) root.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
  });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !props.over || event.defaultPrevented) return;
    event.preventDefault();
    props.onClose();
  }

  return (
    <aside
      ref={root}
      data-component="inspector"
      data-over={props.over || undefined}
      aria-label={text().inspector.name}
      style={{ "--inspector": `${layout.state.inspector.width}px` }}
      onKeyDown={onKeyDown}
    >
      <Edge
        label={text().inspector.edge}
        side="end"
        width={layout.state.inspector.width}
        range={inspectorWidth}
        widthAt={(at, panel) => {
          const box = panel.getBoundingClientRect();
          return box.width - readingOffset(at, box);
        }}
        onChange={(width) => layout.setInspector({ width })}
      />
      <Tabs data-slot="tabs" value={tab()} onChange={(id) => layout.setInspector({ tab: id })}>
        <div data-slot="bar">
          <Tabs.List data-slot="list" aria-label={text().inspector.name}>
            <For each={inspectorTabs}>{(item) => <Trigger tab={item} sessionId={props.sessionId} />}</For>
          </Tabs.List>
          <IconButton label={text().inspector.hide} shortcut="Mod+Shift+B" onClick={() => props.onClose()}>
            <X />
          </IconButton>
        </div>
        <For each={inspectorTabs}>
          {(item) => (
            <Tabs.Content value={item.id} data-slot="content">
              <Dynamic component={item.component} sessionId={props.sessionId} />
            </Tabs.Content>
          )}
        </For>
      </Tabs>
    </aside>
  );
}

function Trigger(props: { tab: InspectorTab; sessionId: string }): JSX.Element {
  const app = useApp();
  const badge = () => props.tab.badge?.(app, props.sessionId) ?? 0;
  return (
    <Tabs.Trigger value={props.tab.id} data-slot="tab" title={props.tab.label()}>
      <Dynamic component={props.tab.icon} />
      <span data-slot="label">{props.tab.label()}</span>
      <Show when={badge() > 0}>
        <span data-slot="badge">{badge()}</span>
      </Show>
    </Tabs.Trigger>
  );
}
