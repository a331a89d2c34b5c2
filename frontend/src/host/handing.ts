// Pasting, dropping and dragging files between the page and other programs, where the web view does not support it: in
// the window on Linux. The program reads and writes the files, and only on the user's own action.

/** Why a file was rejected. */
export type Refused = "folder" | "kind" | "remote" | "missing" | "unreadable" | "large";

export interface HandedFile {
  /** The id to read it once; missing for a rejected file. */
  id?: string;
  name: string;
  mediaType?: string;
  bytes: number;
  refused?: Refused;
}

export interface Handed {
  files?: HandedFile[];
  /** The number of files beyond the limit. */
  more?: number;
  text?: string;
  /** Why there is neither: too large, or an unsupported image type. */
  refused?: "large" | "picture";
}

/** A drag from another program over the page, in page pixels. */
export type Drag = { kind: "over"; x: number; y: number } | { kind: "left" } | { kind: "drop"; x: number; y: number; handed(): Promise<Handed> };

export interface Handing {
  /** The content of the last paste. Rejects with a HostError if there was none. */
  paste(): Promise<Handed>;
  /** The bytes of a handed file. */
  read(id: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Subscribes to drags over the page. A listener returns whether it would accept a drop there. Returns the
   * unsubscriber. */
  onDrag(listener: (drag: Drag) => boolean): () => void;
  /** Writes a file that is being dragged out of the page. Returns its URL, "" if that is not possible. */
  lend(name: string, content: Blob): string;
}

/** A drag event from the program: positions are fractions of the page's size. */
export interface DragEntry {
  kind: "over" | "left" | "drop";
  x: number;
  y: number;
  number?: number;
}

export interface HandingBridge {
  Paste(): Promise<string>;
  Dropped(number: number): Promise<string>;
  Read(id: string): Promise<string>;
  Accept(may: boolean): Promise<void>;
  Lent(): Promise<string>;
  Lend(key: string, name: string, content: string): Promise<void>;
}
