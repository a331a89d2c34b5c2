// What a user hands to the page out of other programs, by pasting and dropping, and out
// of the page to them, where the web view does not do that by itself: in the window on
// Linux. The program reads and writes the files, and only for the user's own hand.

/** Why a file is not taken. */
export type Refused = "folder" | "kind" | "remote" | "missing" | "unreadable" | "large";

export interface HandedFile {
  /** What to read it by, once; absent for one that is refused. */
  id?: string;
  name: string;
  mediaType?: string;
  bytes: number;
  refused?: Refused;
}

export interface Handed {
  files?: HandedFile[];
  /** Files that were too many to look at. */
  more?: number;
  text?: string;
  /** Why there is neither: too large, or a picture of a kind that cannot be read. */
  refused?: "large" | "picture";
}

/** Something of another program that is dragged over the page, in its pixels. */
export type Drag = { kind: "over"; x: number; y: number } | { kind: "left" } | { kind: "drop"; x: number; y: number; handed(): Promise<Handed> };

export interface Handing {
  /** What was just pasted. Rejects with a HostError when nothing was. */
  paste(): Promise<Handed>;
  /** The bytes of a file that was handed over. */
  read(id: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Hears of what is dragged over the page. A listener says whether it would take it there. Returns the unsubscriber. */
  onDrag(listener: (drag: Drag) => boolean): () => void;
  /** Has a file written that is being dragged out of the page. Returns its address, "" when it cannot be. */
  lend(name: string, content: Blob): string;
}

/** A drag as the program tells of it: places are shares of the page's size. */
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
