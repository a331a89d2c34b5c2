// Marks nicknames in messages with CSS highlights, without changing the DOM. Browsers without highlights show none.

const NAME = "parley-room-mention";
const MINE = "parley-room-mention-me";
const mostMarks = 2000;

/** Marks the mentions of members in all texts below root; mine is the user's nickname. */
export function markMentions(root: Element, nicks: readonly string[], mine: string): void {
  if (typeof Highlight === "undefined" || !CSS.highlights) return;
  const known = new Map([...nicks, "all"].map((nick) => [fold(nick), false]));
  known.set("all", true);
  if (mine) known.set(fold(mine), true);
  const others: Range[] = [];
  const own: Range[] = [];
  for (const text of root.querySelectorAll('[data-slot="text"]')) {
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walk.nextNode() && others.length + own.length < mostMarks) {
      const node = walk.currentNode as Text;
      if (!node.data.includes("@")) continue;
      for (const found of node.data.matchAll(/(?<![\p{L}\p{M}\p{N}_-])@([\p{L}\p{M}\p{N}_-]+)/gu)) {
        const word = known.has(fold(found[1] ?? "")) ? found[0] : found[0].replace(/[-_]+$/, "");
        const me = known.get(fold(word.slice(1)));
        if (me === undefined) continue;
        const range = new Range();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + word.length);
        (me ? own : others).push(range);
      }
    }
  }
  CSS.highlights.set(NAME, new Highlight(...others));
  CSS.highlights.set(MINE, new Highlight(...own));
}

export function unmarkMentions(): void {
  if (typeof Highlight === "undefined" || !CSS.highlights) return;
  CSS.highlights.delete(NAME);
  CSS.highlights.delete(MINE);
}

const fold = (nick: string): string => nick.normalize("NFKC").toLowerCase();
