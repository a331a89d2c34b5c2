import { createMemo, For, type JSX, lazy, Suspense } from "solid-js";
import { Dynamic } from "solid-js/web";
import { placeKinds } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { followMentions } from "../rooms/notify";

// Each is loaded on first use. The window opens faster without them, and the browser matches their style rules against
// every element, which is a third of the cost of rendering a long conversation.
const dialogs = {
  search: lazy(async () => ({ default: (await import("../search/SearchDialog")).SearchDialog })),
  processes: lazy(async () => ({ default: (await import("../processes/ProcessesPlace")).ProcessesPlace })),
  usage: lazy(async () => ({ default: (await import("../usage/UsagePlace")).UsagePlace })),
  permissions: lazy(async () => ({ default: (await import("../permissions/PermissionsPlace")).PermissionsPlace })),
  waiting: lazy(async () => ({ default: (await import("../permissions/WaitingDialog")).WaitingDialog })),
  heartbeats: lazy(async () => ({ default: (await import("../heartbeats/HeartbeatsPlace")).HeartbeatsPlace })),
  memory: lazy(async () => ({ default: (await import("../memory/MemoryPlace")).MemoryPlace })),
  rooms: lazy(async () => ({ default: (await import("../rooms/RoomsPlace")).RoomsPlace })),
  chat: lazy(async () => ({ default: (await import("../mattermost/MattermostPlace")).MattermostPlace })),
  mirror: lazy(async () => ({ default: (await import("../mattermost/MirrorDialog")).MirrorDialog })),
};
type Kind = keyof typeof dialogs;
const known = (kind: string | undefined): kind is Kind => kind !== undefined && Object.hasOwn(dialogs, kind);

/** The modal overlays, one at a time, and the places in their tabs. Once opened, one stays mounted with its state. */
export function Overlays(): JSX.Element {
  const app = useApp();
  const { layout } = app;
  const wanted = createMemo<readonly Kind[]>((all) => {
    const now = [layout.overlay()?.kind, ...placeKinds.filter((kind) => layout.shows(kind))].filter(known);
    return now.every((kind) => all.includes(kind)) ? all : [...new Set([...all, ...now])];
  }, []);
  followMentions(app, () => layout.shows("rooms"));
  return (
    <For each={wanted()}>
      {(kind) => (
        <Suspense>
          <Dynamic component={dialogs[kind]} />
        </Suspense>
      )}
    </For>
  );
}
