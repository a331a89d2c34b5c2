// Benchmarks the list with 5,000 sessions. One changed record must not cost as much as sorting.

import { bench, describe } from "vitest";
import { manySessions } from "../../../gallery/sessions";
import { createListing } from "../../store/listing";
import { rowsOf } from "./rows";

const now = 1_790_000_000_000;
const { sessions, workspaces } = manySessions(5000, now);
const listing = createListing();
for (const session of sessions) listing.put(session);

const view = {
  filter: "",
  folded: new Set<string>(),
  whole: new Set<string>(), loud: new Set<string>(),
  current: null,
  workspaces: new Map(workspaces.map((w) => [w.id, { title: w.title, pinned: w.pinned }])),
  now,
};
let tick = 0;
const first = sessions[2500];

describe("5,000 sessions", () => {
  bench("an event that moves nothing", () => {
    if (first) listing.put({ ...first, lastSeq: tick++ });
  });

  for (const grouping of ["workspace", "time"] as const) {
    bench(`an event that moves a session, and the list by ${grouping}`, () => {
      if (first) listing.put({ ...first, lastActivityAt: now + tick++ });
      rowsOf(listing.of("list"), { ...view, grouping });
    });
  }

  bench("a letter in the filter", () => {
    rowsOf(listing.of("list"), { ...view, grouping: "workspace", filter: "flaky" });
  });

  bench("reading the list for the first time", () => {
    const fresh = createListing();
    for (const session of sessions) fresh.put(session);
  });
});
