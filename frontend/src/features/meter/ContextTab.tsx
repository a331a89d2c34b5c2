import type { JSX } from "solid-js";
import { InjectedLine } from "../memory/InjectedLine";
import { SessionUsage } from "../usage/SessionUsage";
import { ContextView } from "./ContextView";

/** The side panel's tab with the content of the context window and the session's usage. */
export function ContextTab(props: { sessionId: string }): JSX.Element {
  return (
    <div data-component="context-tab">
      <ContextView sessionId={props.sessionId} />
      <SessionUsage sessionId={props.sessionId} />
      <InjectedLine sessionId={props.sessionId} />
    </div>
  );
}
