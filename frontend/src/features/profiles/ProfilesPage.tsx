import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Match, onMount, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import type { Profile } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { createProfiles } from "../choices/model";
import { kindName } from "../choices/names";
import { Keyring } from "./Keyring";
import { ProfileForm } from "./ProfileForm";
import "./profiles.css";

/** The accounts and providers that sessions can use. */
export function ProfilesPage(): JSX.Element {
  const { host } = useApp();
  const profiles = createProfiles(host);
  /** The profile being edited: null for none, "" for a new one. */
  const [editing, setEditing] = createSignal<string | null>(null);
  onMount(() => void profiles.ask());
  const list = () => profiles.list()?.profiles ?? [];
  const find = (id: string | null) => list().find((p) => p.id === id) ?? null;

  return (
    <div data-component="profiles">
      <Show
        when={editing() === null}
        fallback={
          <ProfileForm
            profile={find(editing())}
            keyring={profiles.list()?.keyring ?? ""}
            onClose={() => setEditing(null)}
            onSaved={() => {
              setEditing(null);
              void profiles.ask();
            }}
          />
        }
      >
        <p data-slot="about">
          {text().profiles.about}
        </p>
        <Show when={profiles.list()?.keyring}>{(why) => <Keyring why={why()} />}</Show>
        <Switch>
          <Match when={profiles.problem()}>
            <div data-slot="problem">
              <p role="alert">{profiles.problem()}</p>
              <Button size="small" disabled={profiles.busy()} onClick={() => void profiles.ask()}>
                {text().common.tryAgain}
              </Button>
            </div>
          </Match>
          <Match when={!profiles.list()}>
            <p data-slot="about" role="status">
              {text().profiles.reading}
            </p>
          </Match>
          <Match when={list().length === 0}>
            <p data-slot="empty">{text().profiles.none}</p>
          </Match>
          <Match when={true}>
            <ul role="list" aria-label={text().profiles.label}>
              <For each={list()}>
                {(profile) => (
                  <Row profile={profile} onEdit={() => setEditing(profile.id)} onDeleted={() => void profiles.ask()} />
                )}
              </For>
            </ul>
          </Match>
        </Switch>
        <Show when={profiles.list()}>
          <div>
            <Button onClick={() => setEditing("")}>
              <Plus size={16} />
              {text().profiles.add}
            </Button>
          </div>
        </Show>
      </Show>
    </div>
  );
}

function Row(props: { profile: Profile; onEdit: () => void; onDeleted: () => void }): JSX.Element {
  const { host } = useApp();
  const [asking, setAsking] = createSignal(false);
  const [error, setError] = createSignal("");
  const about = () => [kindName(props.profile.kind), place(props.profile)].filter(Boolean).join(" · ");

  async function remove(): Promise<void> {
    setError("");
    try {
      await host.call("profile.delete", { profileId: props.profile.id });
      props.onDeleted();
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <li>
      <div data-slot="words">
        <span data-slot="name">{props.profile.name}</span>
        <span data-slot="about">{about()}</span>
        <Show when={props.profile.missing.length > 0}>
          <span data-slot="missing">{text().profiles.missing(props.profile.missing.join(", "))}</span>
        </Show>
        <Show when={error()}>
          <span data-slot="error" role="alert">
            {error()}
          </span>
        </Show>
      </div>
      <Show
        when={asking()}
        fallback={
          <span data-slot="buttons">
            <Button size="small" variant="ghost" aria-label={text().profiles.editNamed(props.profile.name)} onClick={() => props.onEdit()}>
              {text().common.edit}
            </Button>
            <Button size="small" variant="ghost" aria-label={text().profiles.deleteNamed(props.profile.name)} onClick={() => setAsking(true)}>
              {text().common.delete}
            </Button>
          </span>
        }
      >
        <span data-slot="buttons">
          {text().profiles.deleteAsk}
          <Button ref={(button) => queueMicrotask(() => button.focus())} size="small" onClick={() => setAsking(false)}>
            {text().common.keep}
          </Button>
          <Button size="small" variant="ghost" data-danger="" onClick={() => void remove()}>
            {text().common.delete}
          </Button>
        </span>
      </Show>
    </li>
  );
}

/** Where a profile connects to. */
function place({ env }: Profile): string {
  return env["ANTHROPIC_BASE_URL"] ?? env["AWS_REGION"] ?? env["ANTHROPIC_VERTEX_PROJECT_ID"] ?? "";
}
