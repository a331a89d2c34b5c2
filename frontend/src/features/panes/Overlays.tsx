import { createMemo, For, type JSX, lazy, Suspense } from "solid-js";
import { Dynamic } from "solid-js/web";
import { placeKinds } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { followMentions } from "../rooms/notify";

// Each is fetched when it is wanted for the first time. The window opens sooner without
// them, and the browser asks each of their styles' rules about everything that is drawn,
// which is a third of what drawing a long conversation costs.
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

/** What lies over everything else, one at a time, and the places in their tabs. One that was open stays, closed, with what it keeps. */
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
