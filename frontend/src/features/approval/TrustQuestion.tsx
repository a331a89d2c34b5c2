import FolderLock from "lucide-solid/icons/folder-lock";
import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { listField, numberField, textField } from "../../lib/shape";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Kbd } from "../../ui/kbd";
import { Findings } from "./Findings";
import { Frame, type QuestionProps } from "./Frame";
import { DENY_KEYS } from "./keys";
import "./question.css";

/** Asks whether the CLI may load and run what a folder contains. Trusting takes a deliberate click. */
export function TrustQuestion(props: QuestionProps): JSX.Element {
  const input = () => props.question.input;
  const findings = () => listField(input(), "findings");
  const more = () => numberField(input(), "more") ?? 0;
  const busy = () => props.answer.phase() !== "ready";
  const words = () => text().approval.trust;
  const deny = () => props.answer.give({ behavior: "deny" });

  return (
    <Frame
      {...props}
      keys={{ allow: () => {}, deny }}
      icon={<FolderLock size={16} />}
      title={words().title}
      actions={
        <>
          <Button variant="primary" aria-disabled={busy()} title={words().bareAbout} onClick={() => props.answer.give({ behavior: "allow", choice: "bare" })}>
            {words().bare}
          </Button>
          <Button aria-disabled={busy()} onClick={() => props.answer.give({ behavior: "allow", choice: "trusted" })}>
            {words().trusted}
          </Button>
          <Button variant="ghost" aria-disabled={busy()} onClick={deny}>
            {words().deny} <Kbd keys={DENY_KEYS} />
          </Button>
        </>
      }
    >
      <p data-slot="description">
        <code>
          <ExactText text={textField(input(), "folder") || (props.question.cwd ?? "")} />
        </code>
      </p>
      <p data-slot="description">{words().about}</p>
      <Findings findings={findings()} more={more()} label={words().title} />
    </Frame>
  );
}
