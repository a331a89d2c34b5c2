// What a user decides about the chat while it is changed, and what is wrong with it.

import type { Channel, ChatConfig, ChatGrant, ChatMapping, Person } from "../../host/border.gen";
import { text } from "../../i18n";

export const roles = ["watch", "prompt", "approve", "admin"] as const;
export type Role = (typeof roles)[number];

export const isRole = (role: string): role is Role => roles.some((one) => one === role);

/** Whether there is anything to be connected with. */
export const isSetUp = (config: ChatConfig): boolean => config.url !== "" && (config.enabled || config.channels.length > 0 || config.direct !== null || config.access.length > 0);

/** An address as the user may have copied it: with a scheme, without what leads to a channel or a post. */
export function addressOf(written: string): string {
  const bare = written.trim();
  if (bare === "") return "";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(bare) ? bare : `https://${bare}`;
  return whole.replace(/\/[^/]+\/(?:channels|messages|pl|threads)(?:\/.*)?$/, "").replace(/\/(?:login|signup_user_complete|select_team)\b.*$/, "").replace(/\/+$/, "");
}

/** Whether what is sent to an address can be read on the way. */
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

/** What is wrong with an address, "" for nothing. */
export function addressFault(config: Pick<ChatConfig, "url" | "allowInsecure">): string {
  const words = text().chat.server.faults;
  if (config.url === "") return words.address;
  const url = parsed(config.url);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.username !== "") return words.addressForm;
  return isOpen(config.url) && !config.allowInsecure ? words.encrypted : "";
}

/** What is wrong with a channel, "" for nothing. */
export const mappingFault = (mapping: ChatMapping): string => (mapping.folder === "" ? text().chat.channels.faults.folder : "");

/** What is wrong with the choice of where sessions are shown, "" for nothing. */
export function mirrorFault(config: ChatConfig): string {
  const words = text().chat.channels.faults;
  if (config.mirrorChannelId === "") return (config.mirrorFolders?.length ?? 0) > 0 ? words.mirror : "";
  return config.channels.some(({ channelId }) => channelId === config.mirrorChannelId) ? "" : words.gone;
}

/** What is wrong with how people hear of questions, "" for nothing. */
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

/** What a channel is called where it stands among others. */
export function channelName(config: ChatConfig, channelId: string): string {
  return config.channels.find((mapping) => mapping.channelId === channelId)?.name ?? channelId;
}

/** Whom a grant is about: the same person, team or channel cannot be listed twice for the same place. */
export const grantKey = ({ userId = "", teamId = "", everyone = false, channelId = "" }: ChatGrant): string => `${userId} ${teamId} ${everyone} ${channelId}`;

/** The grant for somebody who is added: whoever comes first is the user themself. */
export const grantFor = (person: Person, first: boolean): ChatGrant => ({ role: first ? "admin" : "prompt", userId: person.id, name: `${person.name} (@${person.username})` });

/** Whether two configurations decide the same. */
export const sameConfig = (a: ChatConfig, b: ChatConfig): boolean => canonical(a) === canonical(b);

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).filter(([, v]) => v !== undefined && v !== "" && v !== false).toSorted(([x], [y]) => (x < y ? -1 : 1))) : inner,
  );
}
