// Which addresses in a conversation may be followed. The model's output is untrusted: any scheme other than web and
// mail may start a program.

// Invisible characters and ones that change the reading direction: an address with one does not show where it leads.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The normalized address, or null if it may not be followed. */
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
 * The host of a link whose text suggests another one: the text is an address itself, or the host has letters that look
 * like others. Null if there is nothing to warn about.
 */
export function lookalikeHost(href: string, words: string): string | null {
  const { host, protocol } = new URL(href);
  if (protocol === "mailto:" || host === "") return null;
  if (/(?:^|\.)xn--/.test(host)) return host;
  const said = /(?:^|[\s(])(?:https?:\/\/)?(?:[^\s/@]*@)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=[:/?#\s)]|$)/u.exec(words)?.[1];
  if (said === undefined) return null;
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, "");
  // A name like main.go is rarely meant as an address.
  if (!/https?:\/\/|^www\./i.test(words) && !/\.(?:com|org|net|io|dev|app|gov|edu|co|de|uk|eu|ai)$/i.test(said)) return null;
  return bare(said) === bare(host.replace(/:\d+$/, "")) ? null : host;
}
