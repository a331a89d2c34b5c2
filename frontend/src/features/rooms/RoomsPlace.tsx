import { createEffect, createSignal, type JSX, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Page, PageBody } from "../../ui/page";
import { CreateForm } from "./CreateForm";
import { createRoomsModel, type Drafts } from "./model";
import { Places } from "./Places";
import { Questions } from "./Questions";
import { RoomView } from "./RoomView";
import "./rooms.css";
import "./messages.css";
import "./side.css";

/** The rooms page. */
export function RoomsPlace(): JSX.Element {
  const { layout } = useApp();
  // Drafts survive closing the page.
  const drafts: Drafts = new Map();
  return (
    <Page at={layout.at("rooms")} into={layout.panel("rooms")} title={text().rooms.title} about={text().rooms.about} width={1080}>
      {(at) => <RoomsPage drafts={drafts} room={at.name ?? ""} />}
    </Page>
  );
}

/** From this page width on, the members fit beside the messages. */
const wide = 860;

export function RoomsPage(props: { drafts: Drafts; room?: string }): JSX.Element {
  const app = useApp();
  const panel = app.layout.panel("rooms");
  const [width, setWidth] = createSignal(Infinity);
  const model = createRoomsModel(app, props.drafts, props.room, () => width() >= wide);
  createEffect(() => props.room && model.show(props.room));
  const narrowed = new ResizeObserver(() => {
    // A hidden page has no width.
    if (panel.clientWidth === 0) return;
    setWidth(panel.clientWidth);
    if (panel.clientWidth < wide && model.side()?.kind === "members") model.setSide(null);
  });
  narrowed.observe(panel);
  onCleanup(() => narrowed.disconnect());
  return (
    <PageBody kind="rooms" reading={model.rooms} failed={text().rooms.failed}>
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
      <Questions model={model} />
    </PageBody>
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
