// Who did something that was not done here, as people read it.

import type { Author } from "../host/border.gen";

const device = /^@(.*) \(device\)$/s;

/** Who is meant by the name of a surface: a paired device by its name, a user in a chat as they are there. */
export const nameOf = (by: string): string => device.exec(by)?.[1] ?? by;

/** Whether somebody is named, and not a place or a decider. */
export const isNamed = (by: string): boolean => by.startsWith("@");

/** Whether a prompt is of the user whose Parley it is, here or on a device of theirs. */
export const isOwn = (author: Author | undefined): boolean => !author || author.via === "device";
