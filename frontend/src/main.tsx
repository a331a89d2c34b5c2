import { render } from "solid-js/web";
import { App } from "./app";
import { detectHost } from "./host/detect";
import { nameBackTab } from "./lib/keys";
import { guardLinks } from "./lib/link-gate";
import { createApp } from "./store/create";
import { followTheme, restoreTheme } from "./theme";
import "./styles/tokens.css";
import "./styles/schemes.css";
import "./styles/base.css";

restoreTheme();
nameBackTab();
const host = detectHost();
guardLinks(host);
const app = createApp(host);
window.addEventListener("pagehide", (event) => {
  if (!event.persisted) app.dispose();
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
render(() => {
  followTheme(app.state);
  return <App app={app} />;
}, root);
