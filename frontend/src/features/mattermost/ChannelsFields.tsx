import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { Channel, ChatMapping } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Faults, Field } from "../../ui/field";
import { folderNow } from "../../store/names";
import { mappingOf, mirrorFault } from "./config";
import type { Editor } from "./editor";
import { Finder } from "./Finder";
import { MappingRow } from "./MappingRow";
import { MirrorFolders } from "./MirrorFolders";

/** The channels Parley listens in, the folders of their sessions, and where other sessions are mirrored. */
export function ChannelsFields(props: { editor: Editor; autofocus?: boolean }): JSX.Element {
  const app = useApp();
  const words = () => text().chat.channels;
  const config = () => props.editor.config;
  /** The expanded mapping, by its channel; "direct" for direct messages. */
  const [open, setOpen] = createSignal("");
  const directId = createUniqueId();
  const ids = createMemo(() => config().channels.map(({ channelId }) => channelId));
  const at = (channelId: string) => config().channels.findIndex((mapping) => mapping.channelId === channelId);

  async function find(query: string) {
    const { channels, more } = await app.host.call("mattermost.channels", { teamId: config().teamId, ...(query ? { query } : {}), ...props.editor.account() });
    return { found: channels, more };
  }
  const show = (channel: Channel) => ({
    id: channel.id,
    name: channel.title || channel.name,
    about: ids().includes(channel.id) ? words().added : kind(channel.kind),
    taken: ids().includes(channel.id),
    barred: channel.archived ? words().archived : "",
  });
  const kind = (of: string) => (words().kinds as Record<string, string>)[of] ?? of;

  function add(channel: Channel): void {
    props.editor.setConfig("channels", (list) => [...list, mappingOf(channel, folderNow(app))]);
    setOpen(channel.id);
  }
  const change = (channelId: string, next: Partial<ChatMapping>) => props.editor.setConfig("channels", at(channelId), next);
  function remove(channelId: string): void {
    props.editor.setConfig("channels", (list) => list.filter((mapping) => mapping.channelId !== channelId));
    if (config().mirrorChannelId === channelId) props.editor.setConfig("mirrorChannelId", "");
  }

  return (
    <div data-slot="form">
      <p data-slot="aside">{words().about}</p>
      <Finder
        label={words().find}
        hint={words().findHint}
        eager
        autofocus={props.autofocus === true}
        find={find}
        show={show}
        add={(name) => words().add(name)}
        nothing={(sought) => words().nothing(sought)}
        more={words().more}
        onAdd={add}
      />
      <ul role="list" data-slot="rows" aria-label={words().list}>
        <For each={ids()} fallback={<li data-slot="aside">{words().none}</li>}>
          {(channelId) => (
            <Show when={config().channels[at(channelId)]}>
              {(mapping) => (
                <MappingRow
                  mapping={mapping()}
                  name={mapping().name || mapping().channelId}
                  open={open() === channelId}
                  onOpen={(is) => setOpen(is ? channelId : "")}
                  onChange={(next) => change(channelId, next)}
                  onRemove={() => remove(channelId)}
                />
              )}
            </Show>
          )}
        </For>
        <Show when={config().direct} fallback={
          <li>
            <div data-slot="row">
              <div data-slot="what">
                <strong id={directId}>{words().direct}</strong>
                <p data-slot="aside" id={`${directId}-about`}>{words().directAbout}</p>
              </div>
              <input
                type="checkbox"
                role="switch"
                data-component="switch"
                aria-labelledby={directId}
                aria-describedby={`${directId}-about`}
                onChange={(event) => {
                  if (!event.currentTarget.checked) return;
                  props.editor.setConfig("direct", { channelId: "", name: "", folder: folderNow(app) });
                  setOpen("direct");
                }}
              />
            </div>
          </li>
        }>
          {(direct) => (
            <MappingRow
              mapping={direct()}
              name={words().direct}
              direct
              open={open() === "direct"}
              onOpen={(is) => setOpen(is ? "direct" : "")}
              onChange={(next) => props.editor.setConfig("direct", { ...direct(), ...next })}
              onRemove={() => props.editor.setConfig("direct", null)}
            />
          )}
        </Show>
      </ul>
      <fieldset data-slot="section">
        <legend>{words().mirror}</legend>
        <div data-slot="fields">
          <Field label={words().mirrorChannel} hint={words().mirrorChannelHint} faults={[]}>
            {(field) => (
              <select id={field().id} data-component="text-field" aria-describedby={field().describedBy} onChange={(event) => props.editor.setConfig("mirrorChannelId", event.currentTarget.value)}>
                <option value="" selected={config().mirrorChannelId === ""}>
                  {words().mirrorAsk}
                </option>
                <For each={config().channels}>
                  {(mapping) => (
                    <option value={mapping.channelId} selected={mapping.channelId === config().mirrorChannelId}>
                      {mapping.name}
                    </option>
                  )}
                </For>
              </select>
            )}
          </Field>
          <Field label={words().tools} faults={[]}>
            {(field) => (
              <select id={field().id} data-component="text-field" onChange={(event) => props.editor.setConfig("displayTools", event.currentTarget.value)}>
                <For each={["line", "none"] as const}>
                  {(id) => (
                    <option value={id} selected={(config().displayTools || "line") === id}>
                      {words().toolKinds[id]}
                    </option>
                  )}
                </For>
              </select>
            )}
          </Field>
        </div>
        <MirrorFolders editor={props.editor} />
        <Faults faults={mirrorFault(config()) ? [{ message: mirrorFault(config()) }] : []} />
      </fieldset>
    </div>
  );
}
