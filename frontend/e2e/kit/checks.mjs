// A minimal test runner for scenarios whose steps build on each other: each check is printed with its time, and a
// failed one leaves a screenshot.

// The limit is for hangs: as long as there is progress, a machine may be arbitrarily slow.
const silence = 600_000;
/** How long to wait for a single thing: a little less than the limit, so that the wait itself reports what is missing. */
export const patience = 540_000;
// After this many failures, the remaining checks would only wait in vain.
const enough = 3;
/** The exit code of a suite with a failure that must not be retried. */
const never = 3;

let last = performance.now();

/** Reports progress of a long check. */
export function progress() {
  last = performance.now();
}

/** Callbacks that provide evidence when a check fails. */
export const evidence = new Set();

export class Suite {
  #passed = 0;
  #failed = 0;
  #hung = false;
  #never = false;
  #onFailure;

  /** onFailure(name) may save evidence, such as a screenshot. */
  constructor({ onFailure = async () => {} } = {}) {
    this.#onFailure = onFailure;
    // A suite that never comes to its end has not passed.
    process.exitCode = 1;
  }

  /** Runs one check. Returns whether it passed. */
  async check(name, run) {
    if (this.#failed >= enough || this.#hung) {
      this.#failed++;
      console.log(`FAIL  ${name} (not tried)`);
      return false;
    }
    const start = performance.now();
    const took = () => `${Math.round(performance.now() - start)} ms`;
    try {
      await whileItGetsOn(run());
      this.#passed++;
      console.log(`ok    ${name} (${took()})`);
      return true;
    } catch (error) {
      this.#failed++;
      this.#hung = performance.now() - start >= patience;
      this.#never ||= error instanceof Leak || error instanceof Hang;
      console.log(`FAIL  ${name} (${took()})`);
      console.log(indent(error?.stack ?? String(error)));
      for (const tell of evidence) console.log(indent(tell()));
      await within(30_000, this.#onFailure(slug(name)), "the picture").catch((e) => console.log(indent(`no evidence kept: ${e.message}`)));
      return false;
    }
  }

  /** Prints the totals, and sets and returns the exit code. */
  end() {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    process.exitCode = this.#failed === 0 && this.#passed > 0 ? 0 : this.#never ? never : 1;
    return process.exitCode;
  }
}

/** Something that should have ended or been removed is still there. */
export class Leak extends Error {}

/** There was no progress for too long. */
class Hang extends Error {}

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

/** Fails if there was no progress for too long. */
async function whileItGetsOn(promise) {
  progress();
  let timer;
  const late = new Promise((_, reject) => {
    const look = () => {
      const left = last + silence - performance.now();
      if (left > 0) timer = setTimeout(look, left);
      else reject(new Hang(`nothing came for ${silence / 1000} s`));
    };
    look();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until probe() is neither false nor null nor undefined. what is the description of the condition, or a function
 * that returns it on timeout. */
export async function until(what, probe, { timeout = patience, every = 25 } = {}) {
  const end = performance.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value !== false && value !== null && value !== undefined) {
      progress();
      return value;
    }
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
