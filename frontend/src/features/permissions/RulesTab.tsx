import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Rule } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { CLIRuleList } from "./CLIRuleList";
import { CopyQuestion } from "./CopyQuestion";
import { effectName } from "./Effect";
import { folderNow, titleOf, workspaceName } from "../../store/names";
import { createReading } from "../../store/reading";
import { RuleEditor } from "./RuleEditor";
import { RuleRow } from "./RuleRow";
import { type Group, grouped, matching } from "./rules";
import { Trouble } from "../../ui/trouble";

/** All rules: Parley's, which can be edited, and the CLI's own. */
export function RulesTab(): JSX.Element {
  const app = useApp();
  const { latest } = app.layout;
  const { host } = app;
  const [query, setQuery] = createSignal("");
  /** The rule being edited or copied, "new" for a new one. */
  const [at, setAt] = createSignal<{ id: string; how: "edit" | "copy" } | null>(null);
  const [gone, setGone] = createSignal<Rule | null>(null);
  const [problem, setProblem] = createSignal("");
  const reading = createReading("rule.list", () => {
    const sessionId = latest();
    return sessionId === null ? { cwd: folderNow(app) } : { sessionId };
  }, { globals: ["rules.changed"] });
  const list = stable(reading.answer);
  const words = () => text().permission.rules;
  let root!: HTMLDivElement;
  const found = () => matching(list().rules, query(), (rule) => effectName(rule.effect));
  const groups = createMemo(() => (reading.answer() ? grouped(found().filter((rule) => rule.source !== "builtin")) : []));
  const builtin = () => found().filter((rule) => rule.source === "builtin");
  const doing = (how: "edit" | "copy", id: string) => at()?.id === id && at()?.how === how;

  async function attempt(what: Promise<unknown>): Promise<boolean> {
    try {
      await what;
      setProblem("");
      reading.again();
      return true;
    } catch (failure) {
      setProblem(messageOf(failure));
      return false;
    }
  }

  async function revoke(rule: Rule): Promise<void> {
    if (await attempt(host.call("rule.remove", { id: rule.id }))) setGone(rule);
  }

  async function undo(rule: Rule): Promise<void> {
    const { effect, text, scope, scopeId, expiresAt, note } = rule;
    const back = host.call("rule.add", { effect, text, scope, note, ...(scopeId ? { scopeId } : {}), ...(expiresAt ? { expiresAt } : {}) });
    if (!(await attempt(back))) return;
    setGone(null);
    root.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }

  return (
    <>
      <div data-slot="tools" ref={(el) => (root = el)}>
        <input
          type="search"
          data-component="text-field"
          data-autofocus=""
          aria-label={words().search}
          placeholder={words().search}
          value={query()}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <Button onClick={() => setAt({ id: "new", how: "edit" })}>
          <Plus size={14} /> {words().add}
        </Button>
      </div>
      <Show when={doing("edit", "new")}>
        <RuleEditor onDone={() => setAt(null)} />
      </Show>
      <Show when={gone()}>
        {(rule) => (
          <p data-slot="notice" role="status">
            <span>
              {words().revoked}{" "}
              <code>
                <ExactText text={rule().text} />
              </code>
            </span>
            {/* The pressed button is gone, and the focus with it. */}
            <Button size="small" ref={(el) => queueMicrotask(() => el.focus())} onClick={() => void undo(rule())}>
              {words().undo}
            </Button>
            <IconButton label={text().approval.dismiss} onClick={() => setGone(null)}>
              <X />
            </IconButton>
          </p>
        )}
      </Show>
      <Show when={problem()}>
        <p data-slot="invalid" role="alert">
          {problem()}
        </p>
      </Show>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().permission.failed} />}>
        <Switch>
          <Match when={found().length === 0 && query() !== ""}>
            <p data-slot="aside">{words().noneFound}</p>
          </Match>
          <Match when={list().rules.every((rule) => rule.source === "builtin")}>
            <p data-slot="aside">{words().none}</p>
          </Match>
        </Switch>
        {/* Keyed by id: input in a row survives changes to the others. */}
        <For each={groups().map(({ id }) => id)}>
          {(groupId) => {
            const group = stable(() => groups().find(({ id }) => id === groupId));
            return (
              <section>
                <h3>{groupName(group())}</h3>
                <ul role="list" data-slot="rows">
                  <For each={group().rules.map(({ id }) => id)}>
                    {(id) => {
                      const rule = stable(() => list().rules.find((one) => one.id === id));
                      return (
                        <li>
                          <Show when={!doing("edit", id)} fallback={<RuleEditor rule={rule()} onDone={() => setAt(null)} />}>
                            <RuleRow
                              rule={rule()}
                              acts={{
                                edit: () => setAt({ id, how: "edit" }),
                                copy: () => setAt(doing("copy", id) ? null : { id, how: "copy" }),
                                revoke: () => void revoke(rule()),
                              }}
                            />
                          </Show>
                          <Show when={doing("copy", id)}>
                            <CopyQuestion rule={rule()} onDone={() => setAt(null)} onCopied={reading.again} />
                          </Show>
                        </li>
                      );
                    }}
                  </For>
                </ul>
              </section>
            );
          }}
        </For>
        <CLIRuleList cli={list().cli} query={query()} />
        <Show when={builtin().length > 0}>
          <details>
            <summary>{words().builtin(number(builtin().length))}</summary>
            <p data-slot="aside">{words().builtinAbout}</p>
            <ul role="list" data-slot="rows">
              <For each={builtin()}>{(rule) => <li><RuleRow rule={rule} /></li>}</For>
            </ul>
          </details>
        </Show>
      </Show>
    </>
  );

  function groupName(group: Group): string {
    switch (group.scope) {
      case "session":
        return words().session(titleOf(app, group.scopeId));
      case "workspace":
        return words().workspace(workspaceName(app, group.scopeId));
      default:
        return words().everywhere;
    }
  }
}
