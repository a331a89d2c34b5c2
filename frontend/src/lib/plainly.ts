// Whether what is written is drawn as plainly as it can be: no diagrams, no formulas, no
// colours in code. It holds for what is drawn from then on.

import { createSignal } from "solid-js";

export const [plainly, setPlainly] = createSignal(false);
