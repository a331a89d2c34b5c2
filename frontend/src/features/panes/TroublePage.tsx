import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";

/** Replaces a session that the page could not show. */
export function TroublePage(props: {
  /** Why it just failed; undefined if it failed the last time. */
  detail?: string;
  /** Undefined if safe mode itself failed. */
  onSafe?: () => void;
  onUsual: () => void;
  onClose: () => void;
}): JSX.Element {
  return (
    <section data-component="trouble-page" role="alert">
      <h1>{props.detail ? text().panes.trouble.now : text().panes.trouble.lastTime}</h1>
      <p>
        {text().panes.trouble.about}
        <Show when={props.onSafe}> {text().panes.trouble.safeAbout}</Show>
      </p>
      <div data-slot="actions">
        <Show when={props.onSafe}>
          {(open) => (
            <Button variant="primary" data-autofocus onClick={() => open()()}>
              {text().panes.trouble.safe}
            </Button>
          )}
        </Show>
        <Button onClick={() => props.onUsual()}>{props.detail ? text().common.tryAgain : text().panes.trouble.usual}</Button>
        <Button variant="ghost" onClick={() => props.onClose()}>
          {text().panes.closeTab}
        </Button>
      </div>
      <Show when={props.detail}>
        <details>
          <summary>{text().common.details}</summary>
          <pre tabindex="0">{props.detail}</pre>
        </details>
      </Show>
    </section>
  );
}
