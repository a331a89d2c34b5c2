import { createEffect, createSignal, For, type JSX, lazy, Suspense } from "solid-js";
import { Dynamic } from "solid-js/web";
import { useApp } from "../../store/context";
import { followMentions } from "../rooms/notify";

// Each is fetched when it is wanted for the first time. The window opens sooner without
// them, and the browser asks each of their styles' rules about everything that is drawn,
// which is a third of what drawing a long conversation costs.
const dialogs = {
  search: lazy(async () => ({ default: (await import("../search/SearchDialog")).SearchDialog })),
  processes: lazy(async () => ({ default: (await import("../processes/ProcessDialog")).ProcessDialog })),
  usage: lazy(async () => ({ default: (await import("../usage/UsageDialog")).UsageDialog })),
  permissions: lazy(async () => ({ default: (await import("../permissions/PermissionsDialog")).PermissionsDialog })),
  waiting: lazy(async () => ({ default: (await import("../permissions/WaitingDialog")).WaitingDialog })),
  heartbeats: lazy(async () => ({ default: (await import("../heartbeats/HeartbeatsDialog")).HeartbeatsDialog })),
  memory: lazy(async () => ({ default: (await import("../memory/MemoryDialog")).MemoryDialog })),
  rooms: lazy(async () => ({ default: (await import("../rooms/RoomsDialog")).RoomsDialog })),
  chat: lazy(async () => ({ default: (await import("../chat/ChatDialog")).ChatDialog })),
  mirror: lazy(async () => ({ default: (await import("../chat/MirrorDialog")).MirrorDialog })),
};
type Kind = keyof typeof dialogs;
const known = (kind: string | undefined): kind is Kind => kind !== undefined && Object.hasOwn(dialogs, kind);

/** What lies over everything else, one at a time. One that was open stays, closed, with what it keeps. */
export function Overlays(): JSX.Element {
  const app = useApp();
  const [wanted, setWanted] = createSignal<readonly Kind[]>([]);
  createEffect(() => {
    const kind = app.layout.overlay()?.kind;
    if (known(kind)) setWanted((all) => (all.includes(kind) ? all : [...all, kind]));
  });
  followMentions(app, () => app.layout.overlay()?.kind === "rooms");
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
