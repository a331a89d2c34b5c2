import type { JSX } from "solid-js";
import { InjectedLine } from "../memory/InjectedLine";
import { SessionUsage } from "../usage/SessionUsage";
import { ContextView } from "./ContextView";

/** The panel beside the conversation: what fills the window, and what the session used. */
export function ContextTab(props: { sessionId: string }): JSX.Element {
  return (
    <div data-component="context-tab">
      <ContextView sessionId={props.sessionId} />
      <SessionUsage sessionId={props.sessionId} />
      <InjectedLine sessionId={props.sessionId} />
    </div>
  );
}
