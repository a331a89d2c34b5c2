// The Mattermost configuration being edited: the saved one, the user's changes, a token that is not saved yet, the
// result of testing it, and whether someone else changed it since. It survives closing the page.

import { type Accessor, createEffect, createSignal, on, untrack } from "solid-js";
import { createStore, reconcile, unwrap } from "solid-js/store";
import type { ChatConfig, ChatProbe, ChatState } from "../../host/border.gen";
import { type Host, HostError, messageOf } from "../../host/host";
import { addressFault, sameConfig } from "./config";

const nothing: ChatConfig = { enabled: false, url: "", teamId: "", channels: [], direct: null, access: [], mirrorChannelId: "" };

export function createEditor(host: Host, held: Accessor<ChatState | null>, again: () => void) {
  /** The configuration the changes are based on, null before it is loaded. */
  const [base, setBase] = createSignal<ChatState | null>(null);
  const [config, setConfig] = createStore<ChatConfig>(structuredClone(nothing));
  /** A new token, "" to keep the saved one. */
  const [token, setToken] = createSignal("");
  const [probe, setProbe] = createSignal<{ key: string; answer: ChatProbe } | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const [conflict, setConflict] = createSignal(false);
  const [saved, setSaved] = createSignal(false);

  const changed = () => base() !== null && (token() !== "" || !sameConfig(config, base()?.config ?? nothing));
  const put = (next: ChatConfig) => setConfig(reconcile(structuredClone(unwrap(next)), { key: null }));

  function take(state: ChatState): void {
    setBase(state);
    put(state.config);
    setToken("");
    setConflict(false);
    setError("");
  }

  createEffect(
    on(held, (now) => {
      if (!now || untrack(busy)) return;
      const was = base();
      if (was === null || !untrack(changed)) {
        if (was === null || was.revision !== now.revision || !sameConfig(was.config, now.config)) take(now);
        else setBase(now);
      } else if (was.revision !== now.revision) {
        setConflict(true);
      } else {
        setBase(now);
      }
    }),
  );

  const account = () => ({ url: config.url, ...(config.allowInsecure ? { allowInsecure: true } : {}), ...(token() === "" ? {} : { token: token() }) });
  const accountKey = () => JSON.stringify(account());

  async function set(next: ChatConfig, nextToken: string | undefined, keep: boolean): Promise<boolean> {
    const was = base();
    if (!was || busy()) return false;
    setBusy(true);
    setError("");
    setSaved(false);
    try {
      const state = await host.call("mattermost.set", { config: structuredClone(unwrap(next)), revision: was.revision, ...(nextToken === undefined ? {} : { token: nextToken }) });
      const enabled = state.config.enabled;
      if (keep) {
        // Other unsaved changes stay.
        setBase(state);
        setConfig("enabled", enabled);
      } else {
        take(state);
        setSaved(true);
      }
      again();
      return true;
    } catch (failure) {
      if (failure instanceof HostError && failure.code === "conflict") {
        setConflict(true);
        again();
      } else setError(messageOf(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }

  return {
    base,
    config,
    setConfig,
    token,
    setToken,
    busy,
    error,
    conflict,
    saved,
    changed,
    account,
    /** The test result for this address and token, null before a test. */
    probe: (): ChatProbe | null => (probe()?.key === accountKey() ? (probe()?.answer ?? null) : null),
    /** Whether there is a token for the address, saved or new. */
    hasToken: () => token() !== "" || ((base()?.token ?? "") !== "" && base()?.config.url === config.url),
    /** Whether the address and the token are saved or tested. */
    tried: (): boolean => addressFault(config) === "" && (probe()?.key === accountKey() || (token() === "" && config.url !== "" && config.url === base()?.config.url && base()?.token !== "")),
    async ask(): Promise<ChatProbe> {
      const key = accountKey();
      const answer = await host.call("mattermost.probe", account());
      setProbe({ key, answer });
      return answer;
    },
    /** Saves the changes, and optionally whether to connect. */
    save(enabled = config.enabled): Promise<boolean> {
      return set({ ...unwrap(config), enabled }, token() === "" ? undefined : token(), false);
    },
    /** Turns the connection on or off immediately, whatever else is being edited. */
    switchTo(enabled: boolean): Promise<boolean> {
      return set({ ...(base()?.config ?? nothing), enabled }, undefined, true);
    },
    forget(): Promise<boolean> {
      return set({ ...(base()?.config ?? nothing), enabled: false }, "", true);
    },
    revert() {
      const was = base();
      if (was) take(was);
      setProbe(null);
      setSaved(false);
    },
    /** Takes someone else's changes. */
    takeTheirs() {
      const now = held();
      if (now) take(now);
    },
    /** Overwrites someone else's changes. */
    async keepMine(): Promise<boolean> {
      const now = held();
      if (!now) return false;
      setBase(now);
      setConflict(false);
      return await this.save();
    },
  };
}

export type Editor = ReturnType<typeof createEditor>;
