import { type JSX, Show } from "solid-js";
import "./page-line.css";

export interface PageLineProps {
  /** The page, for styles and tests. */
  kind: string;
  icon: JSX.Element;
  name: string;
  /** The most important state, "" for none. */
  about: string;
  tone?: "strong" | "accent" | "warning" | "critical" | undefined;
  onOpen: () => void;
}

/** The link to a page in the sidebar's footer, with its state. */
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
