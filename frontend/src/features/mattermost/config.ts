// Helpers to edit and validate the Mattermost configuration.

import type { Channel, ChatConfig, ChatGrant, ChatMapping, Person } from "../../host/border.gen";
import { text } from "../../i18n";

export const roles = ["watch", "prompt", "approve", "admin"] as const;
export type Role = (typeof roles)[number];

export const isRole = (role: string): role is Role => roles.some((one) => one === role);

/** Whether there is enough to connect with. */
export const isSetUp = (config: ChatConfig): boolean => config.url !== "" && (config.enabled || config.channels.length > 0 || config.direct !== null || config.access.length > 0);

/** Normalizes a pasted address: adds the scheme, removes the path of a channel or post. */
export function addressOf(written: string): string {
  const bare = written.trim();
  if (bare === "") return "";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(bare) ? bare : `https://${bare}`;
  return whole.replace(/\/[^/]+\/(?:channels|messages|pl|threads)(?:\/.*)?$/, "").replace(/\/(?:login|signup_user_complete|select_team)\b.*$/, "").replace(/\/+$/, "");
}

/** Whether the connection to an address is unencrypted. */
export function isOpen(address: string): boolean {
  const url = parsed(address);
  return url?.protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/** The error in an address, "" for none. */
export function addressFault(config: Pick<ChatConfig, "url" | "allowInsecure">): string {
  const words = text().chat.server.faults;
  if (config.url === "") return words.address;
  const url = parsed(config.url);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.username !== "") return words.addressForm;
  return isOpen(config.url) && !config.allowInsecure ? words.encrypted : "";
}

/** The error in a channel, "" for none. */
export const mappingFault = (mapping: ChatMapping): string => (mapping.folder === "" ? text().chat.channels.faults.folder : "");

/** The error in the choice of a mirror channel, "" for none. */
export function mirrorFault(config: ChatConfig): string {
  const words = text().chat.channels.faults;
  if (config.mirrorChannelId === "") return (config.mirrorFolders?.length ?? 0) > 0 ? words.mirror : "";
  return config.channels.some(({ channelId }) => channelId === config.mirrorChannelId) ? "" : words.gone;
}

/** The error in the notification settings, "" for none. */
export function callsFault({ calls }: ChatConfig): string {
  const words = text().chat.people.calls.faults;
  const { remindMinutes = 0, handOverMinutes = 0, quietFrom = "", quietTo = "" } = calls ?? {};
  const wrong = (minutes: number) => !Number.isInteger(minutes) || minutes < 0 || minutes > 1440;
  if (wrong(remindMinutes) || wrong(handOverMinutes)) return words.minutes;
  return (quietFrom !== "" || quietTo !== "") && (quietFrom === "" || quietTo === "" || quietFrom === quietTo) ? words.quiet : "";
}

export const channelsFault = (config: ChatConfig): string =>
  [...config.channels, ...(config.direct ? [config.direct] : [])].map(mappingFault).find((fault) => fault !== "") ?? (mirrorFault(config) || callsFault(config));

export const mappingOf = (channel: Channel, folder: string): ChatMapping => ({ channelId: channel.id, name: channel.title || channel.name, folder });

/** A channel's name in a list of several. */
export function channelName(config: ChatConfig, channelId: string): string {
  return config.channels.find((mapping) => mapping.channelId === channelId)?.name ?? channelId;
}

/** The key of a grant: the same person, team or channel can't be listed twice for the same place. */
export const grantKey = ({ userId = "", teamId = "", everyone = false, channelId = "" }: ChatGrant): string => `${userId} ${teamId} ${everyone} ${channelId}`;

/** The grant for a new person: the first one is the user. */
export const grantFor = (person: Person, first: boolean): ChatGrant => ({ role: first ? "admin" : "prompt", userId: person.id, name: `${person.name} (@${person.username})` });

/** Whether two configurations are equivalent. */
export const sameConfig = (a: ChatConfig, b: ChatConfig): boolean => canonical(a) === canonical(b);

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).filter(([, v]) => v !== undefined && v !== "" && v !== false).toSorted(([x], [y]) => (x < y ? -1 : 1))) : inner,
  );
}
