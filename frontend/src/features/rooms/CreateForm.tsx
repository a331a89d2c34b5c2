import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import { Button } from "../../ui/button";
import type { RoomsModel } from "./model";

const longest = 100;

/** Creates a room, and explains rooms while there are none. */
export function CreateForm(props: { model: RoomsModel }): JSX.Element {
  const [name, setName] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const words = () => text().rooms;
  const none = () => props.model.list().length === 0;
  const bare = () => name().trim().replace(/^#/, "").trim();
  const tooLong = () => [...bare()].length > longest;

  async function make(): Promise<void> {
    if (bare() === "" || tooLong() || busy()) return;
    setBusy(true);
    await props.model.create(bare());
    setBusy(false);
  }

  return (
    <form
      data-slot="create"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event) || none()) return;
        event.preventDefault();
        event.stopPropagation();
        props.model.setCreating(false);
      }}
    >
      <Show when={none()} fallback={<h3>{words().create.title}</h3>}>
        <h3>{words().begin.title}</h3>
        <p data-slot="aside">{words().begin.about}</p>
      </Show>
      <label>
        <span>{words().create.name}</span>
        <input
          ref={(el) => setTimeout(() => el.focus())}
          data-component="text-field"
          data-autofocus=""
          dir="auto"
          spellcheck={false}
          autocomplete="off"
          placeholder={words().create.placeholder}
          aria-invalid={tooLong() || undefined}
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <p data-slot={tooLong() ? "invalid" : "aside"} role="status">
        {tooLong() ? words().create.tooLong(longest) : words().create.about}
      </p>
      <div data-slot="actions">
        <Show when={!none()}>
          <Button variant="ghost" onClick={() => props.model.setCreating(false)}>
            {text().common.cancel}
          </Button>
        </Show>
        <Button variant="primary" type="submit" disabled={bare() === "" || tooLong() || busy()}>
          {words().create.make}
        </Button>
      </div>
    </form>
  );
}
