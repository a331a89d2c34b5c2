// Names for files created by the page.

const endings: Record<string, string> = { "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg" };

/** A safe file name: no folder, not hidden, at most 255 bytes, with an extension. */
export function fileName(name: string, type: string): string {
  const plain = name.replace(/^.*[/\\]/s, "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, "").replace(/^\.+/, "");
  const ending = /\.\w{2,5}$/.test(plain) ? "" : (endings[type] ?? "");
  // The cut may leave half of a surrogate pair.
  return (plain.slice(-80).replace(/\p{Cs}/gu, "") || "file") + ending;
}
