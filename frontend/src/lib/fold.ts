/** A text as it is compared with what somebody looks for: small, narrow, its letters and accents in one. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
