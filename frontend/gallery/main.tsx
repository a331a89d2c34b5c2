// Draws the page over a made-up host, gallery.html?scene=chat&theme=dark, or
// every part that the features show on their own, ?scene=parts.

import { createEffect } from "solid-js";
import { render } from "solid-js/web";
import { App } from "../src/app";
import { guardLinks } from "../src/lib/link-gate";
import { createApp } from "../src/store/create";
import { Parts } from "./Parts";
import { scenes } from "./scenes";
import "../src/styles/tokens.css";
import "../src/styles/base.css";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;

const name = query.get("scene") ?? "chat";
const scene = (scenes[name] ?? scenes["chat"])?.();
const root = document.getElementById("root");
if (!root || !scene) throw new Error("The gallery has no root or no scene.");

guardLinks(scene.host);
const app = createApp(scene.host);
render(() => {
  createEffect(() => {
    if (app.state.loaded && scene.open !== undefined) app.actions.open(scene.open);
  });
  return name === "parts" ? <Parts app={app} /> : <App app={app} />;
}, root);
