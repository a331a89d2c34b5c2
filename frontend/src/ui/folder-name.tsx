import { type JSX, Show } from "solid-js";
import "./folder-name.css";

/** A folder in a row: its name, and its path, truncated at the start. */
export function FolderName(props: { name: string; path: string }): JSX.Element {
  return (
    <span data-component="folder-name">
      <span data-slot="name">{props.name}</span>
      <Show when={props.path}>
        <span data-slot="path">
          <bdi>{props.path}</bdi>
        </span>
      </Show>
    </span>
  );
}
