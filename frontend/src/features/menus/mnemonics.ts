// Assigns mnemonic letters to the entries of a menu: the initial of a word if possible, each letter at most once.

/** The positions of letters that every keyboard has, best first. */
function places(label: string, taken: ReadonlySet<string>): number[] {
  const all = [...label.matchAll(/[a-z]/gi)].map((match) => match.index).filter((at) => !taken.has(letterAt(label, at)));
  const begins = (at: number) => at === 0 || !/[\p{L}\p{N}’]/u.test(label.charAt(at - 1));
  return [...all.filter(begins), ...all.filter((at) => !begins(at))];
}

const letterAt = (label: string, at: number) => label.charAt(at).toLowerCase();

/** A label in GTK syntax: an underscore before the mnemonic, and two for a literal one. */
const written = (label: string, at: number | undefined) => {
  const plain = (part: string) => part.replaceAll("_", "__");
  return at === undefined ? plain(label) : `${plain(label.slice(0, at))}_${plain(label.slice(at))}`;
};

/** Marks the letters. The assignment leaves as few entries as possible without one. */
export function withMnemonics(labels: readonly string[], taken: ReadonlySet<string> = new Set()): string[] {
  const owner = new Map<string, number>();
  const chosen: (number | undefined)[] = labels.map(() => undefined);
  const options = labels.map((label) => places(label, taken));
  /** Finds a letter for an entry, reassigning other entries if needed. */
  const place = (entry: number, tried: Set<string>): boolean => {
    const letters = (options[entry] ?? []).map((at) => ({ at, letter: letterAt(labels[entry] ?? "", at) }));
    const free = letters.find(({ letter }) => !owner.has(letter));
    const found = free ?? letters.find(({ letter }) => {
      if (tried.has(letter)) return false;
      tried.add(letter);
      return place(owner.get(letter) ?? entry, tried);
    });
    if (!found) return false;
    owner.set(found.letter, entry);
    chosen[entry] = found.at;
    return true;
  };
  for (const entry of labels.keys()) place(entry, new Set());
  return labels.map((label, entry) => written(label, chosen[entry]));
}
