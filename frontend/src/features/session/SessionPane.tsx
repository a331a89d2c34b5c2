import type { JSX } from "solid-js";
import type { Session } from "../../host/border.gen";
import { QuestionDock } from "../approval/QuestionDock";
import { Composer } from "../composer/Composer";
import { SessionBanner } from "../shell/Banners";
import { Timeline } from "../timeline/Timeline";
import { Header } from "./Header";
import "./session-pane.css";

/** One session: what was said, what is asked, what to say next. */
export function SessionPane(props: {
  session: Session;
  sidebarHidden: boolean;
  onShowSidebar: () => void;
}): JSX.Element {
  return (
    <section data-component="session-pane" aria-label={props.session.title || "New session"}>
      <Header
        session={props.session}
        sidebarHidden={props.sidebarHidden}
        onShowSidebar={() => props.onShowSidebar()}
      />
      <SessionBanner session={props.session} />
      <div data-slot="timeline">
        <Timeline sessionId={props.session.id} />
      </div>
      <div data-slot="dock">
        <QuestionDock sessionId={props.session.id} />
        <Composer session={props.session} />
      </div>
    </section>
  );
}
