import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import type { Updates } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Banner } from "../../ui/banner";
import { Button } from "../../ui/button";

/** Announces a newer Parley and installs it. */
export function UpdateBanner(): JSX.Element {
  const { state, host, actions } = useApp();
  const words = () => text().shell.update;
  const [found, setFound] = createSignal<Updates>();
  const [installing, setInstalling] = createSignal(false);
  // Checks at every connection, also after a restart. It runs unasked, so errors are silent.
  createEffect(
    on(
      () => state.loaded && host.status().kind === "open",
      (open) => {
        if (open) void host.call("app.updates", {}).then(setFound, () => setFound());
      },
    ),
  );
  const newer = () => (found()?.told ? found()?.newer : undefined);
  const install = async () => {
    setInstalling(true);
    try {
      await host.call("app.update", {});
      setFound();
    } catch (failure) {
      actions.report(failure);
    } finally {
      setInstalling(false);
    }
  };
  return (
    <Show when={newer()}>
      {(version) => (
        <Banner
          level="info"
          title={installing() ? words().installing(version()) : words().out(version())}
          hint={words().nothingCut}
          actions={
            <>
              <Button size="small" disabled={installing()} onClick={() => void install()}>
                {words().install}
              </Button>
              <Button size="small" variant="ghost" disabled={installing()} onClick={() => setFound()}>
                {text().shell.dismiss}
              </Button>
            </>
          }
        />
      )}
    </Show>
  );
}
