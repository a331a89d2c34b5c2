import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { ChatGrant, Person } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import type { Editor } from "./editor";
import { channelName, grantFor, grantKey, roles } from "./config";
import { Finder } from "./Finder";
import { GrantRow } from "./GrantRow";

/** Roles; anyone not listed has no access. */
export function PeopleFields(props: { editor: Editor; autofocus?: boolean }): JSX.Element {
  const { host } = useApp();
  const words = () => text().chat.people;
  const config = () => props.editor.config;
  const groupId = createUniqueId();
  const [group, setGroup] = createSignal("");
  const count = createMemo(() => config().access.map((_, i) => i));

  async function find(query: string) {
    const { people } = await host.call("mattermost.people", { query, ...(config().teamId ? { teamId: config().teamId } : {}), ...props.editor.account() });
    return { found: people, more: false };
  }
  const listed = (grant: ChatGrant) => config().access.some((one) => grantKey(one) === grantKey(grant));
  const show = (person: Person) => {
    const taken = config().access.some(({ userId }) => userId === person.id);
    const marks = [`@${person.username}`, person.bot ? words().bot : "", person.guest ? words().guest : "", taken ? words().added : ""];
    return { id: person.id, name: person.name, about: marks.filter(Boolean).join(" · "), taken, barred: person.deactivated ? words().deactivated : "" };
  };
  const add = (grant: ChatGrant) => listed(grant) || props.editor.setConfig("access", (list) => [...list, grant]);
  /** Members of a team, or everyone who can post in a channel. */
  const groups = createMemo<{ id: string; grant: ChatGrant }[]>(() => [
    ...(props.editor.probe()?.teams ?? []).map((team) => ({ id: `team:${team.id}`, grant: { role: "prompt", teamId: team.id, name: words().team(team.title || team.name) } })),
    ...config().channels.map((mapping) => ({ id: `channel:${mapping.channelId}`, grant: { role: "watch", everyone: true, channelId: mapping.channelId, name: words().everyone(mapping.name) } })),
  ]);
  const approver = () => config().access.some(({ role }) => role === "approve" || role === "admin");

  return (
    <div data-slot="form">
      <p data-slot="aside">{words().about}</p>
      <Finder
        label={words().find}
        hint={config().access.length === 0 ? words().first : words().typing}
        autofocus={props.autofocus === true}
        find={find}
        show={show}
        add={(name) => words().add(name)}
        nothing={(sought) => words().nothing(sought)}
        onAdd={(person) => add(grantFor(person, config().access.length === 0))}
      />
      <ul role="list" data-slot="rows" aria-label={words().list}>
        <For each={count()}>
          {(i) => (
            <Show when={config().access[i]}>
              {(grant) => (
                <GrantRow
                  grant={grant()}
                  channels={config().channels}
                  channelName={(id) => channelName(config(), id)}
                  onChange={(next) => props.editor.setConfig("access", i, next)}
                  onRemove={() => props.editor.setConfig("access", (list) => list.filter((_, at) => at !== i))}
                />
              )}
            </Show>
          )}
        </For>
      </ul>
      <p data-slot="aside" role="status">
        {config().access.length === 0 ? words().nobody : approver() ? "" : words().noApprover}
      </p>
      <Show when={groups().length > 0}>
        <div data-slot="field">
          <label for={groupId}>{words().group}</label>
          <div data-slot="test">
            <select id={groupId} data-component="text-field" onChange={(event) => setGroup(event.currentTarget.value)}>
              <option value="" selected={group() === ""}>
                {words().groupNone}
              </option>
              <For each={groups()}>
                {(one) => (
                  <option value={one.id} selected={one.id === group()} disabled={listed(one.grant)}>
                    {one.grant.name}
                  </option>
                )}
              </For>
            </select>
            <Button
              disabled={group() === ""}
              onClick={() => {
                const chosen = groups().find(({ id }) => id === group());
                if (chosen) add(chosen.grant);
                setGroup("");
              }}
            >
              {words().groupAdd}
            </Button>
          </div>
        </div>
      </Show>
      <section data-slot="roles">
        <h3>{words().rolesTitle}</h3>
        <dl>
          <For each={roles}>
            {(role) => (
              <div>
                <dt>{words().roles[role]}</dt>
                <dd data-slot="aside">{words().rolesAbout[role]}</dd>
              </div>
            )}
          </For>
        </dl>
      </section>
    </div>
  );
}
