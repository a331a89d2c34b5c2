// Scroll behavior of a conversation: it follows the end while the user is there;
// otherwise the content being read does not move.
//
// The virtual list keeps rows that are entirely above the view in place. This module
// handles the rest: the part of a row at the top of the view stays when something
// above it in the same row grows, or when the width changes.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { VirtualizerHandle } from "virtua/solid";
import { SHOWN } from "../../lib/into-view";
import type { Place } from "../../store/arrangement";
import { along, beginning, innermost, pathTo, type Step } from "./in-row";

const NEAR = 32;
/** The share of the height left above a jump target. */
const LEAD = 0.15;
/** After this, it is treated like anything else being read. */
const SETTLED_MS = 1000;
/** For this long after a wheel, touch or key event, scrolling may be the user's. */
const HAND_MS = 1000;
/** Content that starts below this share of the height is not considered as being read. */
const LOW = 0.6;

interface List {
  scroller: HTMLElement;
  /** The space above the first row, in px. */
  lead: number;
  /** The total height known to the list, in px. A row that is not measured yet may extend beyond. */
  height(): number;
  ids(): readonly string[];
  virtual(): VirtualizerHandle | undefined;
  /** A rendered row. */
  row(id: string): HTMLElement | undefined;
}

export interface FollowScroll {
  /** Whether something new arrived while the user was reading further up. */
  newBelow: Accessor<boolean>;
  /** Whether the end is far away. */
  away: Accessor<boolean>;
  attach(list: List): void;
  /** Call after scrolling, once the list has rendered the visible rows. */
  scrolled(): void;
  /** Call when something was added at the end. */
  grew(): void;
  /** Call when a row or the view changed its size. */
  resized(): void;
  toEnd(): void;
  toStart(): void;
  /** Scrolls a row into view and keeps it there. */
  show(id: string, lead?: number): void;
  /** The reading position, null while at the end. */
  place(): Place | null;
  /** Goes to a reading position. Returns whether its message exists. */
  goTo(place: Place): boolean;
}

/** The anchor: a row, and the element in it at the top of the view. */
interface Hold {
  id: string;
  /** The distance of its top below the view's. */
  offset: number;
  element: Element | null;
  top: number;
  /** The element's path in its row, in case the row is rendered again. */
  path?: Step[];
  /** Whether it is a jump target, placed as well as possible. */
  goal?: boolean;
  /** Nobody has scrolled since the jump or the width change: any movement is the list measuring. */
  still?: boolean;
}

/** What was clicked to expand something, and the anchor at that time. */
interface Opening {
  button: Element;
  read: Hold | null;
}

/** ends reports whether the last row is the end of the conversation: the end of a part is not followed. */
export function createFollowScroll(ends: () => boolean): FollowScroll {
  const [newBelow, setNewBelow] = createSignal(false);
  const [away, setAway] = createSignal(false);
  let list: List | undefined;
  let following = true;
  let hold: Hold | null = null;
  let opening: Opening | undefined;
  let lastTop = 0;
  /** The previous heights of the view and its content. */
  let last = { view: 0, all: 0 };
  let width = 0;
  /** Until when scrolling may be the user's. */
  let hand = 0;
  let settling: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(settling));

  function look(): void {
    if (!list) return;
    const { scrollHeight, scrollTop, clientHeight } = list.scroller;
    const distance = scrollHeight - scrollTop - clientHeight;
    last = { view: clientHeight, all: scrollHeight };
    if (distance <= NEAR) setNewBelow(false);
    setAway(distance > clientHeight);
  }

  function move(to: number): void {
    if (!list) return;
    const { scroller } = list;
    const before = scroller.scrollTop;
    scroller.scrollTop = to;
    lastTop = scroller.scrollTop;
    // Notify the list now instead of in the next frame, so that nothing is blank in between.
    if (lastTop !== before) scroller.dispatchEvent(new Event("scroll"));
    look();
  }

  function scrolled(): void {
    if (!list) return;
    const { scrollHeight, scrollTop, clientHeight } = list.scroller;
    if (Math.abs(scrollTop - lastTop) < 1) return;
    const up = scrollTop < lastTop;
    // When the available height changes, the browser scrolls up on its own, and so does the list when rows above
    // shrink; even more may have been added at the end since.
    const other = performance.now() > hand ? clientHeight !== last.view || scrollHeight !== last.all : clientHeight > last.view || scrollHeight < last.all;
    if (up && following && other) return toEnd();
    lastTop = scrollTop;
    if (hold?.still) return settle();
    const distance = scrollHeight - scrollTop - clientHeight;
    if (distance <= (up ? 1 : NEAR)) following = ends();
    // Nothing else scrolls up.
    else if (up) following = false;
    hold = following ? null : capture();
    look();
  }

  const viewTop = () => list?.scroller.getBoundingClientRect().top ?? 0;

  /** Finds the anchor: the first element that starts in the view, or fills it. */
  function capture(): Hold | null {
    const virtual = list?.virtual();
    if (!list || !virtual) return null;
    const { scroller, lead } = list;
    const ids = list.ids();
    const top = viewTop();
    const low = top + scroller.clientHeight * LOW;
    let filling: Hold | null = null;
    for (let i = virtual.findItemIndex(scroller.scrollTop); i >= 0 && i < ids.length; i++) {
      const id = ids[i] ?? "";
      const row = list.row(id);
      const box = row?.getBoundingClientRect();
      // A row that is not rendered yet is where the list assumes it.
      if (!row || !box) return filling ?? { id, offset: lead + virtual.getItemOffset(i) - scroller.scrollTop, element: null, top: 0 };
      if (box.bottom <= top) continue;
      const element = box.top >= top ? row : beginning(row, top);
      const at = element?.getBoundingClientRect().top ?? low;
      if (element && (at < low || !filling)) return { id, offset: box.top - top, element, top: at - top };
      if (filling) break;
      const inside = innermost(row, top);
      filling = { id, offset: box.top - top, element: inside, top: inside.getBoundingClientRect().top - top };
    }
    return filling;
  }

  /** Moves the anchor back to its position. */
  function settle(): void {
    const virtual = list?.virtual();
    if (!list || !hold || !virtual) return;
    const { scroller } = list;
    if (hold.path && !hold.element?.isConnected) hold.element = along(hold.path, list.row(hold.id));
    let off: number;
    if (hold.element?.isConnected) {
      off = hold.element.getBoundingClientRect().top - viewTop() - hold.top;
    } else {
      const row = list.row(hold.id);
      const index = row ? -1 : list.ids().lastIndexOf(hold.id);
      if (!row && index < 0) return;
      const at = row ? row.getBoundingClientRect().top - viewTop() : list.lead + virtual.getItemOffset(index) - scroller.scrollTop;
      off = at - hold.offset;
    }
    if (Math.abs(off) < 1) return look();
    const before = scroller.scrollTop;
    move(before + off);
    // The end was reached first: it stays there, whatever is added below.
    const left = off - (scroller.scrollTop - before);
    if (hold?.goal && left >= 1 && list.row(hold.id)) hold.offset += left;
  }

  function holdRow(id: string, offset: number, how: Pick<Hold, "goal" | "still"> = {}): void {
    following = false;
    hold = { id, offset, element: null, top: 0, ...how };
    // An unrendered row is only found once those before it are measured.
    for (let i = 0; i < 3; i++) settle();
  }

  /** Treats a jump target like anything else being read, once it has settled. */
  function soonRead(): void {
    clearTimeout(settling);
    const shown = hold;
    settling = setTimeout(() => {
      if (hold === shown && !following) hold = capture();
    }, SETTLED_MS);
  }

  function touched({ type }: Event): void {
    if (hold) hold.still = false;
    // While the pointer is down, the user may drag the scroll bar or select text beyond the view.
    hand = type === "pointerdown" ? Infinity : performance.now() + HAND_MS;
  }

  function released(): void {
    if (hand === Infinity) hand = 0;
  }

  /** Runs before the handler that expands something, so that the anchor is captured unchanged. */
  function clicked({ target }: Event): void {
    const button = target instanceof Element ? target.closest('[aria-expanded="false"]:not([aria-haspopup])') : null;
    opening = button && following ? { button, read: capture() } : undefined;
  }

  /** Something expanded at the end is read from its beginning, so the end is not followed then. */
  function opened(): void {
    if (opening?.button.getAttribute("aria-expanded") !== "true") return;
    if (following && opening.read) {
      following = false;
      hold = opening.read;
    }
    opening = undefined;
  }

  /** Anchors at an element that was scrolled into view, rather than at what is above it. */
  function stay({ target }: Event): void {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
    if (!list || !row || !(target instanceof Element)) return;
    const top = viewTop();
    following = false;
    hold = { id: row.dataset["row"] ?? "", offset: row.getBoundingClientRect().top - top, element: target, top: target.getBoundingClientRect().top - top };
    lastTop = list.scroller.scrollTop;
    list.scroller.dispatchEvent(new Event("scroll"));
    look();
    soonRead();
  }

  function toEnd(): void {
    if (!list) return;
    following = true;
    hold = null;
    setNewBelow(false);
    const { scrollHeight, clientHeight } = list.scroller;
    const known = list.height();
    // Beyond its known height the list would render nothing. Once it has measured, the end is further down.
    move(scrollHeight - known > 1 ? known - clientHeight : scrollHeight);
  }

  return {
    newBelow,
    away,
    scrolled,
    toEnd,
    toStart() {
      if (!list) return;
      move(0);
      holdRow(list.ids()[0] ?? "", list.lead);
    },
    attach(what) {
      list = what;
      width = what.scroller.clientWidth;
      const stop = new AbortController();
      for (const name of ["wheel", "touchstart", "touchmove", "pointerdown", "keydown"]) {
        what.scroller.addEventListener(name, touched, { passive: true, signal: stop.signal });
      }
      for (const name of ["pointerup", "pointercancel"]) addEventListener(name, released, { signal: stop.signal });
      what.scroller.addEventListener("click", clicked, { capture: true, signal: stop.signal });
      what.scroller.addEventListener(SHOWN, stay, { signal: stop.signal });
      onCleanup(() => stop.abort());
    },
    grew() {
      if (list && !following && list.scroller.scrollHeight - list.scroller.scrollTop - list.scroller.clientHeight > NEAR) setNewBelow(true);
    },
    resized() {
      opened();
      if (following) return toEnd();
      const now = list?.scroller.clientWidth ?? width;
      if (hold && now !== width) {
        // Every row wraps again. For those above the view, the list compensates by scrolling, one by one, which is not
        // the user's scrolling. It may also briefly remove visible rows and render them again.
        hold.still = true;
        const row = list?.row(hold.id);
        if (row && hold.element && row.contains(hold.element)) hold.path = pathTo(hold.element, row);
        soonRead();
      }
      width = now;
      settle();
    },
    show(id, lead) {
      if (!list) return;
      holdRow(id, lead ?? list.scroller.clientHeight * LEAD, { goal: true, still: true });
      soonRead();
    },
    place() {
      if (following) return null;
      const found = hold ?? capture();
      return found && { message: found.id, offset: Math.round(found.offset) };
    },
    goTo({ message, offset }) {
      if (!list?.ids().includes(message)) return false;
      holdRow(message, offset, { still: true });
      soonRead();
      return true;
    },
  };
}
