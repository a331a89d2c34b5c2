// URLs of content in memory. The page's content security policy only allows blob: URLs for images, so their content is
// looked up here.

const blobs = new Map<string, Blob>();

/** Creates a URL; it keeps the content in memory until it is released with dropUrl. */
export function makeUrl(blob: Blob): string {
  const url = URL.createObjectURL(blob);
  blobs.set(url, blob);
  return url;
}

export function dropUrl(url: string): void {
  blobs.delete(url);
  URL.revokeObjectURL(url);
}

/** Decodes base64. Throws on invalid input. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // A loop, because Uint8Array.from takes a hundred times as long.
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Encodes bytes as base64. */
export async function base64Of(content: Blob): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(content);
  });
  return url.slice(url.indexOf(",") + 1);
}

/** The content of a URL from makeUrl, or of a data: URL in base64; null for any other. */
export function contentOf(url: string): Blob | null {
  const found = /^data:([\w.+/-]*);base64,([A-Za-z0-9+/]+={0,2})$/.exec(url);
  return found ? new Blob([bytesOf(found[2] ?? "")], { type: found[1] }) : (blobs.get(url) ?? null);
}
