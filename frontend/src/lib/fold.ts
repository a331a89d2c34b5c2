/** Normalizes a text for case-insensitive comparison: lowercase, narrow, composed. */
export function fold(text: string): string {
  // Some letters only match after uppercasing: ß, the final sigma. The Turkish dotless i is the opposite case, and
  // stays.
  return text.normalize("NFKC").replaceAll(/[^ı]+/g, (rest) => rest.toUpperCase()).toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
