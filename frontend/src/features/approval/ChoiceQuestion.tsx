import CircleQuestionMark from "lucide-solid/icons/circle-question-mark";
import { createMemo, createUniqueId, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { type AskedQuestion, askedQuestions } from "../../lib/tools";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Kbd } from "../../ui/kbd";
import { type Choices, createChoices } from "./choice";
import { Frame, type QuestionProps } from "./Frame";
import { createPinnedRows } from "./draft-answers";
import { ALLOW_KEYS } from "./keys";
import "./choice-question.css";
import "./question.css";

const NO_ANSWER = "The user chose not to answer";

/** Multiple-choice questions from Claude. */
export function ChoiceQuestion(props: QuestionProps): JSX.Element {
  const questions = createMemo(() => askedQuestions(props.question.input));
  const choices = createChoices(questions, createPinnedRows(props.question.requestId, "choices", {}));
  const complete = () => choices.open() < 0;
  let body!: HTMLDivElement;

  const submit = () => {
    const open = choices.open();
    if (open < 0) {
      props.answer.give({ behavior: "allow", answers: choices.answers() });
      return;
    }
    const missing = choices.otherChosen(open) ? "input[type=text]" : "input";
    body.children[open]?.querySelector<HTMLElement>(missing)?.focus();
  };

  return (
    <Frame
      {...props}
      keys={{ allow: submit, deny: () => {} }}
      icon={<CircleQuestionMark size={16} />}
      title={questions().length > 1 ? text().approval.answers.many(questions().length) : text().approval.titles.question}
      actions={
        <>
          <Button variant="primary" disabled={!complete()} aria-disabled={props.answer.phase() !== "ready"} onClick={submit}>
            {text().approval.answers.answer} <Kbd keys={ALLOW_KEYS} />
          </Button>
          <Button
            variant="ghost"
            aria-disabled={props.answer.phase() !== "ready"}
            onClick={() => props.answer.give({ behavior: "deny", message: NO_ANSWER })}
          >
            {text().approval.answers.none}
          </Button>
        </>
      }
    >
      <div ref={(el) => (body = el)} data-component="choices">
        <For each={questions()}>
          {(asked, index) => <One asked={asked} index={index()} choices={choices} onSubmit={submit} />}
        </For>
      </div>
    </Frame>
  );
}

function One(props: { asked: AskedQuestion; index: number; choices: Choices; onSubmit: () => void }): JSX.Element {
  const name = createUniqueId();
  const type = () => (props.asked.multiSelect ? "checkbox" : "radio");
  let other!: HTMLInputElement;
  let set!: HTMLFieldSetElement;

  const pickOther = () => {
    props.choices.chooseOther(props.index);
    if (props.choices.otherChosen(props.index)) other.focus();
  };
  // Digits choose and Enter continues; in the text field, digits are text.
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || event.altKey) return;
    if (event.key === "Enter" && (!isMod(event) || event.target === other)) {
      event.preventDefault();
      const focused = event.target as HTMLInputElement;
      if (focused.type === "radio" && focused !== other) focused.click();
      props.onSubmit();
      return;
    }
    if (event.target === other || isMod(event) || !/^[1-9]$/.test(event.key)) return;
    const option = props.asked.options[Number(event.key) - 1];
    if (option) {
      event.preventDefault();
      props.choices.choose(props.index, option.label);
      set.querySelectorAll<HTMLInputElement>("input:not([type=text])")[Number(event.key) - 1]?.focus();
    } else if (Number(event.key) === props.asked.options.length + 1) {
      event.preventDefault();
      pickOther();
    }
  };

  return (
    <fieldset ref={(el) => (set = el)} onKeyDown={onKeyDown}>
      <legend>
        <Show when={props.asked.header}>
          <span data-slot="chip">
            <ExactText text={props.asked.header} />
          </span>
        </Show>
        <ExactText text={props.asked.question} />
        <Show when={props.asked.multiSelect}>
          <span data-slot="hint"> {text().approval.answers.any}</span>
        </Show>
      </legend>
      <For each={props.asked.options}>
        {(option, position) => {
          const chosen = () => props.choices.chosen(props.index, option.label);
          return (
            <label data-slot="option" data-chosen={chosen() || undefined}>
              <input
                type={type()}
                name={name}
                checked={chosen()}
                onChange={() => props.choices.choose(props.index, option.label)}
              />
              <span data-slot="words">
                <span data-slot="label">
                  <ExactText text={option.label} />
                </span>
                <Show when={option.description}>
                  <span data-slot="description">
                    <ExactText text={option.description} />
                  </span>
                </Show>
                <Show when={option.preview && chosen()}>
                  <pre data-slot="preview">
                    <ExactText text={option.preview} />
                  </pre>
                </Show>
              </span>
              <kbd data-slot="digit" aria-hidden="true">
                {position() + 1}
              </kbd>
            </label>
          );
        }}
      </For>
      <div data-slot="option" data-chosen={props.choices.otherChosen(props.index) || undefined}>
        <input
          type={type()}
          name={name}
          aria-label={text().approval.answers.other}
          checked={props.choices.otherChosen(props.index)}
          onChange={pickOther}
        />
        <input
          ref={(el) => (other = el)}
          type="text"
          data-slot="other"
          aria-label={text().approval.answers.otherTo(props.asked.question)}
          placeholder={text().approval.answers.placeholder}
          value={props.choices.otherText(props.index)}
          onInput={(event) => props.choices.write(props.index, event.currentTarget.value)}
        />
        <kbd data-slot="digit" aria-hidden="true">
          {props.asked.options.length + 1}
        </kbd>
      </div>
    </fieldset>
  );
}
