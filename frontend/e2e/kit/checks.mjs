// The smallest of test runners for scenarios whose steps build on each other: each
// check is printed with its time, and a failed one leaves a picture.

// A limit is for what hangs: as long as something comes, a machine may be as slow as it likes.
const silence = 600_000;
/** So long a single thing may be waited for, a little less than a check may be silent, so that the wait says itself what did not come. */
export const patience = 540_000;
// After so many failures the rest would only wait for what cannot come any more.
const enough = 3;
/** The exit code of a suite with a failure that is no bad luck, and is not tried again. */
const never = 3;

let last = performance.now();

/** Says that a check that takes long gets on. */
export function progress() {
  last = performance.now();
}

/** What is asked, when a check failed, for what may explain it. */
export const evidence = new Set();

export class Suite {
  #passed = 0;
  #failed = 0;
  #hung = false;
  #never = false;
  #onFailure;

  /** onFailure(name) may keep evidence, such as a screenshot. */
  constructor({ onFailure = async () => {} } = {}) {
    this.#onFailure = onFailure;
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

  /** Prints the sum and returns the exit code. */
  end() {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    if (this.#failed === 0 && this.#passed > 0) return 0;
    return this.#never ? never : 1;
  }
}

/** Something that ought to have ended or gone is still there. */
export class Leak extends Error {}

/** Nothing came for so long that nothing will. */
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

/** Fails when there was no progress for too long. */
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

/** Asks again until probe() is neither false nor null nor undefined. What it waits for is a text, or is asked for one when it never came. */
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
