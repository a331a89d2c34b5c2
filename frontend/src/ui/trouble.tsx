import { type JSX, Show } from "solid-js";
import { text } from "../i18n";
import { Button } from "./button";

export interface TroubleProps {
  reading: { error: () => string; again: () => unknown };
  /** What could not be read. */
  failed: string;
  /** That it is read. */
  loading?: string;
}

/** What is shown before there is an answer: that it is awaited, or why there is none. */
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
