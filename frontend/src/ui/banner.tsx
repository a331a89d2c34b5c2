import { type JSX, Show } from "solid-js";
import { text } from "../i18n";
import "./banner.css";

export interface BannerProps {
  level: "critical" | "warning" | "info";
  title: string;
  hint?: string;
  detail?: string;
  actions?: JSX.Element;
}

/** A problem and its remedy, above what it concerns. */
export function Banner(props: BannerProps): JSX.Element {
  return (
    <div data-component="banner" data-level={props.level} role={props.level === "critical" ? "alert" : "status"}>
      <div data-slot="text">
        <strong>{props.title}</strong>
        <Show when={props.hint}> {props.hint}</Show>
        <Show when={props.detail}>
          <details>
            <summary>{text().shell.details}</summary>
            <pre>{props.detail}</pre>
          </details>
        </Show>
      </div>
      <Show when={props.actions}>
        <div data-slot="actions">{props.actions}</div>
      </Show>
    </div>
  );
}
