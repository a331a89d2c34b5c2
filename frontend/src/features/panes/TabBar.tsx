import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import ChevronDown from "lucide-solid/icons/chevron-down";
import Columns2 from "lucide-solid/icons/columns-2";
import PanelLeft from "lucide-solid/icons/panel-left";
import Square from "lucide-solid/icons/square";
import { createEffect, createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { text } from "../../i18n";
import { readingKey } from "../../lib/direction";
import { placeOf } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { ChoiceMenu } from "../../ui/menu";
import { useTabDrag } from "./drag-context";
import { placeName } from "./place";
import { Tab, tabName } from "./Tab";
import "./tab-bar.css";

/** The tabs of a pane, and the buttons that arrange the panes. */
export function TabBar(props: { index: number; showSidebar: (() => void) | undefined }): JSX.Element {
  const { state, layout, actions } = useApp();
  const drag = useTabDrag();
  const [overflows, setOverflows] = createSignal(false);
  let strip!: HTMLDivElement;
  const pane = () => layout.state.panes[props.index];
  const tabs = () => pane()?.tabs ?? [];
  const split = () => layout.state.panes.length > 1;
  const last = () => layout.narrow() || props.index === layout.state.panes.length - 1;
  const marker = () => {
    const target = drag.target();
    return target?.pane === props.index ? target.index : -1;
  };

  const nameOf = (tab: string) => {
    const kind = placeOf(tab);
    return kind === null ? tabName(state.sessions[tab]) : placeName(kind);
  };
  const show = (tab: string) => {
    const kind = placeOf(tab);
    if (kind === null) actions.open(tab);
    else layout.go({ kind });
  };
  const tabOf = (id: string) => strip.querySelector<HTMLElement>(`#${CSS.escape(`tab-${id}`)}`);

  onMount(() => {
    const measure = () => setOverflows(strip.scrollWidth > strip.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(strip);
    onCleanup(() => observer.disconnect());
    createEffect(() => {
      void tabs().length;
      const active = pane()?.active;
      queueMicrotask(() => {
        measure();
        const tab = active ? tabOf(active) : null;
        tab?.closest("[data-tab]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      });
    });
  });

  /** Moves along the tabs without opening them; Enter opens. */
  function onKeyDown(event: KeyboardEvent): void {
    const all = [...strip.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = all.findIndex((tab) => tab === document.activeElement);
    const id = tabs()[at];
    if (id === undefined || event.ctrlKey || event.metaKey) return;
    const to: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 };
    const next = to[readingKey(event)];
    if (event.altKey) {
      if (!event.shiftKey || next === undefined) return;
      layout.move(id, props.index, next > at ? next + 1 : next);
      tabOf(id)?.focus();
    } else if (event.key === "Delete") {
      layout.close(id);
    } else if (next !== undefined) {
      all[(next + all.length) % all.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div data-component="tab-bar">
      <Show when={props.showSidebar}>
        {(show) => (
          <IconButton label={text().sessions.show} shortcut="Mod+B" onClick={() => show()()}>
            <PanelLeft />
          </IconButton>
        )}
      </Show>
      <Show when={split() && layout.narrow()}>
        <div data-slot="sides" role="group" aria-label={text().panes.whichSide}>
          <For each={[text().panes.left, text().panes.right]}>
            {(name, index) => (
              <button type="button" aria-pressed={layout.state.focused === index()} onClick={() => layout.focus(index())}>
                {name}
              </button>
            )}
          </For>
        </div>
      </Show>
      <div
        ref={(el) => (strip = el)}
        data-slot="strip"
        onKeyDown={onKeyDown}
        onWheel={(event) => {
          if (event.deltaY !== 0 && event.deltaX === 0) strip.scrollLeft += event.deltaY;
        }}
      >
        {/* A tablist may only contain tabs, and each tab has a close button beside it. */}
        <div role="tablist" aria-label={text().panes.openSessions} aria-owns={tabs().map((id) => `tab-${id}`).join(" ") || undefined} />
        <For each={tabs()}>
          {(id, index) => (
            <Tab
              sessionId={id}
              pane={props.index}
              active={pane()?.active === id}
              marked={marker() === index() ? "before" : marker() === tabs().length && index() === tabs().length - 1 ? "after" : ""}
              tabindex={pane()?.active === id || (pane()?.active === null && index() === 0) ? 0 : -1}
            />
          )}
        </For>
      </div>
      <Show when={overflows()}>
        <DropdownMenu placement="bottom-end" gutter={6}>
          <DropdownMenu.Trigger data-component="icon-button" data-variant="ghost" aria-label={text().panes.allTabs} title={text().panes.allTabs}>
            <ChevronDown />
          </DropdownMenu.Trigger>
          <ChoiceMenu
            label={text().panes.allTabs}
            choices={tabs().map((id) => ({ id, name: nameOf(id) }))}
            value={pane()?.active ?? ""}
            onChange={(id) => show(id)}
          />
        </DropdownMenu>
      </Show>
      <Show when={last()}>
        <IconButton label={split() ? text().panes.oneSide : text().panes.split} shortcut="Mod+\" onClick={() => layout.toggleSplit()}>
          <Show when={split()} fallback={<Columns2 />}>
            <Square />
          </Show>
        </IconButton>
      </Show>
    </div>
  );
}
