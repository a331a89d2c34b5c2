import Reply from "lucide-solid/icons/reply";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import type { Room, RoomMessage } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton, Markdown } from "../../ui/markdown";
import { showHidden } from "../../lib/visible";
import { IconButton } from "../../ui/icon-button";
import type { Conversation } from "./conversation";
import type { RoomsModel } from "./model";
import { Receipts } from "./Receipts";
import { clockWords, dayWords, excerpt, momentWords, plain } from "./words";

/** Consecutive messages of a sender within this time are grouped. */
const together = 5 * 60_000;
/** A longer message is collapsed. */
const longChars = 2400;
const longLines = 30;

interface RowProps {
  model: RoomsModel;
  room: Room;
  conversation: Conversation;
  message: RoomMessage;
  before?: RoomMessage;
  /** Whether it is the first unread message. */
  fresh?: boolean;
  inThread?: boolean;
  onThread: (seq: number, write: boolean) => void;
}

/** One message, with its day, sender and quoted message where they differ from the previous one's. */
export function MessageRow(props: RowProps): JSX.Element {
  const words = () => text().rooms;
  const one = () => props.message;
  const mine = () => one().from.memberId === props.model.me();
  const forMe = () => !mine() && (one().all || one().mentions.includes(props.model.me()));
  const newDay = () => !one().waiting && (!props.before || new Date(props.before.at).toDateString() !== new Date(one().at).toDateString());
  const quotes = () => !props.inThread && one().replyTo > 0;
  const head = () => newDay() || props.fresh || quotes() || !props.before || props.before.from.memberId !== one().from.memberId || props.before.from.nick !== one().from.nick || one().at - props.before.at > together;

  return (
    <li data-slot="message" data-head={head() || undefined} data-mine={mine() || undefined} data-me={forMe() || undefined} data-waiting={one().waiting || undefined} data-seq={one().seq}>
      <Show when={newDay()}>
        <p data-slot="day">
          <span>{dayWords(one().at)}</span>
        </p>
      </Show>
      <Show when={props.fresh}>
        <p data-slot="fresh">
          <span>{words().log.fresh}</span>
        </p>
      </Show>
      <article aria-label={`${plain(one().from.nick)}, ${momentWords(one().at)}`} data-slot="said">
        <Show when={quotes()}>
          <Quote {...props} />
        </Show>
        <Show when={head()}>
          <Sender message={one()} mine={mine()} model={props.model} />
        </Show>
        <Show when={forMe()}>
          <span class="visually-hidden">{words().message.forYou}</span>
        </Show>
        <Body message={one()} />
        <MessageFooter {...props} mine={mine()} />
      </article>
    </li>
  );
}

function Sender(props: { message: RoomMessage; mine: boolean; model: RoomsModel }): JSX.Element {
  const words = () => text().rooms.message;
  const from = () => props.message.from;
  const about = () => [props.mine ? words().you : from().kind === "person" ? words().person : plain(from().title), from().here ? "" : words().on(plain(from().host))].filter(Boolean).join(" · ");
  return (
    <header data-slot="sender">
      <strong>
        <bdi>{plain(from().nick)}</bdi>
      </strong>
      <Show when={!props.mine && from().kind === "session" && from().here && from().sessionId} fallback={<bdi data-slot="about">{about()}</bdi>}>
        <button type="button" data-slot="link" title={words().openSession(plain(from().title) || text().rooms.members.untitled)} onClick={() => props.model.openSession(from().sessionId)}>
          <bdi>{about() || text().rooms.members.untitled}</bdi>
        </button>
      </Show>
      <time datetime={new Date(props.message.at).toISOString()} title={momentWords(props.message.at)}>
        {clockWords(props.message.at)}
      </time>
    </header>
  );
}

/** The message it replies to, unless that is directly above. */
function Quote(props: RowProps): JSX.Element {
  const words = () => text().rooms.message;
  const answered = createMemo(() => props.conversation.messages().find((m) => m.seq === props.message.replyTo));
  return (
    <button type="button" data-slot="quote" onClick={() => props.onThread(props.message.thread || props.message.replyTo, false)}>
      <Reply size={13} aria-hidden="true" />
      <Show when={answered()} fallback={<span>{words().answersEarlier}</span>}>
        {(what) => (
          <>
            <span>{words().answers(plain(what().from.nick))}</span> <bdi>{excerpt(what())}</bdi>
          </>
        )}
      </Show>
    </button>
  );
}

function Body(props: { message: RoomMessage }): JSX.Element {
  const words = () => text().rooms.message;
  const [whole, setWhole] = createSignal(false);
  const said = () => props.message.text;
  const long = createMemo(() => said().length > longChars || said().split("\n", longLines + 2).length > longLines);
  return (
    <>
      <div data-slot="text" data-folded={(long() && !whole()) || undefined} dir="auto">
        {/* Messages of people are shown verbatim; those of sessions are Markdown. */}
        <Show when={props.message.from.kind === "session"} fallback={<p data-slot="plain">{showHidden(said())}</p>}>
          <Markdown text={showHidden(said())} />
        </Show>
      </div>
      <Show when={long()}>
        <button type="button" data-slot="link" aria-expanded={whole()} onClick={() => setWhole(!whole())}>
          {whole() ? words().less : words().whole}
        </button>
      </Show>
    </>
  );
}

function MessageFooter(props: RowProps & { mine: boolean }): JSX.Element {
  const words = () => text().rooms.message;
  const one = () => props.message;
  const replies = createMemo(() => (props.inThread ? 0 : props.conversation.messages().filter((m) => m.thread === one().seq && m.seq !== one().seq).length));
  return (
    <Show when={!one().waiting} fallback={<p data-slot="waits">{words().waiting}</p>}>
      <div data-slot="foot">
        <Receipts receipts={one().receipts} quiet={!props.mine} />
        <Show when={replies() > 0}>
          <button type="button" data-slot="link" title={words().thread} onClick={() => props.onThread(one().seq, false)}>
            {words().replies(replies())}
          </button>
        </Show>
        <span data-slot="acts">
          <Show when={!props.inThread}>
            <IconButton label={words().replyTo(plain(one().from.nick))} onClick={() => props.onThread(one().thread || one().seq, true)}>
              <Reply size={14} />
            </IconButton>
          </Show>
          <CopyButton text={() => one().text} label={words().copy} />
        </span>
      </div>
    </Show>
  );
}
