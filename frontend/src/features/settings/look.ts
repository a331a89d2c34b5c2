// The choices for the page's appearance. The colors themselves are in styles/tokens.css and styles/schemes.css.

import type { en } from "../../i18n/en";

type SchemeId = keyof typeof en.settings.schemes;
type AccentId = keyof typeof en.settings.accents;

/** The built-in schemes; the first is the default. */
export const schemes: readonly { id: SchemeId }[] = [
  { id: "parley" },
  { id: "contrast" },
  { id: "sand" },
  { id: "fjord" },
  { id: "grove" },
  { id: "rose" },
];

/** The accent colors, besides the scheme's own. */
export const accents: readonly AccentId[] = ["violet", "blue", "teal", "green", "amber", "red", "pink"];
