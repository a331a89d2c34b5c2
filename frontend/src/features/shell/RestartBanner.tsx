import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Banner } from "../../ui/banner";
import { Button } from "../../ui/button";
import { restart } from "./restart";

/** How long the restart message is shown. */
const shownFor = 15_000;

/** Shows that Parley restarts when the sessions have finished, and that it has restarted. */
export function RestartBanner(): JSX.Element {
  const app = useApp();
  const words = () => text().shell.restart;
  const now = () => app.state.info?.restart;
  const [said, setSaid] = createSignal(0);
  createEffect(
    on(
      () => now()?.at ?? 0,
      (at) => {
        const left = at + shownFor - Date.now();
        if (at === 0 || left <= 0) return;
        setSaid(at);
        const timer = setTimeout(() => setSaid(0), left);
        onCleanup(() => clearTimeout(timer));
      },
    ),
  );
  const happened = () => {
    const status = now();
    if (!status || said() === 0) return "";
    const version = app.state.info?.version ?? "";
    const updated = version === status.before ? "" : version;
    return status.working > 0 ? words().worked(updated, status.working) : words().done(updated);
  };
  return (
    <>
      <Show when={now()?.waiting}>
        <Banner
          level="info"
          title={words().waiting}
          actions={
            <>
              <Button size="small" onClick={() => void restart(app, "now")}>
                {words().now}
              </Button>
              <Button size="small" variant="ghost" onClick={() => void restart(app, "never")}>
                {words().never}
              </Button>
            </>
          }
        />
      </Show>
      <Show when={happened()}>
        {(title) => (
          <Banner
            level="info"
            title={title()}
            actions={
              <Button size="small" variant="ghost" onClick={() => setSaid(0)}>
                {text().shell.dismiss}
              </Button>
            }
          />
        )}
      </Show>
    </>
  );
}
