import ArrowLeft from "lucide-solid/icons/arrow-left";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import type { MemoryModel } from "./model";
import { Told } from "./Told";

/** The memory a new session of a place would include now. */
export function ToldView(props: { model: MemoryModel }): JSX.Element {
  const { layout } = useApp();
  const words = () => text().memory.told;
  const told = () => props.model.told.answer();
  return (
    <>
      <header data-slot="back">
        <IconButton label={text().memory.file.back} data-autofocus="" onClick={() => props.model.show({ kind: "list", scope: props.model.scope() })}>
          <ArrowLeft size={16} />
        </IconButton>
        <h3>{words().title}</h3>
        <Button
          size="small"
          variant="ghost"
          onClick={() => layout.go({ kind: "settings", tab: "memoryBudgetTokens" })}
        >
          {words().budget}
        </Button>
      </header>
      <Show when={told()}>{(now) => <Show when={now().text} fallback={<p data-slot="aside">{now().off === "" ? words().nothing : words().off.general}</p>}><Told told={now()} /></Show>}</Show>
    </>
  );
}
