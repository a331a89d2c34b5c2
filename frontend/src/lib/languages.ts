// The language of a file by its name, as the highlighter calls it.

const byExtension: Record<string, string> = {
  bash: "bash", c: "c", cc: "cpp", cjs: "javascript", clj: "clojure", cpp: "cpp", cs: "csharp", css: "css", cts: "typescript", cxx: "cpp", dart: "dart",
  diff: "diff", ex: "elixir", exs: "elixir", erl: "erlang", go: "go", gradle: "groovy", graphql: "graphql", groovy: "groovy", h: "c", hpp: "cpp", hs: "haskell",
  htm: "xml", html: "xml", ini: "ini", ipynb: "json", java: "java", jl: "julia", js: "javascript", json: "json", jsonl: "json", jsx: "javascript", kt: "kotlin",
  kts: "kotlin", less: "less", lua: "lua", m: "objectivec", md: "markdown", mjs: "javascript", ml: "ocaml", mts: "typescript", nix: "nix", patch: "diff",
  php: "php", pl: "perl", proto: "protobuf", ps1: "powershell", py: "python", pyi: "python", r: "r", rb: "ruby", rs: "rust", sass: "scss", scala: "scala",
  scss: "scss", sh: "bash", sql: "sql", svelte: "xml", svg: "xml", swift: "swift", tex: "latex", toml: "ini", ts: "typescript", tsx: "typescript", vim: "vim",
  vue: "xml", xml: "xml", yaml: "yaml", yml: "yaml", zsh: "bash",
};

const byName: Record<string, string> = { dockerfile: "dockerfile", makefile: "makefile", "cmakelists.txt": "cmake", gemfile: "ruby", rakefile: "ruby", jenkinsfile: "groovy" };

/** The language of a file, "" if its name does not tell. */
export function languageOf(path: string): string {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  if (Object.hasOwn(byName, name)) return byName[name] ?? "";
  const dot = name.lastIndexOf(".");
  const extension = name.slice(dot + 1);
  return dot >= 0 && Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? "") : "";
}
