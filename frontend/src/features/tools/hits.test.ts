import { expect, test } from "vitest";
import { hitsOf } from "./hits";

test("files, as they were found", () => {
  expect(hitsOf({ mode: "files_with_matches", filenames: ["/w/a.go", "/w/b.go"] })).toEqual([
    { path: "/w/a.go", count: null, lines: [] }, { path: "/w/b.go", count: null, lines: [] },
  ]);
  expect(hitsOf({ filenames: [] })).toBeNull();
  expect(hitsOf(null)).toBeNull();
});

test("counts by file", () => {
  expect(hitsOf({ mode: "count", content: "src/a.go:3\nC:\\w\\b.go:12\nnothing" })).toEqual([
    { path: "src/a.go", count: 3, lines: [] }, { path: "C:\\w\\b.go", count: 12, lines: [] },
  ]);
});

test("lines by file, with those beside a hit", () => {
  expect(hitsOf({ mode: "content", content: "a-b/x.go:3:func post() {\na-b/x.go-4-\treturn\n--\nb.go:9:x:1:y" })).toEqual([
    { path: "a-b/x.go", count: 1, lines: [{ line: 3, text: "func post() {", hit: true }, { line: 4, text: "\treturn", hit: false }] },
    { path: "b.go", count: 1, lines: [{ line: 9, text: "x:1:y", hit: true }] },
  ]);
});

test("what has no file names is text", () => expect(hitsOf({ mode: "content", content: "12:one\nplain\nwords\nmore" })).toBeNull());
