// The available choices as the CLI reports them, and how to read them.

import { type Accessor, createSignal } from "solid-js";
import type { Model, ModelList, ModelsParams, ProfileList, WorkspaceDefaults } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { modelName } from "../../lib/names";

/** The choices of a session; "" falls back to the default. */
export type Choices = WorkspaceDefaults;

export interface Models {
  /** The last answer, null before the first. It stays while a new one is requested. */
  list: Accessor<ModelList | null>;
  busy: Accessor<boolean>;
  /** Why there is no answer, as a sentence, "" for none. */
  problem: Accessor<string>;
  /** Requests the list, unless a request is running. With again, the CLI reloads it. */
  ask(again?: boolean): void;
}

/** Loads the choices only when they are needed. */
export function createModels(host: Host, params: () => Omit<ModelsParams, "refresh">): Models {
  const [list, setList] = createSignal<ModelList | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  let asked = "";

  async function run(key: string, question: ModelsParams): Promise<void> {
    setBusy(true);
    try {
      const answer = await host.call("model.list", question);
      if (asked !== key) return;
      setList(answer);
      setProblem(answer.at === 0 ? text().choices.notSaid(answer.message || text().choices.noReason) : "");
    } catch (error) {
      if (asked === key) setProblem(text().choices.notSaid(messageOf(error)));
    } finally {
      if (asked === key) setBusy(false);
    }
  }

  return {
    list,
    busy,
    problem,
    ask(again = false) {
      const question = params();
      const key = `${question.sessionId ?? ""} ${question.profile ?? ""}`;
      if (busy() && asked === key && !again) return;
      if (asked !== key) {
        setList(null);
        setProblem("");
      }
      asked = key;
      void run(key, again ? { ...question, refresh: true } : question);
    },
  };
}

export interface Profiles {
  /** Null before the first answer. */
  list: Accessor<ProfileList | null>;
  busy: Accessor<boolean>;
  problem: Accessor<string>;
  ask(): Promise<void>;
}

export function createProfiles(host: Host): Profiles {
  const [list, setList] = createSignal<ProfileList | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  return {
    list,
    busy,
    problem,
    async ask() {
      setBusy(true);
      try {
        setList(await host.call("profile.list", {}));
        setProblem("");
      } catch (error) {
        setProblem(text().choices.profilesUnread(messageOf(error)));
      } finally {
        setBusy(false);
      }
    },
  };
}

/**
 * The list entry of a session's model, undefined if it is not listed. A specific name
 * is preferred to "default", which may mean the same.
 */
export function currentModel(list: ModelList | null, model: string): Model | undefined {
  const models = list?.models ?? [];
  if (model === "") return models.find((m) => m.value === "default");
  const same = models.filter((m) => m.value === model || (m.resolved !== "" && m.resolved === model));
  return same.find((m) => m.value === model) ?? same.find((m) => m.value !== "default") ?? same[0];
}

/** A model's display name. */
export function modelText(list: ModelList | null, model: string): string {
  const known = list?.models.find((m) => m.value === model);
  return known && model !== "default" && !known.resolved.startsWith(model) ? known.name : modelName(model);
}

/** The effort levels of the model; all levels if it is not listed. */
export function effortsOf(list: ModelList | null, model: string): string[] {
  return currentModel(list, model)?.efforts ?? list?.efforts ?? [];
}

export function effortName(effort: string): string {
  const names: Record<string, string> = text().choices.efforts;
  return effort === "" ? text().choices.defaultEffort : (names[effort] ?? effort);
}
