// The places beside the sessions: what they are called, how wide they are, how they
// scroll, and what they show before and instead of what they are about.

import { Tabs } from "@kobalte/core/tabs";
import { createEffect, For, type JSX, on, onCleanup, onMount, Show, untrack } from "solid-js";
import { insert } from "solid-js/web";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Trouble, type TroubleProps } from "./trouble";
import "./page.css";
import "./form.css";

export interface PageProps<T> {
  /** What is shown of it. Something else is another page; without any, there is none. */
  at: T | false | null | undefined;
  /** What it is drawn in. */
  into: HTMLElement;
  title: string;
  about?: string | undefined;
  /** Its width at most, in px at a zoom of 100 %. */
  width?: number;
  children: (at: T) => JSX.Element;
}

/** A place beside the sessions. What it shows is made when its tab is opened and gone when that is closed. */
export function Page<T extends object>(props: PageProps<T>): JSX.Element {
  let root: HTMLElement | undefined;
  const focus = () =>
    queueMicrotask(() => {
      const now = document.activeElement;
      // Whoever was quicker keeps the focus; what only holds this page has none to keep.
      if (now === document.body || now?.contains(props.into)) (props.into.querySelector<HTMLElement>("[data-autofocus]") ?? root)?.focus();
    });
  insert(
    untrack(() => props.into),
    <Show when={props.at || null} keyed>
      {(at) => {
        onMount(focus);
        return (
          <div ref={(el) => (root = el)} data-component="page" tabindex="-1" style={{ "--width": `${(props.width ?? 860) / 16}rem` }}>
            <header data-slot="header">
              {/* Its parts begin with the third level. */}
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
  /** Which page, for its styles and tests. */
  kind: string;
  /** What it cannot be shown without, and what is said while that could not be read. */
  reading?: TroubleProps["reading"] & { answer: () => unknown };
  failed?: string;
  /** It scrolls as a whole. Without this, its parts do. */
  whole?: boolean;
  /** When this changes and the focus is lost with what was there, it goes to what came instead. */
  moved?: () => unknown;
  children: JSX.Element;
}

/** What a page shows. */
export function PageBody(props: PageBodyProps): JSX.Element {
  let root: HTMLElement | undefined;
  createEffect(
    on(
      () => [props.moved?.(), Boolean(props.reading?.answer())],
      () => queueMicrotask(() => {
        if (!root?.isConnected || (document.activeElement !== document.body && root.contains(document.activeElement))) return;
        root.querySelector<HTMLElement>("[data-autofocus]")?.focus();
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
  /** What stands above all of them. */
  above?: JSX.Element;
  /** Whether it stays, out of sight, while another one is looked at. */
  keeps?: (id: T) => boolean;
  /** Whether the focus goes to it as a whole. */
  focused?: (id: T) => boolean;
  children: (id: T) => JSX.Element;
}

/** The parts of a page, one of them in sight. */
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
  /** It asks while there is something that would be done. */
  leaving: unknown;
  onAnswer: (go: boolean) => void;
  words: { title: string; about: string; keep: string; discard: string };
}

/** Asks before something that was written is lost. */
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
