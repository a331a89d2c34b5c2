// How the page authenticates to the Parley that serves it. The token comes with the link (#token=…), is removed from
// the address immediately (public/enter.js), and is exchanged for an HttpOnly cookie, which reloads, bookmarks and
// other tabs use. Browsers send the cookie to every port of the host, so it is only valid with a proof, which the
// browser stores for this origin only.

const place = "parley.proof";
/** Where enter.js stores the token from the address. */
const link = "parley.link";
/** Longer ones are invalid. */
const longest = 512;

export interface Key {
  /** Exchanges the link's token and resolves to whether Parley was reached; null if there is no token. */
  trade(): Promise<boolean> | null;
  /** The subprotocol to authenticate with, "" for the cookie alone, null if no credential is left to try. */
  current(): string | null;
  /** It was accepted: drop the others. */
  accepted(way: string): void;
  /** It was rejected: don't try it again. */
  refused(way: string): void;
}

type Address = Pick<Location, "hash" | "href">;
type Past = Pick<History, "replaceState">;
type Keeps = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface KeyOptions {
  address: Address;
  past: Past;
  /** The browser's storage for this tab, and for this origin; null if disabled. */
  tab: Keeps | null;
  kept: Keeps | null;
  /** Posts the token with a proof; null if Parley was not reached. */
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
      // If the browser takes no cookie, the token is used until the page is closed.
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

/** Posts the page's token to Parley to get a cookie. */
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
    // Storage may be full or disabled: the value is kept until the page is closed.
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
