import { type JSX, Show } from "solid-js";
import "./page-line.css";

export interface PageLineProps {
  /** Which page, for styles and tests. */
  kind: string;
  icon: JSX.Element;
  name: string;
  /** The one thing that matters most at the moment, "" for nothing. */
  about: string;
  tone?: "strong" | "accent" | "warning" | "critical" | undefined;
  onOpen: () => void;
}

/** The way to a page from the foot of the sidebar, and what is going on there. */
export function PageLine(props: PageLineProps): JSX.Element {
  return (
    <button type="button" data-component="page-line" data-kind={props.kind} data-tone={props.tone} onClick={() => props.onOpen()}>
      {props.icon}
      <span data-slot="name">{props.name}</span>{" "}
      <Show when={props.about}>
        <span data-slot="about">{props.about}</span>
      </Show>
    </button>
  );
}
