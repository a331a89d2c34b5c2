// Renders a view over a fake host, for tests.

import { render } from "@solidjs/testing-library";
import { type JSX, untrack } from "solid-js";
import { expect, onTestFinished, vi } from "vitest";
import { info } from "../../gallery/fixtures";
import type { Info } from "../host/border.gen";
import type { FakeHost } from "../host/fake";
import { placeKinds } from "../store/arrangement";
import { AppProvider, type App } from "../store/context";
import { createApp } from "../store/create";
import { createPane, PaneProvider } from "../store/pane";

/** Starts the app over the host and renders the view once the state is loaded. */
export async function renderApp(
  host: FakeHost,
  view: (app: App) => JSX.Element,
  what: Partial<Info> = {},
): Promise<App> {
  host.on("app.info", () => info(what));
  const app = createApp(host, { schedule: (flush) => flush() });
  onTestFinished(() => app.dispose());
  await vi.waitFor(() => expect(app.state.loaded).toBe(true));
  render(() => (
    <AppProvider app={app}>
      <PaneProvider value={createPane()}>{untrack(() => view(app))}</PaneProvider>
    </AppProvider>
  ));
  // As the panes contain them.
  for (const kind of placeKinds) {
    const panel = document.body.appendChild(app.layout.panel(kind));
    onTestFinished(() => panel.remove());
  }
  return app;
}
