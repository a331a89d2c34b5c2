// The key to the Parley that serves the page. It comes with the link (#token=…), is taken
// out of the address at once (public/enter.js), and is kept for this tab alone, until it is
// closed: a reload gets in again, another tab does not. Which Parley answers at the address
// may change, so that a key counts only until it is refused.

const place = "parley.key";
/** Where enter.js puts what it took out of the address. */
const link = "parley.link";
/** Longer ones are none. */
const longest = 512;

export interface Key {
  /** What to get in with, null for nothing. */
  current(): string | null;
  /** It was let in: others are of no use any more. */
  accepted(token: string): void;
  /** It was refused, and is forgotten. */
  refused(token: string): void;
}

type Address = Pick<Location, "hash" | "href">;
type Past = Pick<History, "replaceState">;
type Tab = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The key of this tab. Where the browser keeps nothing, it is known until the page is left. */
export function createKey(address: Address, past: Past, tab: Tab | null): Key {
  /** The one that came last first: a link that is wrong does not lock out whoever was in. */
  let known = read(tab);

  function keep(tokens: string[]): void {
    known = tokens;
    try {
      if (tokens.length > 0) tab?.setItem(place, JSON.stringify(tokens));
      else tab?.removeItem(place);
    } catch {
      // It may be full, or be forbidden.
    }
  }

  const token = tokenOf(taken(tab) ?? address.hash);
  if (address.hash.startsWith("#token=")) past.replaceState(null, "", address.href.slice(0, address.href.indexOf("#")));
  if (token !== "") keep([token, ...known.filter((other) => other !== token)].slice(0, 2));

  return {
    current: () => known[0] ?? null,
    accepted: (good) => keep([good]),
    refused: (bad) => keep(known.filter((other) => other !== bad)),
  };
}

function taken(tab: Tab | null): string | null {
  try {
    const hash = tab?.getItem(link) ?? null;
    tab?.removeItem(link);
    return hash;
  } catch {
    return null;
  }
}

function read(tab: Tab | null): string[] {
  try {
    const tokens: unknown = JSON.parse(tab?.getItem(place) ?? "[]");
    return Array.isArray(tokens) ? tokens.filter((token) => typeof token === "string" && token !== "" && token.length <= longest).slice(0, 2) : [];
  } catch {
    return [];
  }
}

function tokenOf(hash: string): string {
  const text = /^#token=(.*)$/s.exec(hash)?.[1] ?? "";
  if (text.length > longest) return "";
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
