// Whether content is rendered as plainly as possible: no diagrams, no formulas, no code highlighting. Applies to
// everything rendered from then on.

import { createSignal } from "solid-js";

export const [plainly, setPlainly] = createSignal(false);
