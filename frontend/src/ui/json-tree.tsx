import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../i18n";
import { formatBytes } from "../lib/time";
import { ExactText } from "./exact-text";
import "./json-tree.css";

// What is rendered initially: members per value, and UTF-16 units per string. The rest is rendered on demand, so that a
// value of any size opens at the same cost.
const MOST_MEMBERS = 50;
const MOST_TEXT = 400;
// A value with more members is initially folded.
const FEW = 12;
/** The length of a string rendered on demand; the rest can only be copied. */
const MOST_WHOLE = 200_000;

/** A value as a tree with foldable branches and typed leaves. */
export function JsonTree(props: { value: unknown; label: string }): JSX.Element {
  return (
    <div data-component="json-tree" role="group" aria-label={props.label}>
      <Show when={isBranch(props.value)} fallback={<Leaf value={props.value} />}>
        <Members value={props.value as object} depth={0} />
      </Show>
    </div>
  );
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function Members(props: { value: object; depth: number }): JSX.Element {
  const [most, setMost] = createSignal(MOST_MEMBERS);
  const keys = () => Object.keys(props.value);
  // Without branches, no space is reserved for chevrons.
  const flat = () => !Object.values(props.value).some((value) => isBranch(value) && Object.keys(value).length > 0);
  return (
    <ul role="list" data-flat={flat() || undefined}>
      <For each={keys().slice(0, most())}>
        {(key) => (
          <li>
            <Member name={key} inList={Array.isArray(props.value)} value={(props.value as Record<string, unknown>)[key]} depth={props.depth} />
          </li>
        )}
      </For>
      <Show when={keys().length > most()}>
        <li>
          <button type="button" data-slot="more" onClick={() => setMost(most() + 10 * MOST_MEMBERS)}>
            {text().tools.tree.more(keys().length - most())}
          </button>
        </li>
      </Show>
    </ul>
  );
}

function Member(props: { name: string; inList: boolean; value: unknown; depth: number }): JSX.Element {
  const size = () => (isBranch(props.value) ? Object.keys(props.value).length : 0);
  const [open, setOpen] = createSignal(props.depth < 1 && size() <= FEW);
  const label = () => (
    <span data-slot="key" data-index={props.inList || undefined}>
      <ExactText text={props.name} />
    </span>
  );
  return (
    <Show
      when={isBranch(props.value) && size() > 0 ? props.value : null}
      fallback={
        <div data-slot="leaf">
          {label()} <Leaf value={props.value} />
        </div>
      }
    >
      {(branch) => (
        <>
          <button type="button" data-slot="branch" aria-expanded={open()} onClick={() => setOpen(!open())}>
            <ChevronRight size={12} />
            {label()}
            <span data-slot="size">{Array.isArray(branch()) ? text().tools.tree.items(size()) : text().tools.tree.members(size())}</span>
          </button>
          <Show when={open()}>
            <Members value={branch()} depth={props.depth + 1} />
          </Show>
        </>
      )}
    </Show>
  );
}

function Leaf(props: { value: unknown }): JSX.Element {
  const [whole, setWhole] = createSignal(false);
  const type = () => (props.value === null ? "null" : Array.isArray(props.value) ? "list" : typeof props.value);
  const words = () => (typeof props.value === "string" ? props.value : "");
  const shown = () => words().slice(0, whole() ? MOST_WHOLE : MOST_TEXT);
  return (
    <Switch fallback={<span data-slot="value" data-type={type()}>{isBranch(props.value) ? (Array.isArray(props.value) ? "[]" : "{}") : String(props.value)}</span>}>
      <Match when={type() === "string"}>
        <span data-slot="value" data-type="string">
          <ExactText text={shown()} />
          <Show when={words() === ""}>""</Show>
        </span>
        <Show when={words().length > MOST_TEXT && !whole()}>
          <button type="button" data-slot="more" onClick={() => setWhole(true)}>
            {text().tools.tree.rest(formatBytes(words().length))}
          </button>
        </Show>
      </Match>
    </Switch>
  );
}
