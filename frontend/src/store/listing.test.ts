import { createRoot, createEffect } from "solid-js";
import { describe, expect, it } from "vitest";
import { session } from "../../gallery/fixtures";
import { createListing } from "./listing";

const ids = (listing: ReturnType<typeof createListing>, place: "list" | "archive" | "trash" = "list") =>
  listing.of(place).map((entry) => entry.id);

describe("the order", () => {
  it("is by time, whatever the order in which they come", () => {
    const listing = createListing();
    for (const [id, at] of [["b", 2], ["d", 4], ["a", 1], ["c", 3], ["c2", 3]] as const) {
      listing.put(session(id, { lastActivityAt: at }));
    }
    expect(ids(listing)).toEqual(["d", "c", "c2", "b", "a"]);
    listing.put(session("a", { lastActivityAt: 9 }));
    expect(ids(listing)).toEqual(["a", "d", "c", "c2", "b"]);
    listing.remove("d");
    listing.remove("unknown");
    expect(ids(listing)).toEqual(["a", "c", "c2", "b"]);
  });

  it("is that of sorting, after many changes", () => {
    const listing = createListing();
    const times = new Map<string, number>();
    let seed = 1;
    const roll = (n: number) => (seed = (seed * 48_271) % 2_147_483_647) % n;
    for (let i = 0; i < 2000; i++) {
      const id = `s${roll(200)}`;
      if (roll(5) === 0) {
        listing.remove(id);
        times.delete(id);
      } else {
        const at = roll(100);
        listing.put(session(id, { lastActivityAt: at }));
        times.set(id, at);
      }
    }
    const sorted = [...times].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id);
    expect(ids(listing)).toEqual(sorted);
  });

  it("stands still while a turn runs", () => {
    const listing = createListing();
    listing.put(session("a", { lastActivityAt: 1 }));
    listing.put(session("b", { lastActivityAt: 2 }));
    listing.put(session("a", { state: "running", lastActivityAt: 3 }));
    listing.put(session("b", { state: "running", lastActivityAt: 4 }));
    listing.put(session("a", { state: "running", lastActivityAt: 5 }));
    expect(ids(listing)).toEqual(["b", "a"]);
    listing.put(session("a", { lastActivityAt: 6 }));
    expect(ids(listing)).toEqual(["a", "b"]);
  });
});

describe("places", () => {
  it("moves what is archived, deleted and brought back", () => {
    const listing = createListing();
    listing.put(session("a"));
    listing.put(session("a", { archivedAt: 5 }));
    expect([ids(listing), ids(listing, "archive")]).toEqual([[], ["a"]]);
    listing.put(session("b", { archivedAt: 4, lastActivityAt: 900 }));
    expect(ids(listing, "archive")).toEqual(["a", "b"]);
    listing.remove("b");
    listing.put(session("a", { archivedAt: 5, deletedAt: 6 }));
    expect([ids(listing, "archive"), ids(listing, "trash")]).toEqual([[], ["a"]]);
    listing.put(session("a"));
    expect([ids(listing), ids(listing, "trash")]).toEqual([["a"], []]);
  });

  it("has the last deleted first in the trash", () => {
    const listing = createListing();
    listing.put(session("old", { deletedAt: 1, lastActivityAt: 9 }));
    listing.put(session("new", { deletedAt: 2, lastActivityAt: 8 }));
    expect(ids(listing, "trash")).toEqual(["new", "old"]);
  });
});

it("says nothing when nothing changed that a list shows", () => {
  const listing = createListing();
  listing.put(session("a"));
  let runs = 0;
  createRoot((dispose) => {
    createEffect(() => {
      listing.of("list");
      runs++;
    });
    queueMicrotask(dispose);
  });
  listing.put(session("a", { lastSeq: 7, totalCostUSD: 3, pid: 9 }));
  expect(runs).toBe(1);
  listing.put(session("a", { title: "another" }));
  expect(runs).toBe(2);
});
