// How the page gets in to the Parley that serves it. The token comes with the link
// (#token=…), is taken out of the address at once (public/enter.js), and is traded for a
// cookie that no script can read: reloads, bookmarks and other tabs get in with that. The
// cookie goes to every port of the host that a browser visits, so that it is good only with
// a proof, which the browser keeps for this address alone.

const place = "parley.proof";
/** Where enter.js puts what it took out of the address. */
const link = "parley.link";
/** Longer ones are none. */
const longest = 512;

export interface Key {
  /** Trades the token of the link, and says whether Parley was reached; null where there is none. */
  trade(): Promise<boolean> | null;
  /** The subprotocol to get in with, "" for the cookie alone, null for nothing that is left to try. */
  current(): string | null;
  /** It was let in: others are of no use any more. */
  accepted(way: string): void;
  /** It was refused, and is not tried again. */
  refused(way: string): void;
}

type Address = Pick<Location, "hash" | "href">;
type Past = Pick<History, "replaceState">;
type Keeps = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface KeyOptions {
  address: Address;
  past: Past;
  /** What the browser keeps for this tab, and for this address; null where a user forbade it. */
  tab: Keeps | null;
  kept: Keeps | null;
  /** Posts the token with a proof; null when Parley was not reached. */
  post: (token: string, proof: string) => Promise<"taken" | "refused" | null>;
}

export function createKey({ address, past, tab, kept, post }: KeyOptions): Key {
  let token = tokenOf(taken(tab) ?? address.hash);
  if (address.hash.startsWith("#token=")) past.replaceState(null, "", address.href.slice(0, address.href.indexOf("#")));

  const known = proofIn(kept);
  /** In the order in which they are tried. */
  let ways = known === null ? [""] : [`proof.${known}`, ""];

  async function trade(): Promise<boolean> {
    const proof = proofIn(kept) ?? makeProof();
    const answer = await post(token, proof);
    if (answer === null) return false;
    if (answer === "taken") {
      keep(kept, proof);
      // Where the browser takes no cookie, the token is good until the page is left.
      ways = [`proof.${proof}`, `token.${token}`];
    }
    token = "";
    return true;
  }

  return {
    trade: () => (token === "" ? null : trade()),
    current: () => ways[0] ?? null,
    accepted(way) {
      ways = [way];
    },
    refused(way) {
      ways = ways.filter((other) => other !== way);
    },
  };
}

/** Posts to Parley what the page has for its cookie. */
export async function postToken(base: string, token: string, proof: string): Promise<"taken" | "refused" | null> {
  try {
    const answer = await fetch(new URL("auth", base), { method: "POST", body: JSON.stringify({ token, proof }), cache: "no-store" });
    if (answer.ok) return "taken";
    return answer.status < 500 ? "refused" : null;
  } catch {
    return null;
  }
}

function taken(tab: Keeps | null): string | null {
  try {
    const hash = tab?.getItem(link) ?? null;
    tab?.removeItem(link);
    return hash;
  } catch {
    return null;
  }
}

function proofIn(kept: Keeps | null): string | null {
  try {
    const proof = kept?.getItem(place) ?? "";
    return /^[\w-]{22,128}$/.test(proof) ? proof : null;
  } catch {
    return null;
  }
}

function keep(kept: Keeps | null, proof: string): void {
  try {
    kept?.setItem(place, proof);
  } catch {
    // It may be full, or be forbidden: it is known until the page is left.
  }
}

function makeProof(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
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
