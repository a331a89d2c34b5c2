// A profile being edited. Secrets are not stored here: they stay in their fields until the form is sent, and are then
// gone.

import { createStore, unwrap } from "solid-js/store";
import type { Profile, ProfileSetParams } from "../../host/border.gen";
import { newId } from "../../lib/id";
import { kindOf } from "./kinds";

interface Row {
  id: string;
  name: string;
  value: string;
}

export interface SecretRow {
  id: string;
  name: string;
  label: string;
  /** "none", "kept" (in the keyring), "missing" (should be in it), "new" (being typed), "removed". */
  state: "none" | "kept" | "missing" | "new" | "removed";
  /** Whether the name can be edited: it is a custom row. */
  own: boolean;
}

export interface ProfileDraft {
  id: string;
  name: string;
  kind: string;
  helper: string;
  /** The values of the kind's fields, by variable. */
  fields: Record<string, string>;
  rows: Row[];
  secrets: SecretRow[];
  /** Whether to store the GitHub CLI's token in the keyring when the form is sent. */
  gitHub: boolean;
}

/** The variable that GitHub clients read. */
export const gitHubToken = "GH_TOKEN";
/** GitHub's page to create a token with the permissions a session needs, valid for a month. */
export const gitHubPage = "https://github.com/settings/personal-access-tokens/new?name=Parley&expires_in=30&contents=write&pull_requests=write&issues=write";

export function draftOf(profile: Profile | null, kind = profile?.kind ?? "anthropic"): ProfileDraft {
  const spec = kindOf(kind);
  const own = new Set(spec.fields.map((f) => f.name));
  const env = profile?.env ?? {};
  return {
    id: profile?.id ?? "",
    name: profile?.name ?? "",
    kind,
    gitHub: false,
    helper: profile?.helper ?? "",
    fields: Object.fromEntries(spec.fields.map((f) => [f.name, env[f.name] ?? ""])),
    rows: Object.entries(env)
      .filter(([name]) => !own.has(name))
      .map(([name, value]) => ({ id: newId(), name, value })),
    secrets: [
      ...spec.secrets.map(({ name, label }) => ({ id: newId(), name, label, state: stateOf(profile, name), own: false })),
      ...(profile?.secrets ?? [])
        .filter((name) => !spec.secrets.some((s) => s.name === name))
        .map((name) => ({ id: newId(), name, label: name, state: stateOf(profile, name), own: true })),
    ],
  };
}

function stateOf(profile: Profile | null, name: string): SecretRow["state"] {
  if (!profile?.secrets.includes(name)) return "none";
  return profile.missing.includes(name) ? "missing" : "kept";
}

export function createProfileDraft(profile: Profile | null) {
  const [draft, set] = createStore(draftOf(profile));
  return {
    draft,
    set,
    /** Another kind has other fields; values without a field become rows, so that nothing is lost. */
    setKind(kind: string) {
      const now = unwrap(draft);
      const env = { ...Object.fromEntries(now.rows.map((r) => [r.name, r.value])), ...now.fields };
      const filled = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
      const base: Profile = {
        id: now.id, name: now.name, kind, env: filled, helper: now.helper, updatedAt: 0,
        secrets: profile?.secrets ?? [], missing: profile?.missing ?? [],
      };
      set(draftOf(base, kind));
    },
  };
}

/** The request; values has the secrets' fields by row id. */
export function toParams(draft: ProfileDraft, values: ReadonlyMap<string, string>): ProfileSetParams {
  const spec = kindOf(draft.kind);
  const env: Record<string, string> = {};
  for (const { name, value } of draft.rows) if (name.trim() !== "") env[name.trim()] = value;
  for (const [name, value] of Object.entries(draft.fields)) if (value.trim() !== "") env[name] = value.trim();
  const secrets: Record<string, string> = {};
  for (const row of draft.secrets) {
    const value = values.get(row.id) ?? "";
    if (row.state === "removed") secrets[row.name] = "";
    else if (value !== "" && row.name.trim() !== "") secrets[row.name.trim()] = value;
  }
  return {
    ...(draft.id ? { id: draft.id } : {}),
    name: draft.name.trim(),
    kind: draft.kind,
    env,
    ...(spec.helper && draft.helper.trim() ? { helper: draft.helper.trim() } : {}),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
    ...(draft.gitHub && draft.secrets.some((row) => row.name === gitHubToken) ? { gitHub: true } : {}),
  };
}
