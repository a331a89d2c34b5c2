// Draws a view over a made-up host, for tests.

import { render } from "@solidjs/testing-library";
import { type JSX, untrack } from "solid-js";
import { expect, onTestFinished, vi } from "vitest";
import { info } from "../../gallery/fixtures";
import type { Info } from "../host/border.gen";
import type { FakeHost } from "../host/fake";
import { AppProvider, type App } from "../store/context";
import { createApp } from "../store/create";

/** Starts the app over the host and draws the view when the state is read. */
export async function renderApp(
  host: FakeHost,
  view: (app: App) => JSX.Element,
  what: Partial<Info> = {},
): Promise<App> {
  host.on("app.info", () => info(what));
  const app = createApp(host, { schedule: (flush) => flush() });
  onTestFinished(() => app.dispose());
  await vi.waitFor(() => expect(app.state.loaded).toBe(true));
  render(() => <AppProvider app={app}>{untrack(() => view(app))}</AppProvider>);
  return app;
}
