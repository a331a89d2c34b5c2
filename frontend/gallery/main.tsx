// Draws the page over a made-up host, gallery.html?scene=chat&theme=dark, or parts
// that a feature shows on their own, ?scene=parts-timeline; all of these with
// ?scene=parts, the cards of the tools with ?scene=tools. Without a scene it lists them.
// What goes through the gallery reads the names in window.galleryScenes, so that
// nothing is left out: every scene has a picture and is checked. It loads the page once
// and calls window.showScene(name) for each.

import { createEffect, For, type JSX, untrack } from "solid-js";
import { render } from "solid-js/web";
import { App } from "../src/app";
import { languages, showLanguage } from "../src/i18n";
import { guardLinks } from "../src/host/link-gate";
import type { App as AppModel } from "../src/store/context";
import { createApp } from "../src/store/create";
import { rememberBlank } from "./blank";
import { Parts, parts } from "./Parts";
import { stopPressing } from "./press";
import { pseudoLanguages } from "./pseudo";
import { scenes } from "./scenes";
import "../src/styles/frame.css";
import "../src/styles/base.css";

/** Never the same twice. */
const moving = ["long"];
const names = [...Object.keys(scenes), ...Object.keys(parts)];
Object.assign(window, { galleryScenes: names.filter((name) => !moving.includes(name)) });

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;
const scheme = query.get("scheme");
if (scheme) document.documentElement.dataset["scheme"] = scheme;

// ?lang=de, or one of those that nobody speaks; shown before anything is drawn.
const lang = query.get("lang");
const language = [...languages, ...pseudoLanguages].find((each) => each.code === lang);
if (language) await showLanguage(language);

const root = document.getElementById("root");
if (!root) throw new Error("The gallery has no root.");
const place = root;
const blank = rememberBlank(place);
const name = query.get("scene");
let end = name === null ? render(() => <Contents />, place) : begin(name);
Object.assign(window, { showScene });

/** Draws another scene in place of what is there, as if the page had just come. */
async function showScene(called: string): Promise<void> {
  end();
  // What the scene had begun comes to its end: some of it is put off by a timer and a frame.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  blank();
  end = begin(called);
}

/** Draws a scene; what is returned takes it away. */
function begin(called: string): () => void {
  const entries = entriesOf(called);
  const scene = (scenes[entries ? "chat" : called] ?? scenes["chat"])?.();
  if (!scene) throw new Error("The gallery has no such scene.");
  const unguard = guardLinks(scene.host);
  const app = createApp(scene.host);
  const remove = render(() => (entries ? <Parts app={app} entries={entries} /> : <Page app={app} open={scene.open} begin={scene.begin} />), place);
  return () => {
    stopPressing();
    remove();
    app.dispose();
    unguard();
    scene.host.close();
  };
}

function Page(props: { app: AppModel; open?: string | undefined; begin?: ((app: AppModel) => void) | undefined }): JSX.Element {
  createEffect(() => {
    if (!props.app.state.loaded) return;
    untrack(() => {
      if (props.open !== undefined) props.app.actions.open(props.open);
      props.begin?.(props.app);
    });
  });
  return <App app={props.app} />;
}

function Contents(): JSX.Element {
  return (
    <main data-component="parts">
      <h1>Gallery</h1>
      <ul>
        <For each={names}>
          {(each) => (
            <li>
              <a href={`?scene=${each}`}>{each}</a> <a href={`?scene=${each}&theme=dark`}>dark</a>
            </li>
          )}
        </For>
      </ul>
    </main>
  );
}

function entriesOf(scene: string) {
  const all = Object.values(parts).flat();
  if (scene === "parts") return all;
  if (scene === "tools") return all.filter((entry) => entry.name.startsWith("Tool:"));
  return parts[scene];
}
