import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Dialog } from "../../ui/dialog";
import { UsagePage } from "./UsagePage";
import "./usage.css";

/** What was used, over everything else. */
export function UsageDialog(): JSX.Element {
  const { layout } = useApp();
  const open = () => layout.overlay()?.kind === "usage";
  return (
    <Dialog
      open={open()}
      onOpenChange={(to) => layout.setOverlay(to ? { kind: "usage" } : null)}
      title={text().usage.title}
      description={text().usage.about}
      size="large"
    >
      <Show when={open()}>
        <UsagePage />
      </Show>
    </Dialog>
  );
}
