import Hash from "lucide-solid/icons/hash";
import Trash from "lucide-solid/icons/trash";
import User from "lucide-solid/icons/user";
import Users from "lucide-solid/icons/users";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { ChatGrant, ChatMapping } from "../../host/border.gen";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { isRole, roles } from "./config";

/** A user or group, with their role and where it applies. */
export function GrantRow(props: {
  grant: ChatGrant;
  channels: readonly ChatMapping[];
  channelName: (id: string) => string;
  onChange: (next: Partial<ChatGrant>) => void;
  onRemove: () => void;
}): JSX.Element {
  const words = () => text().chat.people;
  const one = () => props.grant;
  const about = () => (isRole(one().role) ? words().rolesAbout[one().role as (typeof roles)[number]] : one().role);
  return (
    <li>
      <div data-slot="row">
        <Switch fallback={<User size={16} aria-hidden="true" />}>
          <Match when={one().everyone}>
            <Hash size={16} aria-hidden="true" />
          </Match>
          <Match when={one().teamId}>
            <Users size={16} aria-hidden="true" />
          </Match>
        </Switch>
        <div data-slot="what">
          <strong>
            <bdi>
              <ExactText text={one().name} />
            </bdi>
          </strong>
          <p data-slot="aside">{about()}</p>
        </div>
        <select data-component="text-field" data-slot="role" aria-label={words().role(one().name)} onChange={(event) => props.onChange({ role: event.currentTarget.value })}>
          <For each={roles}>
            {(role) => (
              <option value={role} selected={role === one().role}>
                {words().roles[role]}
              </option>
            )}
          </For>
        </select>
        <Show when={!one().everyone} fallback={<span data-slot="place-of" />}>
          <select data-component="text-field" data-slot="place-of" aria-label={words().where(one().name)} onChange={(event) => props.onChange({ channelId: event.currentTarget.value })}>
            <option value="" selected={!one().channelId}>
              {words().everywhere}
            </option>
            <For each={props.channels}>
              {(mapping) => (
                <option value={mapping.channelId} selected={mapping.channelId === one().channelId}>
                  {words().inChannel(mapping.name)}
                </option>
              )}
            </For>
            <Show when={one().channelId && !props.channels.some(({ channelId }) => channelId === one().channelId)}>
              <option value={one().channelId} selected>
                {words().inChannel(props.channelName(one().channelId ?? ""))}
              </option>
            </Show>
          </select>
        </Show>
        <IconButton label={words().remove(one().name)} onClick={() => props.onRemove()}>
          <Trash size={15} />
        </IconButton>
      </div>
    </li>
  );
}
