import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";

/** Confirms bypassing permissions. Cancel has the initial focus. */
export function BypassDialog(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onAccept: () => void;
}): JSX.Element {
  return (
    <Dialog
      open={props.open}
      onOpenChange={(open) => props.onOpenChange(open)}
      title={text().choices.bypass.title}
      footer={
        <>
          <Button data-autofocus="" onClick={() => props.onOpenChange(false)}>
            {text().choices.bypass.keep}
          </Button>
          <Button
            variant="ghost"
            data-danger=""
            onClick={() => {
              props.onOpenChange(false);
              props.onAccept();
            }}
          >
            {text().choices.bypass.off}
          </Button>
        </>
      }
    >
      <p data-slot="description">{text().choices.bypass.about}</p>
    </Dialog>
  );
}
