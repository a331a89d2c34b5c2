// Which addresses in a conversation may be followed. What the model wrote is not
// to be trusted: everything but the web and mail may start a program.

// Characters that nobody sees or that turn the reading direction: an address
// that holds one does not say where it leads.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The address in its normal form, or null when it may not be followed. */
export function safeHref(href: string): string | null {
  const trimmed = href.trim();
  if (HIDDEN.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
