// Tokenizes code. Loaded by the worker, and by the page only if workers are not available.

import hljs from "highlight.js/lib/common";
import clojure from "highlight.js/lib/languages/clojure";
import cmake from "highlight.js/lib/languages/cmake";
import dart from "highlight.js/lib/languages/dart";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import erlang from "highlight.js/lib/languages/erlang";
import groovy from "highlight.js/lib/languages/groovy";
import haskell from "highlight.js/lib/languages/haskell";
import http from "highlight.js/lib/languages/http";
import julia from "highlight.js/lib/languages/julia";
import latex from "highlight.js/lib/languages/latex";
import nginx from "highlight.js/lib/languages/nginx";
import nix from "highlight.js/lib/languages/nix";
import ocaml from "highlight.js/lib/languages/ocaml";
import powershell from "highlight.js/lib/languages/powershell";
import protobuf from "highlight.js/lib/languages/protobuf";
import scala from "highlight.js/lib/languages/scala";
import vim from "highlight.js/lib/languages/vim";
import type { Emitter } from "highlight.js";
import { kindOf, type Runs } from "./colour";

const more = {
  clojure, cmake, dart, dockerfile, elixir, erlang, groovy, haskell, http, julia, latex, nginx, nix, ocaml, powershell, protobuf, scala, vim,
};
for (const [name, language] of Object.entries(more)) hljs.registerLanguage(name, language);
hljs.registerAliases(["svelte", "vue", "astro"], { languageName: "xml" });
hljs.registerAliases(["jsonl", "json5"], { languageName: "json" });
hljs.registerAliases(["patch"], { languageName: "diff" });

/** Collects runs instead of markup. */
class RunEmitter implements Emitter {
  readonly runs: number[] = [];
  readonly #open: number[] = [];

  addText(text: string): void {
    if (text === "") return;
    const kind = this.#open.at(-1) ?? 0;
    const last = this.runs.length - 2;
    if (last >= 0 && this.runs[last + 1] === kind) this.runs[last] = (this.runs[last] ?? 0) + text.length;
    else this.runs.push(text.length, kind);
  }

  startScope(name: string): void {
    // A scope without its own color inherits that of its parent.
    this.#open.push(kindOf(name) || (name === "subst" ? 0 : (this.#open.at(-1) ?? 0)));
  }

  endScope(): void {
    this.#open.pop();
  }

  // The library uses both names for these.
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof RunEmitter)) return;
    for (const n of emitter.runs) this.runs.push(n);
  }

  toHTML(): string {
    return "";
  }

  finalize(): void {
    // No open state matters.
  }
}
hljs.configure({ __emitter: RunEmitter });

/** The runs of a text, null for an unknown language. */
export function findRuns(text: string, language: string): Runs | null {
  if (!hljs.getLanguage(language)) return null;
  const { _emitter } = hljs.highlight(text, { language, ignoreIllegals: true });
  return _emitter instanceof RunEmitter ? Uint32Array.from(_emitter.runs) : null;
}
