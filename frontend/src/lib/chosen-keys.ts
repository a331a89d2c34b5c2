// Maps default keys to the ones the user chose, for components that only know the defaults: tooltips are all over the
// page and should not need to know about actions.

import { createSignal } from "solid-js";

const [chosen, setChosen] = createSignal<ReadonlyMap<string, string>>(new Map());

/** The keys that replace an action's defaults, "" for none. */
export const inPlaceOf = (usual: string): string => chosen().get(usual) ?? usual;

/** Sets the replacements of default keys. */
export const setInPlace = (keys: ReadonlyMap<string, string>): unknown => setChosen(keys);
