// Addresses of what is held in memory. The page's policy lets nothing read a blob:
// address but an image, so what stands behind one is looked up here.

const blobs = new Map<string, Blob>();

/** Makes an address; it holds the memory until it is given back with dropUrl. */
export function makeUrl(blob: Blob): string {
  const url = URL.createObjectURL(blob);
  blobs.set(url, blob);
  return url;
}

export function dropUrl(url: string): void {
  blobs.delete(url);
  URL.revokeObjectURL(url);
}

/** The bytes that base64 stands for. Throws for what is none. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // By hand, because Uint8Array.from takes a hundred times as long.
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes in base64. */
export async function base64Of(content: Blob): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(content);
  });
  return url.slice(url.indexOf(",") + 1);
}

/** What stands behind an address of makeUrl, or a data: address in base64; null behind any other. */
export function contentOf(url: string): Blob | null {
  const found = /^data:([\w.+/-]*);base64,([A-Za-z0-9+/]+={0,2})$/.exec(url);
  return found ? new Blob([bytesOf(found[2] ?? "")], { type: found[1] }) : (blobs.get(url) ?? null);
}
