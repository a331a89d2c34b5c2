import { type JSX, Show } from "solid-js";
import { text } from "../i18n";
import { Button } from "./button";

export interface TroubleProps {
  reading: { error: () => string; again: () => unknown };
  /** The message if loading failed. */
  failed: string;
  /** The message while loading. */
  loading?: string;
}

/** Shown before there is an answer: loading, or the reason for the failure. */
export function Trouble(props: TroubleProps): JSX.Element {
  return (
    <Show
      when={props.reading.error()}
      fallback={
        <p data-slot="aside" role="status">
          {props.loading ?? text().common.loading}
        </p>
      }
    >
      {(why) => (
        <div data-slot="empty" role="alert">
          <strong>{props.failed}</strong>
          <p>{why()}</p>
          <Button size="small" onClick={() => props.reading.again()}>
            {text().common.tryAgain}
          </Button>
        </div>
      )}
    </Show>
  );
}
