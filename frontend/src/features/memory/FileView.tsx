import ArrowLeft from "lucide-solid/icons/arrow-left";
import Trash from "lucide-solid/icons/trash";
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import type { MemoryText } from "../../host/border.gen";
import { HostError, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import type { MemoryModel } from "./model";
import { fileWords, kindOf, slugOf } from "./words";

/** An editor for a memory file. begin is the initial text of an empty one. */
export function FileView(props: { model: MemoryModel; file: string; begin: string }): JSX.Element {
  const { host, state } = useApp();
  /** The version last read or saved, null before that. */
  const [base, setBase] = createSignal<MemoryText | null>(null);
  const [value, setValue] = createSignal("");
  /** The version on disk, if it differs from the base of the edit. */
  const [newer, setNewer] = createSignal<MemoryText | null>(null);
  const [error, setError] = createSignal("");
  const [said, setSaid] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const words = () => text().memory.file;
  const file = props.file;
  const kind = kindOf(file);
  const slug = slugOf(file);
  const changed = () => base() !== null && value() !== base()?.text;
  const about = () => {
    if (kind === "soul") return words().soulAbout;
    if (kind === "user") return words().userAbout;
    return kind === "notes" ? words().notesAbout(tilde(props.model.workspace(slug)?.path ?? "", state.info?.home ?? "") || props.model.nameOf(slug)) : words().dayAbout;
  };

  function take(now: MemoryText, keep = false): void {
    setBase(now);
    setNewer(null);
    setError("");
    if (!keep) setValue(now.text);
  }

  const reading = createReading("memory.read", () => ({ file }), { globals: ["memory.changed"] });
  createEffect(
    on(reading.answer, (now) => {
      if (!now) return;
      const first = base() === null;
      if (first || !changed()) {
        take(now);
        if (first && now.revision === "" && props.begin) setValue(props.begin);
      } else if (now.revision !== base()?.revision) setNewer(now);
    }),
  );
  createEffect(on(reading.error, (why) => why && setError(why)));

  async function save(revision = base()?.revision ?? ""): Promise<void> {
    if (busy()) return;
    const mine = value();
    setBusy(true);
    setError("");
    setSaid("");
    try {
      const saved = await host.call("memory.write", { file, text: mine, revision });
      take(saved, value() !== mine);
      setSaid(text().memory.saved);
      props.model.overview.again();
    } catch (failure) {
      if (failure instanceof HostError && failure.code === "conflict") await reading.again();
      if (!newer()) setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  createEffect(() => props.model.setUnsaved(changed()));
  onCleanup(() => props.model.setUnsaved(false));

  return (
    <>
      <header data-slot="back">
        <IconButton label={words().back} onClick={() => props.model.show({ kind: "list", scope: kind === "notes" ? slug : null })}>
          <ArrowLeft size={16} />
        </IconButton>
        <h3 dir="auto">{fileWords({ kind, file }, props.model.nameOf(slug))}</h3>
        <Show when={(base()?.revision ?? "") !== ""}>
          <IconButton label={words().forget} onClick={() => void props.model.forgetFile(file, base()?.revision ?? "")}>
            <Trash size={15} />
          </IconButton>
        </Show>
      </header>
      <p data-slot="aside">
        <bdi>{about()}</bdi>
      </p>
      <Show
        when={base()}
        fallback={
          <Show when={error()} fallback={<p data-slot="aside">{text().common.loading}</p>}>
            <div data-slot="empty" role="alert">
              <strong>{words().unread}</strong>
              <p>{error()}</p>
              <Button size="small" onClick={() => void reading.again()}>
                {text().common.tryAgain}
              </Button>
            </div>
          </Show>
        }
      >
        <Show when={newer()}>
          {(now) => (
            <div data-slot="notice" data-bad="" role="alert">
              <strong>{words().changed}</strong>
              <Button size="small" onClick={() => take(now())}>
                {words().reload}
              </Button>
              <Button size="small" onClick={() => void save(now().revision)}>
                {words().mine}
              </Button>
            </div>
          )}
        </Show>
        <textarea
          ref={(el) => setTimeout(() => el.focus())}
          data-component="memory-text"
          data-file=""
          data-code={kind === "daily" || undefined}
          dir="auto"
          spellcheck={kind !== "daily"}
          aria-label={words().label(file)}
          value={value()}
          onInput={(event) => {
            setSaid("");
            setValue(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (isComposing(event) || !isMod(event) || event.key.toLowerCase() !== "s") return;
            event.preventDefault();
            if (changed()) void save();
          }}
        />
        <Show when={error()}>
          <p data-slot="invalid" role="alert">
            {error()}
          </p>
        </Show>
        <footer data-slot="actions">
          <span data-slot="aside" role="status">
            {said() && !changed() ? said() : words().tokens(tokensOf(value()))}
          </span>
          <Button variant="ghost" disabled={!changed()} onClick={() => setValue(base()?.text ?? "")}>
            {words().revert}
          </Button>
          <Button variant="primary" disabled={!changed() || busy()} onClick={() => void save()}>
            {busy() ? words().saving : words().save}
          </Button>
        </footer>
      </Show>
    </>
  );
}

/** The program's estimate: one token per four ASCII characters, and one per other character. */
function tokensOf(what: string): number {
  let plain = 0;
  let other = 0;
  for (const char of what) {
    if (char < "\u0080") plain++;
    else other++;
  }
  return Math.ceil(plain / 4) + other;
}
