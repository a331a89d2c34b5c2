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

/**
 * The host that a link leads to, when its words let expect another one: they are an
 * address themselves, or the host has letters that look like others. Null when
 * there is nothing to say.
 */
export function lookalikeHost(href: string, words: string): string | null {
  const { host, protocol } = new URL(href);
  if (protocol === "mailto:" || host === "") return null;
  if (/(?:^|\.)xn--/.test(host)) return host;
  const said = /(?:^|[\s(])(?:https?:\/\/)?(?:[^\s/@]*@)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=[:/?#\s)]|$)/u.exec(words)?.[1];
  if (said === undefined) return null;
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, "");
  // A name like main.go is an address only to those who look for one.
  if (!/https?:\/\/|^www\./i.test(words) && !/\.(?:com|org|net|io|dev|app|gov|edu|co|de|uk|eu|ai)$/i.test(said)) return null;
  return bare(said) === bare(host.replace(/:\d+$/, "")) ? null : host;
}
