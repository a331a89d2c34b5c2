import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { formatClock } from "../../lib/time";
import type { Draft } from "../../store/state";
import { Button } from "../../ui/button";

/** Another window edited this session's draft: both are kept until the user chooses one. */
export function OtherDraft(props: { draft: Draft; onChoose: (which: "this" | "other") => void }): JSX.Element {
  const words = () => text().composer;
  return (
    <Show when={props.draft.other}>
      {(other) => (
        <div data-slot="other-draft" role="status">
          <p title={other().text}>
            {words().otherDraft(formatClock(other().updatedAt))} <q>{other().text || words().otherImage}</q>
          </p>
          <Button size="small" onClick={() => props.onChoose("other")}>
            {words().useOther}
          </Button>
          <Button size="small" variant="ghost" onClick={() => props.onChoose("this")}>
            {words().keepThis}
          </Button>
        </div>
      )}
    </Show>
  );
}
