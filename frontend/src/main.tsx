import { render } from "solid-js/web";
import { App } from "./app";
import { detectHost } from "./host/detect";
import { nameBackTab } from "./lib/keys";
import { guardLinks } from "./host/link-gate";
import { createApp } from "./store/create";
import { followTheme, restoreTheme } from "./desk/theme";
import "./styles/base.css";

const shown = restoreTheme();
nameBackTab();
const host = detectHost();
guardLinks(host);
const app = createApp(host);
window.addEventListener("pagehide", (event) => {
  if (!event.persisted) app.dispose();
});

// An installed page shows when Parley can't be reached. Browsers only allow service workers in secure contexts.
if (host.kind === "gateway" && import.meta.env.PROD) navigator.serviceWorker?.register("/sw.js", { updateViaCache: "none" }).catch(() => {});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
void shown.then(() => {
  root.replaceChildren();
  render(() => {
    followTheme(app.state);
    return <App app={app} />;
  }, root);
});
