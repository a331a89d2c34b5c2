// Prepares attachments: images are checked by their content and scaled down where the model would not see more anyway.

/** The model sees at most this many pixels on the long side. */
export const longSide = 1568;
/** The API's limit for a base64 image, as bytes of the image. */
export const maxImageBytes = Math.floor((5 * 1024 * 1024 * 3) / 4) - 3;

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The image type by its first bytes, null for anything else. */
export function imageType(head: Uint8Array): ImageType | null {
  const begins = (...bytes: number[]) => bytes.every((b, i) => head[i] === b);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const word = (at: number) => String.fromCharCode(...head.slice(at, at + 4));
  return word(0) === "RIFF" && word(8) === "WEBP" ? "image/webp" : null;
}

/** Whether a JPEG has an Exif rotation, which the API may ignore. */
export function turned(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  while (at + 4 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    const length = view.getUint16(at + 2);
    if (marker === 0xe1 && length > 16 && view.getUint32(at + 4) === 0x45786966) return orientation(view, at + 10, at + 2 + length) > 1;
    if (marker === 0xda || length < 2) return false;
    at += 2 + length;
  }
  return false;
}

/** The orientation in an Exif block, 1 if missing. */
function orientation(view: DataView, start: number, blockEnd: number): number {
  const end = Math.min(blockEnd, view.byteLength);
  if (start + 8 > end) return 1;
  const little = view.getUint16(start) === 0x4949;
  const directory = start + view.getUint32(start + 4, little);
  if (directory + 2 > end) return 1;
  const count = view.getUint16(directory, little);
  for (let i = 0; i < count; i++) {
    const entry = directory + 2 + i * 12;
    if (entry + 12 > end) return 1;
    if (view.getUint16(entry, little) === 0x0112) return view.getUint16(entry + 8, little);
  }
  return 1;
}

/** The size at which an image is sent. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, longSide / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

export interface Prepared {
  blob: Blob;
  type: ImageType;
  /** Set when it was scaled down. */
  size: { width: number; height: number } | null;
}

/** Prepares an image for sending; null if it can't be decoded. */
export async function prepare(file: Blob, bytes: Uint8Array, type: ImageType): Promise<Prepared | null> {
  const asIs: Prepared = { blob: file, type, size: null };
  // If the page can't draw images, the program decides.
  if (typeof createImageBitmap !== "function") return asIs;
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
  try {
    const size = fitted(bitmap.width, bitmap.height);
    const same = size.width === bitmap.width && size.height === bitmap.height;
    if (same && file.size <= maxImageBytes && !(type === "image/jpeg" && turned(bytes))) return asIs;
    const canvas = document.createElement("canvas");
    canvas.width = size.width;
    canvas.height = size.height;
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, size.width, size.height);
    // Screenshots need to stay sharp; photos do not.
    const kinds: ImageType[] = type === "image/jpeg" ? ["image/jpeg"] : ["image/png", "image/jpeg"];
    for (const kind of kinds) {
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, kind, 0.9));
      if (blob && blob.type === kind && blob.size <= maxImageBytes) return { blob, type: kind, size: same ? null : size };
    }
    return null;
  } finally {
    bitmap.close();
  }
}
