import { createEffect, type JSX, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { CreateForm } from "./CreateForm";
import { createRoomsModel, type Drafts, type RoomsModel } from "./model";
import { Places } from "./Places";
import { Questions } from "./Questions";
import { RoomView } from "./RoomView";
import "./rooms.css";
import "./messages.css";
import "./side.css";

/** The rooms, over everything else. */
export function RoomsDialog(): JSX.Element {
  const { layout } = useApp();
  const open = () => layout.overlay()?.kind === "rooms";
  const room = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "rooms" ? (overlay.roomId ?? "") : "";
  };
  // What is half written outlives the page.
  const drafts: Drafts = new Map();
  return (
    <Dialog open={open()} onOpenChange={(to) => !to && layout.setOverlay(null)} title={text().rooms.title} description={text().rooms.about} size="wide">
      <Show when={open()}>
        <RoomsPage drafts={drafts} room={room()} />
      </Show>
    </Dialog>
  );
}

/** From this width on there is room for the members beside what is said. */
const wide = 900;

export function RoomsPage(props: { drafts: Drafts; room?: string }): JSX.Element {
  const app = useApp();
  const model = createRoomsModel(app, props.drafts, props.room, window.innerWidth >= wide);
  createEffect(() => props.room && model.show(props.room));
  const narrowed = () => {
    if (window.innerWidth < wide && model.side()?.kind === "members") model.setSide(null);
  };
  window.addEventListener("resize", narrowed);
  onCleanup(() => window.removeEventListener("resize", narrowed));
  return (
    <Show when={model.rooms.answer()} fallback={<Unread model={model} />}>
      <div data-component="rooms" data-page="">
        <Places model={model} />
        <section data-slot="main" tabindex="-1" aria-label={text().rooms.title}>
          <Show when={model.problem()}>
            {(why) => (
              <div data-slot="notice" data-bad="" role="alert">
                <p dir="auto">{why()}</p>
                <Button size="small" variant="ghost" onClick={() => model.dismiss()}>
                  {text().common.dismiss}
                </Button>
              </div>
            )}
          </Show>
          <p class="visually-hidden" role="status">
            {model.said()}
          </p>
          <Show when={!model.creating() && (model.current() || model.gone())} fallback={<CreateForm model={model} />}>
            <Show when={model.current()?.id} keyed fallback={<Gone />}>
              {(id) => <RoomView model={model} id={id} />}
            </Show>
          </Show>
        </section>
      </div>
      <Questions model={model} />
    </Show>
  );
}

function Unread(props: { model: RoomsModel }): JSX.Element {
  return (
    <div data-component="page-unread" data-of="rooms" data-autofocus="" tabindex="-1">
      <Show when={props.model.rooms.error()} fallback={<p role="status">{text().common.loading}</p>}>
        {(why) => (
          <div role="alert">
            <strong>{text().rooms.failed}</strong>
            <p>{why()}</p>
            <Button size="small" onClick={() => props.model.rooms.again()}>
              {text().common.tryAgain}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}

function Gone(): JSX.Element {
  return (
    <div data-slot="empty" role="status">
      <strong>{text().rooms.room.gone}</strong>
      <p>{text().rooms.room.goneAbout}</p>
    </div>
  );
}
