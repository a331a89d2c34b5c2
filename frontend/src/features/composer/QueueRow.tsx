import ArrowUp from "lucide-solid/icons/arrow-up";
import Pencil from "lucide-solid/icons/pencil";
import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { QueuedPrompt } from "../../host/border.gen";
import { isComposing } from "../../lib/keys";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { Kbd } from "../../ui/kbd";
import { AuthorName } from "../mattermost/AuthorName";
import { asideReason, canEdit, promptState, type Queue, standsAside } from "./queue";

export function QueueRow(props: {
  prompt: QueuedPrompt;
  number: number;
  busy: boolean;
  open: boolean;
  onToggle: () => void;
  queue: Queue;
}): JSX.Element {
  const id = () => props.prompt.promptId;
  const images = () => props.prompt.attachments?.length ?? 0;
  const pending = () => props.queue.busy(id());
  const problem = () => (props.queue.problem()?.promptId === id() ? props.queue.problem()?.message : undefined);

  return (
    <li data-slot="row" data-state={props.prompt.state}>
      <span data-slot="number" aria-hidden="true">
        {props.number}
      </span>
      <Show when={props.queue.editing() === id()} fallback={<Words {...props} />}>
        <Edit queue={props.queue} number={props.number} />
      </Show>
      <Show when={props.queue.editing() !== id()}>
        <Show when={props.prompt.author}>{(author) => <AuthorName author={author()} short />}</Show>
        <Show when={images() > 0}>
          <span data-slot="images">{text().composer.queue.images(images())}</span>
        </Show>
        <span data-slot="state">{promptState(props.prompt, props.busy)}</span>
        <span data-slot="actions">
          <Show when={standsAside(props.prompt)}>
            <Button size="small" aria-label={text().composer.queue.againNamed(props.number)} disabled={pending()} onClick={() => void props.queue.send(id())}>
              {text().composer.queue.again}
            </Button>
          </Show>
          <Show when={canEdit(props.prompt) && !standsAside(props.prompt)}>
            <IconButton label={text().composer.queue.sendNamed(props.number)} disabled={pending()} onClick={() => void props.queue.send(id())}>
              <ArrowUp />
            </IconButton>
          </Show>
          <Show when={canEdit(props.prompt)}>
            <IconButton label={text().composer.queue.editNamed(props.number)} disabled={pending()} onClick={() => props.queue.edit(id())}>
              <Pencil />
            </IconButton>
          </Show>
          <IconButton label={text().composer.queue.dropNamed(props.number)} disabled={pending()} onClick={() => void props.queue.drop(id())}>
            <X />
          </IconButton>
        </span>
      </Show>
      <Show when={asideReason(props.prompt)}>{(reason) => <p data-slot="reason">{reason()}</p>}</Show>
      <Show when={problem()}>
        <p data-slot="problem" role="alert">
          {problem()}
        </p>
      </Show>
    </li>
  );
}

function Words(props: { prompt: QueuedPrompt; open: boolean; onToggle: () => void }): JSX.Element {
  return (
    <button
      type="button"
      data-slot="words"
      aria-expanded={props.open}
      title={props.open ? undefined : props.prompt.text}
      onClick={() => props.onToggle()}
    >
      {props.open ? props.prompt.text : firstLine(props.prompt.text)}
    </button>
  );
}

function firstLine(words: string): string {
  const [first = "", ...rest] = words.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}

function Edit(props: { queue: Queue; number: number }): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) void props.queue.save();
    else if (event.key === "Escape") props.queue.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div data-slot="edit">
      <textarea
        ref={(field) =>
          queueMicrotask(() => {
            field.focus();
            field.setSelectionRange(field.value.length, field.value.length);
          })
        }
        aria-label={text().composer.queue.named(props.number)}
        rows={Math.min(8, Math.max(2, props.queue.text().split("\n").length))}
        value={props.queue.text()}
        onInput={(event) => props.queue.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span data-slot="buttons">
        <Button size="small" variant="primary" disabled={props.queue.text().trim() === ""} onClick={() => void props.queue.save()}>
          {text().common.save} <Kbd keys="Enter" />
        </Button>
        <Button size="small" variant="ghost" onClick={() => props.queue.cancel()}>
          {text().common.cancel} <Kbd keys="Esc" />
        </Button>
      </span>
    </div>
  );
}
