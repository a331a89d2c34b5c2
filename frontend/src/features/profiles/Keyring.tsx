import type { JSX } from "solid-js";
import { text, translated } from "../../i18n";

/** Why secrets can't be stored, and what to do. */
export function Keyring(props: { why: string }): JSX.Element {
  return (
    <div data-slot="keyring" role="status">
      <strong>{text().profiles.noKeyring}</strong> <span>{translated(props.why)}</span> {text().profiles.noKeyringInstead} <code>PARLEY_SECRET_</code>
      {text().profiles.noKeyringNames}
    </div>
  );
}
