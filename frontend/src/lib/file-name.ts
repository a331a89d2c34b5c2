// Names for files that the page makes.

const endings: Record<string, string> = { "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg" };

/** A name that is only a name: no folder, nothing hidden, of at most 255 bytes, and with an ending. */
export function fileName(name: string, type: string): string {
  const plain = name.replace(/^.*[/\\]/s, "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, "").replace(/^\.+/, "");
  const ending = /\.\w{2,5}$/.test(plain) ? "" : (endings[type] ?? "");
  // Half of a character may be left at the cut.
  return (plain.slice(-80).replace(/\p{Cs}/gu, "") || "file") + ending;
}
