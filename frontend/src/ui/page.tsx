// The places beside the sessions: their titles, width and scrolling, and what they show while loading or after errors.

import { Tabs } from "@kobalte/core/tabs";
import { createEffect, For, type JSX, on, onCleanup, onMount, Show, untrack } from "solid-js";
import { insert } from "solid-js/web";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Trouble, type TroubleProps } from "./trouble";
import "./page.css";
import "./form.css";

export interface PageProps<T> {
  /** The value the page shows. A new value remounts the page; a falsy one hides it. */
  at: T | false | null | undefined;
  /** The element it is mounted in. */
  into: HTMLElement;
  title: string;
  about?: string | undefined;
  /** Its maximum width, in px at 100% zoom. */
  width?: number;
  children: (at: T) => JSX.Element;
}

/** Focuses where a page begins. A button below what introduces it must not scroll that away. */
const begin = (at: HTMLElement | null | undefined) => at?.focus({ preventScroll: at instanceof HTMLButtonElement });

/** A place beside the sessions. Its content is created when its tab is opened and disposed of when that is closed. */
export function Page<T extends object>(props: PageProps<T>): JSX.Element {
  let root: HTMLElement | undefined;
  const focus = () =>
    queueMicrotask(() => {
      const now = document.activeElement;
      // If the focus has moved elsewhere since, leave it; the page's container itself doesn't count.
      if (now === document.body || now?.contains(props.into)) begin(props.into.querySelector<HTMLElement>("[data-autofocus]") ?? root);
    });
  insert(
    untrack(() => props.into),
    <Show when={props.at || null} keyed>
      {(at) => {
        onMount(focus);
        return (
          <div ref={(el) => (root = el)} data-component="page" tabindex="-1" style={{ "--width": `${(props.width ?? 860) / 16}rem` }}>
            <header data-slot="header">
              {/* The headings of its parts start at level three. */}
              <h1 class="visually-hidden">Parley</h1>
              <h2 data-slot="title">{props.title}</h2>
              <Show when={props.about}>
                <p data-slot="description">{props.about}</p>
              </Show>
            </header>
            <div data-slot="body">{props.children(at)}</div>
          </div>
        );
      }}
    </Show>,
  );
  onCleanup(() => props.into.replaceChildren());
  return null;
}

export interface PageBodyProps {
  /** The page, for its styles and tests. */
  kind: string;
  /** The data it needs, and the message if that could not be loaded. */
  reading?: TroubleProps["reading"] & { answer: () => unknown };
  failed?: string;
  /** Whether it scrolls as a whole; otherwise its parts do. */
  whole?: boolean;
  /** When this changes and the focused element is gone, the focus goes to the new content. */
  moved?: () => unknown;
  children: JSX.Element;
}

/** The content of a page. */
export function PageBody(props: PageBodyProps): JSX.Element {
  let root: HTMLElement | undefined;
  createEffect(
    on(
      () => [props.moved?.(), Boolean(props.reading?.answer())],
      () => queueMicrotask(() => {
        if (!root?.isConnected || (document.activeElement !== document.body && root.contains(document.activeElement))) return;
        begin(root.querySelector<HTMLElement>("[data-autofocus]"));
      }),
      { defer: true },
    ),
  );
  return (
    <Show
      when={!props.reading || props.reading.answer()}
      fallback={
        <div data-component="page-unread" data-autofocus="" tabindex="-1">
          <Show when={props.reading}>{(reading) => <Trouble reading={reading()} failed={props.failed ?? ""} />}</Show>
        </div>
      }
    >
      <div
        ref={(el) => (root = el)}
        data-component={props.kind}
        data-page={props.whole ? "whole" : ""}
        data-autofocus={props.whole ? "" : undefined}
        tabindex={props.whole ? -1 : undefined}
      >
        {props.children}
      </div>
    </Show>
  );
}

export interface PageTabsProps<T extends string> {
  label: string;
  tabs: readonly { id: T; name: string }[];
  value: T;
  onChange: (id: string) => void;
  /** Shown above all parts. */
  above?: JSX.Element;
  /** Whether a part stays mounted while hidden. */
  keeps?: (id: T) => boolean;
  /** Whether the part itself gets the focus. */
  focused?: (id: T) => boolean;
  children: (id: T) => JSX.Element;
}

/** The tabs of a page, one of them visible. */
export function PageTabs<T extends string>(props: PageTabsProps<T>): JSX.Element {
  const nameOf = (id: T) => props.tabs.find((tab) => tab.id === id)?.name;
  return (
    <Tabs data-component="page-tabs" value={props.value} onChange={(id) => props.onChange(id)}>
      <Tabs.List data-slot="tabs" aria-label={props.label}>
        <For each={props.tabs}>{({ id, name }) => <Tabs.Trigger value={id}>{name}</Tabs.Trigger>}</For>
      </Tabs.List>
      {props.above}
      <For each={props.tabs.map(({ id }) => id)}>
        {(id) => (
          <Tabs.Content
            data-slot="page"
            value={id}
            forceMount={props.keeps?.(id) ?? false}
            hidden={props.value !== id}
            aria-label={nameOf(id)}
            data-autofocus={props.focused?.(id) ? "" : undefined}
            tabIndex={props.focused?.(id) ? -1 : undefined}
          >
            {props.children(id)}
          </Tabs.Content>
        )}
      </For>
    </Tabs>
  );
}

export interface LeaveQuestionProps {
  /** Asks while there is a pending action. */
  leaving: unknown;
  onAnswer: (go: boolean) => void;
  words: { title: string; about: string; keep: string; discard: string };
}

/** Confirms before unsaved text is lost. */
export function LeaveQuestion(props: LeaveQuestionProps): JSX.Element {
  return (
    <Dialog
      open={props.leaving !== null}
      onOpenChange={(open) => !open && props.onAnswer(false)}
      title={props.words.title}
      footer={
        <>
          <Button data-autofocus="" onClick={() => props.onAnswer(false)}>
            {props.words.keep}
          </Button>
          <Button variant="ghost" data-danger="" onClick={() => props.onAnswer(true)}>
            {props.words.discard}
          </Button>
        </>
      }
    >
      <p data-slot="description">{props.words.about}</p>
    </Dialog>
  );
}
