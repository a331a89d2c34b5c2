// Where a conversation that grows stands: it follows the end for as long as the
// person is there, and otherwise does not move under their eyes.

import { type Accessor, createSignal, onCleanup } from "solid-js";

const NEAR = 32;

export interface FollowScroll {
  /** Watches the scrolled element and what is inside it. */
  attach(scroller: HTMLElement, content: HTMLElement): void;
  /** Something new came while the person was reading further up. */
  newBelow: Accessor<boolean>;
  toEnd(): void;
  /** Runs something that puts content in front, and keeps what is in view where it is. */
  keepPlace(change: () => Promise<void>): Promise<void>;
}

export function createFollowScroll(): FollowScroll {
  const [newBelow, setNewBelow] = createSignal(false);
  let scroller: HTMLElement | undefined;
  let content: HTMLElement | undefined;
  let following = true;
  let lastTop = 0;
  let lastHeight = 0;
  let holding = false;

  const distance = () => (scroller ? scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight : 0);

  const toEnd = () => {
    if (!scroller) return;
    following = true;
    setNewBelow(false);
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
  };

  const onScroll = () => {
    if (!scroller) return;
    const up = scroller.scrollTop < lastTop;
    lastTop = scroller.scrollTop;
    if (distance() <= NEAR) {
      following = true;
      setNewBelow(false);
    } else if (up) {
      // Growth alone moves nothing up, so this was the person.
      following = false;
    }
  };

  const onResize = () => {
    if (!scroller || holding) return;
    const grown = scroller.scrollHeight > lastHeight;
    lastHeight = scroller.scrollHeight;
    if (following) toEnd();
    else if (grown && distance() > NEAR) setNewBelow(true);
  };

  return {
    newBelow,
    toEnd,
    attach(outer, inner) {
      scroller = outer;
      content = inner;
      lastHeight = outer.scrollHeight;
      outer.addEventListener("scroll", onScroll, { passive: true });
      const observer = new ResizeObserver(onResize);
      observer.observe(inner);
      observer.observe(outer);
      onCleanup(() => {
        observer.disconnect();
        outer.removeEventListener("scroll", onScroll);
      });
    },
    async keepPlace(change) {
      const anchor = content?.querySelector("[data-message-id]");
      const before = anchor?.getBoundingClientRect().top;
      holding = true;
      following = false;
      try {
        await change();
      } finally {
        holding = false;
      }
      if (!scroller || !anchor?.isConnected || before === undefined) return;
      scroller.scrollTop += anchor.getBoundingClientRect().top - before;
      lastTop = scroller.scrollTop;
      lastHeight = scroller.scrollHeight;
      following = distance() <= NEAR;
    },
  };
}
