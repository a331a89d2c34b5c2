// The smallest of test runners for scenarios whose steps build on each other: each
// check is printed with its time, and a failed one leaves a picture.

// A limit only matters when something does not come at all: until then a machine may
// be as slow as it likes.
const limit = 180_000;
/** So long what is waited for within a check may take, so that it says itself what did not come. */
export const patience = 150_000;
// After so many failures the rest would only wait for what cannot come any more.
const enough = 3;

/** What is asked, when a check failed, for what may explain it. */
export const evidence = new Set();

export class Suite {
  #passed = 0;
  #failed = 0;
  #onFailure;

  /** onFailure(name) may keep evidence, such as a screenshot. */
  constructor({ onFailure = async () => {} } = {}) {
    this.#onFailure = onFailure;
  }

  /** Runs one check. Returns whether it passed. */
  async check(name, run, { timeout = limit } = {}) {
    if (this.#failed >= enough) {
      this.#failed++;
      console.log(`FAIL  ${name} (not tried)`);
      return false;
    }
    const start = performance.now();
    const took = () => `${Math.round(performance.now() - start)} ms`;
    try {
      await within(timeout, run());
      this.#passed++;
      console.log(`ok    ${name} (${took()})`);
      return true;
    } catch (error) {
      this.#failed++;
      console.log(`FAIL  ${name} (${took()})`);
      console.log(indent(error?.stack ?? String(error)));
      for (const tell of evidence) console.log(indent(tell()));
      await within(30_000, this.#onFailure(slug(name)), "the picture").catch((e) => console.log(indent(`no evidence kept: ${e.message}`)));
      return false;
    }
  }

  /** Prints the sum and returns the exit code. */
  end() {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 && this.#passed > 0 ? 0 : 1;
  }
}

/** Fails when value differs from want. */
export function equal(value, want, what = "value") {
  const [a, b] = [JSON.stringify(value), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what} is ${a}, want ${b}`);
}

/** Fails when condition is false. */
export function truth(condition, message) {
  if (!condition) throw new Error(message);
}

/** Fails when promise takes longer than ms. */
export async function within(ms, promise, what = "it") {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again until probe() is neither false nor null nor undefined. What it waits for is a text, or is asked for one when it never came. */
export async function until(what, probe, { timeout = patience, every = 25 } = {}) {
  const end = performance.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > end) throw new Error(`${typeof what === "function" ? what() : what}: not within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

export function slug(name) {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

function indent(text) {
  return text.replace(/^/gm, "      ");
}
