import MessageSquareText from "lucide-solid/icons/message-square-text";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { PageLine, type PageLineProps } from "../../ui/page-line";
import { isSetUp } from "./config";

/** The link to the Mattermost page once it is set up, with the connection's state. */
export function MattermostLine(): JSX.Element {
  const { state, layout } = useApp();
  const words = () => text().chat.line;
  const about = (): Pick<PageLineProps, "about" | "tone"> => {
    const chat = state.chat;
    switch (chat?.connection.state) {
      case "refused":
        return { about: words().refused, tone: "critical" };
      case "waiting":
        return { about: words().waiting, tone: "warning" };
      case "connecting":
        return { about: words().connecting };
      case "connected":
        return { about: chat.mirrors > 0 ? words().threads(chat.mirrors) : "" };
      default:
        return { about: words().off };
    }
  };
  return (
    <Show when={state.chat && isSetUp(state.chat.config)}>
      <PageLine
        kind="chat"
        icon={<MessageSquareText size={14} aria-hidden="true" />}
        name={text().chat.title}
        about={about().about}
        tone={about().tone}
        onOpen={() => layout.go({ kind: "chat" })}
      />
    </Show>
  );
}
