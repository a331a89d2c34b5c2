// What a tool does, in words: the shape that every description has.

/** The words for one kind of work: "editing", "edited", "edit". */
export interface Verb {
  doing: string;
  done: string;
  base: string;
  /** The words before an object, where they are others: "Sent a message to". */
  of?: Verb;
}

export interface Description {
  verb: Verb;
  /** What it is done to: a path, a command, a pattern. "" when there is nothing short to say. */
  object: string;
  /** The object is code and is drawn so. */
  code: boolean;
}
