// Names of the authors of actions elsewhere.

import type { Author } from "../host/border.gen";

const device = /^@(.*) \(device\)$/s;

/** The name behind a surface: a paired device's name, or a Mattermost user's name there. */
export const nameOf = (by: string): string => device.exec(by)?.[1] ?? by;

/** Whether it is a user's name, and not a place or a decider. */
export const isNamed = (by: string): boolean => by.startsWith("@");

/** Whether a prompt is from Parley's own user, here or on one of their devices. */
export const isOwn = (author: Author | undefined): boolean => !author || author.via === "device";
