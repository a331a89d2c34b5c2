import BookUser from "lucide-solid/icons/book-user";
import MessageSquare from "lucide-solid/icons/message-square-quote";
import Sparkles from "lucide-solid/icons/sparkles";
import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import type { MemoryModel } from "./model";

/** Introduces memory while it is empty. */
export function Begin(props: { model: MemoryModel; onAdd: () => void }): JSX.Element {
  const words = () => text().memory.begin;
  return (
    <div data-slot="begin">
      <h4>{words().title}</h4>
      <p>{words().about}</p>
      <ul role="list">
        <li>
          <button type="button" data-slot="card" onClick={() => props.model.show({ kind: "file", file: "SOUL.md", begin: words().soulText })}>
            <Sparkles size={18} aria-hidden="true" />
            <strong>{words().soul}</strong>
            <span>{words().soulAbout}</span>
          </button>
        </li>
        <li>
          <button type="button" data-slot="card" onClick={() => props.model.show({ kind: "file", file: "USER.md", begin: words().userText })}>
            <BookUser size={18} aria-hidden="true" />
            <strong>{words().user}</strong>
            <span>{words().userAbout}</span>
          </button>
        </li>
        <li>
          <div data-slot="card">
            <MessageSquare size={18} aria-hidden="true" />
            <strong>{words().ask}</strong>
            <span>{words().askAbout}</span>
          </div>
        </li>
      </ul>
      <div data-slot="actions">
        <Button data-autofocus="" onClick={() => props.onAdd()}>
          {text().memory.add.button}
        </Button>
        <Button variant="ghost" onClick={() => props.model.show({ kind: "import" })}>
          {words().import}
        </Button>
      </div>
    </div>
  );
}
