import BookUser from "lucide-solid/icons/book-user";
import Folder from "lucide-solid/icons/folder";
import Globe from "lucide-solid/icons/globe";
import Import from "lucide-solid/icons/import";
import Library from "lucide-solid/icons/library";
import Sparkles from "lucide-solid/icons/sparkles";
import Trash from "lucide-solid/icons/trash";
import { For, type JSX, Show } from "solid-js";
import type { MemoryWorkspace } from "../../host/border.gen";
import { number, text } from "../../i18n";
import type { MemoryModel, View } from "./model";

/** The places of memories: all, the user's own files, and the workspaces. */
export function Places(props: { model: MemoryModel }): JSX.Element {
  const words = () => text().memory;
  const overview = () => props.model.overview.answer();
  const workspaces = () => overview()?.workspaces ?? [];
  const known = () => workspaces().filter((w) => w.memories > 0 || w.off);
  const others = () => workspaces().filter((w) => w.memories === 0 && !w.off);
  const general = () => (overview()?.files ?? []).reduce((sum, file) => sum + (file.workspace === "" ? file.memories : 0), 0);
  const isAt = (view: View) => {
    const now = props.model.view();
    if (view.kind === "list") return (now.kind === "list" || now.kind === "told") && now.scope === view.scope;
    return view.kind === "file" ? now.kind === "file" && now.file === view.file : now.kind === view.kind;
  };

  function Place(place: { view: View; icon: JSX.Element; name: string; title?: string; count?: number; off?: boolean }): JSX.Element {
    return (
      <li>
        <button type="button" data-slot="place" aria-current={isAt(place.view) ? "page" : undefined} title={place.title} onClick={() => props.model.show(place.view)}>
          {place.icon}
          <span data-slot="name" dir="auto">
            {place.name}
          </span>
          <Show when={place.off}>
            <span data-slot="off">{words().off}</span>
          </Show>
          <Show when={(place.count ?? 0) > 0}>
            <span data-slot="count" aria-label={words().count(place.count ?? 0)}>
              {number(place.count ?? 0)}
            </span>
          </Show>
        </button>
      </li>
    );
  }
  const Workspace = (one: { workspace: MemoryWorkspace }) => (
    <Place
      view={{ kind: "list", scope: one.workspace.slug }}
      icon={<Folder size={15} aria-hidden="true" />}
      name={one.workspace.title}
      title={one.workspace.path}
      count={one.workspace.memories}
      off={one.workspace.off}
    />
  );

  return (
    <nav data-slot="places" aria-label={words().places}>
      <ul role="list">
        <Place view={{ kind: "list", scope: null }} icon={<Library size={15} aria-hidden="true" />} name={words().all} count={overview()?.memories} />
        <Place view={{ kind: "file", file: "SOUL.md" }} icon={<Sparkles size={15} aria-hidden="true" />} name={words().soul} />
        <Place view={{ kind: "file", file: "USER.md" }} icon={<BookUser size={15} aria-hidden="true" />} name={words().user} />
        <Place view={{ kind: "list", scope: "" }} icon={<Globe size={15} aria-hidden="true" />} name={words().general} title={words().generalAbout} count={general()} />
      </ul>
      <Show when={workspaces().length > 0}>
        <h3>{words().workspaces}</h3>
        <ul role="list">
          <For each={known()}>{(workspace) => <Workspace workspace={workspace} />}</For>
        </ul>
        <Show when={others().length > 0}>
          <details>
            <summary>{words().others(others().length)}</summary>
            <ul role="list">
              <For each={others()}>{(workspace) => <Workspace workspace={workspace} />}</For>
            </ul>
          </details>
        </Show>
      </Show>
      <ul role="list" data-slot="ends">
        <Place view={{ kind: "import" }} icon={<Import size={15} aria-hidden="true" />} name={words().import} />
        <Place view={{ kind: "trash" }} icon={<Trash size={15} aria-hidden="true" />} name={words().trash} />
      </ul>
    </nav>
  );
}
