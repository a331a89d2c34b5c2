import { createUniqueId, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { channelName, isSetUp } from "./config";
import "../../ui/fields.css";
import "./default.css";

/** Whether new sessions of a workspace are mirrored. */
export function MirrorDefault(props: { value: boolean; onChange: (on: boolean) => void }): JSX.Element {
  const { state } = useApp();
  const id = createUniqueId();
  const words = () => text().chat.mirror;
  const config = () => state.chat?.config;
  const channel = () => config()?.mirrorChannelId ?? "";
  const about = () => {
    const now = config();
    return now && channel() ? words().defaultChannel(channelName(now, channel())) : words().defaultNone;
  };
  return (
    <Show when={state.chat && isSetUp(state.chat.config)}>
      <div data-component="mirror-default">
        <div>
          <span id={id}>{words().default}</span>
          <p data-slot="about" id={`${id}-about`}>
            {words().defaultAbout} {about()}
          </p>
        </div>
        <input
          type="checkbox"
          role="switch"
          data-component="switch"
          aria-labelledby={id}
          aria-describedby={`${id}-about`}
          checked={props.value}
          disabled={channel() === "" && !props.value}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
      </div>
    </Show>
  );
}

/** The list of folders whose new sessions are mirrored, with or without a folder. */
export const withFolder = (folders: readonly string[] = [], folder: string, on: boolean): string[] => {
  const rest = folders.filter((one) => one !== folder);
  return on ? [...rest, folder] : rest;
};
