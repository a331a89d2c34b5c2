import { type JSX } from "solid-js";
import { keyLabel } from "../lib/keys";
import "./kbd.css";

/** A shortcut such as "Mod+B". */
export function Kbd(props: { keys: string }): JSX.Element {
  return <kbd data-component="kbd">{keyLabel(props.keys)}</kbd>;
}
