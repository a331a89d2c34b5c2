import Plus from "lucide-solid/icons/plus";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Room } from "../../host/border.gen";
import { text } from "../../i18n";
import { fold } from "../../lib/fold";
import { baseName } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import type { RoomsModel } from "./model";
import { plain } from "./words";

const mostShown = 8;

/** Adds a session of this Parley to the room. */
export function AddSession(props: { model: RoomsModel; room: Room }): JSX.Element {
  const { listing } = useApp();
  const [open, setOpen] = createSignal(false);
  const [sought, setSought] = createSignal("");
  let opener!: HTMLButtonElement;
  const words = () => text().rooms.members;
  const found = createMemo(() => {
    if (!open()) return [];
    const inside = new Set(props.room.members.map((m) => m.sessionId));
    const word = fold(sought().trim());
    const matches = listing.of("list").filter((s) => !inside.has(s.id) && fold(`${s.title} ${s.cwd}`).includes(word));
    return matches.slice(0, mostShown);
  });

  function close(): void {
    setOpen(false);
    setSought("");
    opener.focus();
  }
  async function add(id: string): Promise<void> {
    if (await props.model.add(id)) close();
  }

  return (
    <div data-slot="add">
      <Button ref={(el: HTMLButtonElement) => (opener = el)} size="small" aria-expanded={open()} onClick={() => (open() ? close() : setOpen(true))}>
        <Plus size={13} /> {words().add}
      </Button>
      <Show when={open()}>
        <div
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            close();
          }}
        >
          <input
            ref={(el) => setTimeout(() => el.focus())}
            type="search"
            data-component="text-field"
            spellcheck={false}
            aria-label={words().find}
            placeholder={words().find}
            value={sought()}
            onInput={(event) => setSought(event.currentTarget.value)}
          />
          <Show when={found().length > 0} fallback={<p data-slot="aside">{words().nothing}</p>}>
            <ul role="list">
              <For each={found()}>
                {(session) => (
                  <li>
                    <button type="button" data-slot="session" aria-label={words().addOne(plain(session.title) || words().untitled)} onClick={() => void add(session.id)}>
                      <bdi>{plain(session.title) || words().untitled}</bdi>
                      <bdi data-slot="aside">{baseName(session.cwd)}</bdi>
                    </button>
                  </li>
                )}
              </For>
            </ul>
          </Show>
          <p data-slot="aside">{words().addAbout}</p>
        </div>
      </Show>
    </div>
  );
}
