// Draws the page over a made-up host: gallery.html?scene=chat&theme=dark.

import { createEffect } from "solid-js";
import { render } from "solid-js/web";
import { App } from "../src/app";
import { guardLinks } from "../src/lib/link-gate";
import { createApp } from "../src/store/create";
import { scenes } from "./scenes";
import "../src/styles/tokens.css";
import "../src/styles/base.css";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;

const root = document.getElementById("root");
const scene = scenes[query.get("scene") ?? "chat"]?.();
if (!root || !scene) throw new Error(`The scenes are ${Object.keys(scenes).join(", ")}.`);

guardLinks(scene.host);
const app = createApp(scene.host);
render(() => {
  createEffect(() => {
    if (app.state.loaded && scene.open !== undefined) app.actions.open(scene.open);
  });
  return <App app={app} />;
}, root);
