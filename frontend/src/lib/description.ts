// The shape of a tool description.

/** The verb forms for one kind of work: "editing", "edited", "edit". */
export interface Verb {
  doing: string;
  done: string;
  base: string;
  /** The forms before an object, if they differ: "Sent a message to". */
  of?: Verb;
}

export interface Description {
  verb: Verb;
  /** The object: a path, a command, a pattern. "" if there is nothing short to show. */
  object: string;
  /** Whether the object is displayed as code. */
  code: boolean;
}
