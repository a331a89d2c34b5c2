import X from "lucide-solid/icons/x";
import { createSignal, createUniqueId, type JSX, Show } from "solid-js";
import type { Room, RoomRules } from "../../host/border.gen";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { Radios } from "../../ui/radios";
import type { RoomsModel } from "./model";

const most = 1000;
const wakes = ["off", "mention", "any"] as const;
type Wake = (typeof wakes)[number];

/** The rules of a room, and the actions for the whole room. */
export function RoomSettings(props: { model: RoomsModel; room: Room }): JSX.Element {
  const words = () => text().rooms;
  return (
    <aside data-slot="side" data-kind="settings" aria-label={words().room.settings}>
      <header data-slot="side-head">
        <h4>{words().rules.title}</h4>
        <IconButton label={text().common.close} onClick={() => props.model.setSide(null)}>
          <X size={15} />
        </IconButton>
      </header>
      <div data-slot="side-body">
        <Rules model={props.model} room={props.room} />
        <section>
          <h5>{words().export.title}</h5>
          <p data-slot="aside">{words().export.about}</p>
          <div data-slot="actions">
            <Button size="small" onClick={() => void props.model.save("markdown")}>
              {words().export.markdown}
            </Button>
            <Button size="small" onClick={() => void props.model.save("json")}>
              {words().export.json}
            </Button>
          </div>
        </section>
        <section>
          <h5>{words().delete.title}</h5>
          <p data-slot="aside">{words().delete.about}</p>
          <div data-slot="actions">
            <Button size="small" variant="ghost" data-danger="" onClick={() => props.model.ask({ kind: "delete" })}>
              {words().delete.button}
            </Button>
          </div>
        </section>
        <Show when={props.model.said()}>
          <p data-slot="aside" dir="auto">
            {props.model.said()}
          </p>
        </Show>
      </div>
    </aside>
  );
}

function Rules(props: { model: RoomsModel; room: Room }): JSX.Element {
  const words = () => text().rooms.rules;
  /** The user's unsaved choices, layered over the saved ones. */
  const [chosen, setChosen] = createSignal<Partial<{ approval: boolean; wake: Wake; turns: string; hops: string }>>({});
  const [busy, setBusy] = createSignal(false);
  const rules = () => props.room.rules;
  const wake = (): Wake => chosen().wake ?? wakes.find((w) => w === rules().wake) ?? "off";
  const turns = () => chosen().turns ?? String(rules().turnsPerHour);
  const hops = () => chosen().hops ?? String(rules().maxHops);
  const next = (): RoomRules => ({ approval: chosen().approval ?? rules().approval, wake: wake(), turnsPerHour: Number(turns()), maxHops: Number(hops()) });
  const changed = () => JSON.stringify(next()) !== JSON.stringify({ approval: rules().approval, wake: rules().wake, turnsPerHour: rules().turnsPerHour, maxHops: rules().maxHops });
  const valid = () => isWhole(turns()) && isWhole(hops());

  async function save(): Promise<void> {
    if (!changed() || !valid() || busy()) return;
    setBusy(true);
    if (await props.model.setRules(next())) setChosen({});
    setBusy(false);
  }

  function Figure(one: { label: string; about: string; value: string; onInput: (value: string) => void }): JSX.Element {
    const id = createUniqueId();
    return (
      <div data-slot="figure">
        <label for={id}>{one.label}</label>
        <input
          id={id}
          type="number"
          min="0"
          max={most}
          step="1"
          data-component="text-field"
          aria-describedby={`${id}-about`}
          aria-invalid={!isWhole(one.value) || undefined}
          value={one.value}
          onInput={(event) => one.onInput(event.currentTarget.value)}
        />
        <p id={`${id}-about`} data-slot={isWhole(one.value) ? "aside" : "invalid"}>
          {isWhole(one.value) ? one.about : words().range(most)}
        </p>
      </div>
    );
  }

  return (
    <form
      data-slot="rules"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Radios legend={words().wake} choices={wakes.map((id) => ({ id, name: words().wakes[id], about: words().wakeAbout[id] }))} value={wake()} onChange={(to) => setChosen((now) => ({ ...now, wake: to }))} />
      <Figure label={words().turns} about={words().turnsAbout} value={turns()} onInput={(value) => setChosen((now) => ({ ...now, turns: value }))} />
      <Figure label={words().hops} about={words().hopsAbout} value={hops()} onInput={(value) => setChosen((now) => ({ ...now, hops: value }))} />
      <label data-slot="check">
        <input type="checkbox" checked={next().approval} onChange={(event) => setChosen((now) => ({ ...now, approval: event.currentTarget.checked }))} />
        <span>
          {words().approval}
          <small data-slot="aside">{words().approvalAbout}</small>
        </span>
      </label>
      <div data-slot="actions">
        <Button size="small" variant="primary" type="submit" disabled={!changed() || !valid() || busy()}>
          {words().save}
        </Button>
        <Show when={changed()}>
          <Button size="small" variant="ghost" onClick={() => setChosen({})}>
            {words().revert}
          </Button>
        </Show>
      </div>
    </form>
  );
}

const isWhole = (value: string): boolean => /^\d{1,4}$/.test(value.trim()) && Number(value) <= most;
