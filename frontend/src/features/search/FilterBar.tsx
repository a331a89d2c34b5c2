import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import ChevronDown from "lucide-solid/icons/chevron-down";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { type Choice, ChoiceMenu } from "../../ui/menu";
import { kinds, type SearchModel, times } from "./model";

const models = (): Choice[] => [
  { id: "", name: text().search.anyModel },
  { id: "opus", name: "Opus" },
  { id: "sonnet", name: "Sonnet" },
  { id: "haiku", name: "Haiku" },
];

/** Choices with names from the catalog; no choice is called "any" there. */
function named<K extends string>(choices: readonly { id: K | "" }[], names: Record<K | "any", string>): Choice[] {
  return choices.map(({ id }) => ({ id, name: names[id === "" ? "any" : id] }));
}

/** The search filters. */
export function FilterBar(props: { model: SearchModel }): JSX.Element {
  const { state } = useApp();
  const { filters, setFilters } = props.model;
  const workspaces = (): Choice[] => [
    { id: "", name: text().search.allFolders },
    ...state.workspaceOrder.flatMap((id) => {
      const workspace = state.workspaces[id];
      return workspace ? [{ id, name: workspace.title, about: workspace.path }] : [];
    }),
  ];
  return (
    <div data-slot="filters" role="group" aria-label={text().search.filters}>
      <Filter label={text().search.what} choices={named(kinds, text().search.kinds)} value={filters.kind} onChange={(kind) => setFilters({ kind })} />
      <Filter label={text().search.folder} choices={workspaces()} value={filters.workspaceId} onChange={(workspaceId) => setFilters({ workspaceId })} />
      <Filter label={text().search.when} choices={named(times, text().search.times)} value={filters.time} onChange={(time) => setFilters({ time })} />
      <Filter label={text().search.model} choices={models()} value={filters.model} onChange={(model) => setFilters({ model })} />
      <button type="button" data-slot="filter" aria-pressed={filters.hasError} onClick={() => setFilters({ hasError: !filters.hasError })}>
        {text().search.onlyFailed}
      </button>
      <Show when={props.model.filtered()}>
        <button type="button" data-slot="clear" onClick={() => props.model.clearFilters()}>
          {text().search.clear}
        </button>
      </Show>
    </div>
  );
}

function Filter(props: {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChange: (id: string) => void;
}): JSX.Element {
  const name = () => props.choices.find((choice) => choice.id === props.value)?.name ?? "";
  return (
    <DropdownMenu placement="bottom-start" gutter={4}>
      <DropdownMenu.Trigger data-slot="filter" data-set={props.value !== "" || undefined} aria-label={`${props.label}: ${name()}`}>
        {name()}
        <ChevronDown size={12} />
      </DropdownMenu.Trigger>
      <ChoiceMenu label={props.label} choices={props.choices} value={props.value} onChange={(id) => props.onChange(id)} />
    </DropdownMenu>
  );
}
