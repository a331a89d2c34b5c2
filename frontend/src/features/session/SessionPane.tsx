import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Session } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { QuestionDock } from "../approval/QuestionDock";
import type { Shown } from "../approval/answer-by-text";
import { Composer } from "../composer/Composer";
import { ExportDialog } from "../export/ExportDialog";
import { FindBar } from "../find/FindBar";
import { Inspector } from "../inspector/Inspector";
import { createInspectorLayout } from "../inspector/layout";
import { SessionBanner } from "../shell/Banners";
import { provideAction } from "../../desk/shortcuts";
import { SafeTimeline } from "../timeline/SafeTimeline";
import { Timeline } from "../timeline/Timeline";
import { TodoPanel } from "../todos/TodoPanel";
import { Header } from "./Header";
import "./session-pane.css";

/** One session: its conversation, requests and composer, with the side panel beside it. */
export function SessionPane(props: {
  session: Session;
  /** "waiting" shows no conversation yet; "safe" shows it as plain text. */
  view: "usual" | "waiting" | "safe";
  /** Leaves the safe view. */
  onUsual?: () => void;
}): JSX.Element {
  const { state } = useApp();
  let root!: HTMLElement;
  let timeline: HTMLElement | undefined;
  /** How often the find bar was requested, 0 while it is closed. */
  const [finding, setFinding] = createSignal(0);
  provideAction({
    id: "find",
    get name() {
      return text().find.action;
    },
    enabled: () => state.current === props.session.id && props.view === "usual",
    run: () => setFinding(finding() + 1),
  });
  const [shown, setShown] = createSignal<Shown | null>(null);
  const [exporting, setExporting] = createSignal(false);
  provideAction({
    id: "export",
    get name() {
      return text().exporting.action;
    },
    enabled: () => state.current === props.session.id,
    run: () => setExporting(true),
  });
  usePane().offer({ area: () => root });
  const inspector = createInspectorLayout(
    () => props.session.id,
    () => root,
  );
  return (
    <section ref={root} data-component="session-pane" aria-label={props.session.title || text().common.newSession}>
      <Header session={props.session} inspector={inspector} />
      <div data-slot="body">
        <div data-slot="talk">
          <SessionBanner session={props.session} />
          <div data-slot="timeline" ref={(el) => (timeline = el)}>
            <Show when={finding() > 0 && props.view === "usual"}>
              <FindBar sessionId={props.session.id} asked={finding()} root={() => timeline} onClose={() => setFinding(0)} />
            </Show>
            <Switch>
              <Match when={props.view === "usual"}>
                <Timeline sessionId={props.session.id} />
              </Match>
              <Match when={props.view === "safe"}>
                <SafeTimeline session={props.session} onUsual={() => props.onUsual?.()} />
              </Match>
            </Switch>
          </div>
          <div data-slot="dock">
            <QuestionDock sessionId={props.session.id} onShown={setShown} />
            <TodoPanel session={props.session} />
            <Composer session={props.session} shown={shown()} />
          </div>
        </div>
        <Show when={inspector.shown() && props.view === "usual"}>
          <Inspector sessionId={props.session.id} over={inspector.over()} onClose={inspector.close} />
        </Show>
      </div>
      <ExportDialog session={props.session} open={exporting()} onOpenChange={setExporting} />
    </section>
  );
}
