// Where a conversation stands: it follows the end for as long as the user is
// there, and otherwise what they read does not move under their eyes.
//
// The virtual list keeps the rows in place that are wholly above the view. What is
// here does the rest: the part of a row that is at the top of the view stays when
// something above it in the same row grows, or when the width changes.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { VirtualizerHandle } from "virtua/solid";
import { SHOWN } from "../../lib/into-view";
import type { Place } from "../../store/arrangement";
import { along, beginning, innermost, pathTo, type Step } from "./in-row";

const NEAR = 32;
/** So much of the height is left above what is gone to. */
const LEAD = 0.15;
/** Afterwards it stands like anything else that is read. */
const SETTLED_MS = 1000;
/** So long after the wheel, a finger or a key the scrolling may be the user's. */
const HAND_MS = 1000;
/** What begins further down than this share of the height is not what is read. */
const LOW = 0.6;

interface List {
  scroller: HTMLElement;
  /** What is above the first row, in px. */
  lead: number;
  /** How high all is as far as the list knows, in px. A row that it has not measured yet may reach beyond. */
  height(): number;
  ids(): readonly string[];
  virtual(): VirtualizerHandle | undefined;
  /** A row that is drawn. */
  row(id: string): HTMLElement | undefined;
}

export interface FollowScroll {
  /** Something new came while the user was reading further up. */
  newBelow: Accessor<boolean>;
  /** The end is far. */
  away: Accessor<boolean>;
  attach(list: List): void;
  /** To be called when the view was scrolled, after the list has drawn what is in sight now. */
  scrolled(): void;
  /** To be called when something came at the end. */
  grew(): void;
  /** To be called when a row or the view has another size. */
  resized(): void;
  toEnd(): void;
  toStart(): void;
  /** Brings a row into view and stays there. */
  show(id: string, lead?: number): void;
  /** Where the user reads, null while they are at the end. */
  place(): Place | null;
  /** Goes to such a place. Returns whether its message is there. */
  goTo(place: Place): boolean;
}

/** What stays where it is: a row, and in it the element at the top of the view. */
interface Hold {
  id: string;
  /** How far its top is below the view's. */
  offset: number;
  element: Element | null;
  top: number;
  /** Where the element is in its row, once the row may be drawn again. */
  path?: Step[];
  /** It was gone to, and is where it could be put. */
  goal?: boolean;
  /** Nobody has scrolled since it was gone to, or since the width changed: whatever moves it is the list, which measures. */
  still?: boolean;
}

/** What somebody clicked to open something, and what they read when they did. */
interface Opening {
  button: Element;
  read: Hold | null;
}

/** Ends says whether the last row is the conversation's: the end of a part is not what anybody follows. */
export function createFollowScroll(ends: () => boolean): FollowScroll {
  const [newBelow, setNewBelow] = createSignal(false);
  const [away, setAway] = createSignal(false);
  let list: List | undefined;
  let following = true;
  let hold: Hold | null = null;
  let opening: Opening | undefined;
  let lastTop = 0;
  /** How high the view and all in it were. */
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
    // The list hears of it now and not with the next frame: nothing is blank meanwhile.
    if (lastTop !== before) scroller.dispatchEvent(new Event("scroll"));
    look();
  }

  function scrolled(): void {
    if (!list) return;
    const { scrollHeight, scrollTop, clientHeight } = list.scroller;
    if (Math.abs(scrollTop - lastTop) < 1) return;
    const up = scrollTop < lastTop;
    // With more room or less to show the browser scrolls up by itself, and so does the list when
    // rows above become lower; more than that may have come at the end since.
    const other = performance.now() > hand ? clientHeight !== last.view || scrollHeight !== last.all : clientHeight > last.view || scrollHeight < last.all;
    if (up && following && other) return toEnd();
    lastTop = scrollTop;
    if (hold?.still) return settle();
    const distance = scrollHeight - scrollTop - clientHeight;
    if (distance <= (up ? 1 : NEAR)) following = ends();
    // Nothing else moves it up.
    else if (up) following = false;
    hold = following ? null : capture();
    look();
  }

  const viewTop = () => list?.scroller.getBoundingClientRect().top ?? 0;

  /** Finds what is read: the first thing that begins in the view, or fills it. */
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
      // One that is not drawn yet is where the list thinks it is.
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

  /** Puts what is held back to where it was. */
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
    // The end came first: there it stays, whatever comes below.
    const left = off - (scroller.scrollTop - before);
    if (hold?.goal && left >= 1 && list.row(hold.id)) hold.offset += left;
  }

  function holdRow(id: string, offset: number, how: Pick<Hold, "goal" | "still"> = {}): void {
    following = false;
    hold = { id, offset, element: null, top: 0, ...how };
    // A row that was not drawn is only found once those before it are measured.
    for (let i = 0; i < 3; i++) settle();
  }

  /** Takes what was gone to for something that is read, once it stands. */
  function soonRead(): void {
    clearTimeout(settling);
    const shown = hold;
    settling = setTimeout(() => {
      if (hold === shown && !following) hold = capture();
    }, SETTLED_MS);
  }

  function touched({ type }: Event): void {
    if (hold) hold.still = false;
    // Somebody drags the scroll bar, or selects text beyond the view, until they let go.
    hand = type === "pointerdown" ? Infinity : performance.now() + HAND_MS;
  }

  function released(): void {
    if (hand === Infinity) hand = 0;
  }

  /** Comes before whoever opens something: what was read is found as it was. */
  function clicked({ target }: Event): void {
    const button = target instanceof Element ? target.closest('[aria-expanded="false"]:not([aria-haspopup])') : null;
    opening = button && following ? { button, read: capture() } : undefined;
  }

  /** What somebody opens at the end is read from its beginning: the end is not followed then. */
  function opened(): void {
    if (opening?.button.getAttribute("aria-expanded") !== "true") return;
    if (following && opening.read) {
      following = false;
      hold = opening.read;
    }
    opening = undefined;
  }

  /** Stays at an element that was brought into view, rather than at what is above it. */
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
    // Beyond what it knows the list would show nothing. Once it has measured, the end is further down.
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
        // Every row breaks its lines anew. For those above the view the list makes up by
        // scrolling, one after the other, and that is not the user's.
        // It may take rows in the view away for a moment, too, and draw them anew.
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
