import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import { text } from "../../i18n";
import type { WorkspaceDefaults } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ChoicePickers, noChoices } from "../choices/ChoicePickers";
import { MirrorDefault, withFolder } from "../mattermost/MirrorDefault";
import { ToolSets } from "../toolsets/ToolSets";

/** The defaults for new sessions of a workspace. */
export function DefaultsDialog(props: { workspaceId: string | null; onClose: () => void }): JSX.Element {
  const { state, actions, host } = useApp();
  const [value, setValue] = createSignal<WorkspaceDefaults>({ ...noChoices });
  /** The tool sets to switch, by id. */
  const [tools, setTools] = createSignal<Record<string, boolean | null>>({});
  /** Whether to mirror new sessions, null while unchanged. */
  const [mirror, setMirror] = createSignal<boolean | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const workspace = () => (props.workspaceId === null ? undefined : state.workspaces[props.workspaceId]);

  createEffect(
    on(
      () => props.workspaceId,
      () => {
        setValue({ ...noChoices, ...workspace()?.defaults });
        setTools({});
        setMirror(null);
        setError("");
      },
    ),
  );

  async function save(): Promise<void> {
    const { workspaceId } = props;
    if (workspaceId === null) return;
    setBusy(true);
    try {
      for (const [id, on] of Object.entries(tools())) await host.call("toolset.set", { id, workspaceId, on });
      await saveMirror();
      await actions.setWorkspaceDefaults(workspaceId, value());
      props.onClose();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  const folder = () => workspace()?.path ?? "";
  const mirrored = () => mirror() ?? state.chat?.config.mirrorFolders?.includes(folder()) ?? false;
  async function saveMirror(): Promise<void> {
    const on = mirror();
    if (on === null) return;
    // The current configuration, which the page may not have.
    const { config, revision } = await host.call("mattermost.get", {});
    await host.call("mattermost.set", { config: { ...config, mirrorFolders: withFolder(config.mirrorFolders, folder(), on) }, revision });
  }

  return (
    <Dialog
      open={workspace() !== undefined}
      onOpenChange={(open) => !open && props.onClose()}
      title={text().sessions.defaults(workspace()?.title ?? "")}
      description={text().sessions.defaultsAbout}
      footer={
        <>
          <Show when={error()}>
            <p data-component="form-error" role="alert">
              {error()}
            </p>
          </Show>
          <span data-slot="spacer" />
          <Button variant="ghost" onClick={() => props.onClose()}>
            {text().common.cancel}
          </Button>
          <Button variant="primary" disabled={busy()} onClick={() => void save()}>
            {text().common.save}
          </Button>
        </>
      }
    >
      <ChoicePickers value={value()} onChange={setValue} inherited={state.info?.settings ?? {}} />
      <Show when={props.workspaceId}>{(id) => <ToolSets workspaceId={id()} onChoose={(set, on) => setTools({ ...tools(), [set]: on })} />}</Show>
      <MirrorDefault value={mirrored()} onChange={setMirror} />
    </Dialog>
  );
}
