// Tracks whether the page survives showing a session. It marks the session with the program before rendering the
// conversation and clears the mark afterwards. If the page hangs or crashes in between, the next page knows which
// session caused it, and does not open it automatically.

import { onCleanup } from "solid-js";
import type { Host } from "../../host/host";

/** The maximum wait for the mark to be stored. */
const patience = 300;
/** Without idle callbacks, the delay after the paint. */
const calm = 50;

export interface Trouble {
  /** Settles when the conversation may be rendered. */
  readonly noted: Promise<void>;
  /** It was rendered, and the page is still responsive. */
  survived(): void;
  /** Rendering failed. */
  crashed(): void;
}

/**
 * Marks a session as about to be shown. Runs inside an owner. ours has the sessions whose mark, if there is one, is
 * this page's own: it is still working.
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
  // A page that can be closed works.
  const leave = () => {
    if (told === "hung") tell("");
  };
  // In the capture phase, before the page disconnects from the program.
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
    await host.call("session.reportCrash", { sessionId, trouble });
  } catch {
    // Without the mark, the session opens normally the next time.
  }
}

/** Calls done once the content is painted and the page is idle. Returns a function to cancel. */
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
    // A hidden page has no frames.
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
