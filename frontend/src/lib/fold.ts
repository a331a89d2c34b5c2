/** A text as it is compared with what somebody looks for: small, narrow, its letters and accents in one. */
export function fold(text: string): string {
  // Some letters have no small form of their own, but one that is large: ß, the last sigma.
  // The Turkish i without a dot is the other way round, and stays.
  return text.normalize("NFKC").replaceAll(/[^ı]+/g, (rest) => rest.toUpperCase()).toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
