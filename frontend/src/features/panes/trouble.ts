// Whether the page survives showing a session. The program is told before the
// conversation is drawn that it might not, and after that it did: if the page
// hangs or dies in between, the next one knows which session it was, and does
// not open it by itself.

import { onCleanup } from "solid-js";
import type { Host } from "../../host/host";

/** Nobody waits longer than this for the note to be taken. */
const patience = 300;
/** Where the system does not say when it is idle, this long after the paint. */
const calm = 50;

export interface Trouble {
  /** Settles when the conversation may be drawn. */
  readonly noted: Promise<void>;
  /** It was drawn, and the page still answers. */
  survived(): void;
  /** It could not be drawn. */
  crashed(): void;
}

/**
 * Notes that a session is about to be shown. Runs inside an owner. ours has the
 * sessions whose note, if there is one, is this page's own: it still works.
 */
export function createTrouble(host: Host, sessionId: string, ours: Set<string>): Trouble {
  ours.add(sessionId);
  let told = "hung";
  const noted = say(host, sessionId, told);
  const tell = (trouble: string) => {
    if (told === trouble) return;
    told = trouble;
    void say(host, sessionId, trouble);
  };
  // Who leaves has a page that works.
  const leave = () => {
    if (told === "hung") tell("");
  };
  // While the page is still linked to the program, to which it says goodbye at the same time.
  window.addEventListener("pagehide", leave, { capture: true });
  onCleanup(() => {
    window.removeEventListener("pagehide", leave, { capture: true });
    leave();
  });
  return {
    noted: Promise.race([noted, new Promise<void>((resolve) => setTimeout(resolve, patience))]),
    survived: leave,
    crashed() {
      ours.delete(sessionId);
      tell("crashed");
    },
  };
}

async function say(host: Host, sessionId: string, trouble: string): Promise<void> {
  try {
    await host.call("session.setTrouble", { sessionId, trouble });
  } catch {
    // Without the note the session is opened as usual the next time.
  }
}

/** Calls back when what was drawn has been painted and the page has nothing else to do. Returns what stops it. */
export function afterPaint(done: () => void): () => void {
  let stopped = false;
  const step = (next: () => void) => {
    let ran = false;
    const once = () => {
      if (ran || stopped) return;
      ran = true;
      next();
    };
    requestAnimationFrame(once);
    // A page that is covered has no frames.
    setTimeout(once, 1000);
  };
  step(() => step(() => idle(() => stopped || done())));
  return () => {
    stopped = true;
  };
}

function idle(run: () => void): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 1000 });
  else setTimeout(run, calm);
}
