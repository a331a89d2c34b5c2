import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import type { Reading } from "./read";

/** What is shown before there is an answer: that it is awaited, or why there is none. */
export function Trouble(props: { reading: Pick<Reading<unknown>, "error" | "again"> }): JSX.Element {
  return (
    <Show when={props.reading.error()} fallback={<p data-slot="aside">{text().common.loading}</p>}>
      {(why) => (
        <div data-slot="empty" role="alert">
          <strong>{text().permission.failed}</strong>
          <p>{why()}</p>
          <Button size="small" onClick={() => props.reading.again()}>
            {text().permission.again}
          </Button>
        </div>
      )}
    </Show>
  );
}
