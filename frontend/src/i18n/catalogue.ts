// The shape of a catalog: that of the English one.

import type { en } from "./en";

/** The same catalog in any language: strings stay strings, and functions keep their parameters. */
type Words<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends (...args: infer A) => string ? (...args: A) => string : Words<T[K]>;
};

export type Catalogue = Words<typeof en>;
