// What keys a user chose in place of the usual ones, for what names the usual ones:
// tooltips stand all over the page and should not have to know of actions.

import { createSignal } from "solid-js";

const [chosen, setChosen] = createSignal<ReadonlyMap<string, string>>(new Map());

/** The keys in place of an action's usual ones, "" for none. */
export const inPlaceOf = (usual: string): string => chosen().get(usual) ?? usual;

/** Says which keys are in place of which usual ones. */
export const setInPlace = (keys: ReadonlyMap<string, string>): unknown => setChosen(keys);
