import type { FailureCode } from "../../host/border.gen";
import { number, plural } from "../format";

/** Errors of a session by code: the title and the explanation. */
export const failures = {
  codes: {
    bad_request: { title: "The API rejected the request", about: "Something in the conversation isn’t accepted. Edit the prompt or remove its attachments." },
    no_account: { title: "You’re not signed in", about: "The API didn’t accept the account or the key. Sign in again, then resend the prompt." },
    login_expired: { title: "Your sign-in has expired", about: "The conversation is kept. Sign in again, then resend the prompt." },
    billing: { title: "Payment required", about: "The account has no balance left, or its payment failed. Check the account’s billing, then resend the prompt." },
    model_not_found: { title: "This model isn’t available", about: "The account can’t use the model, or the model doesn’t exist. Choose another one." },
    too_large: { title: "The request is too large", about: "The conversation or an attachment exceeds the API’s limit. Compact the conversation or start a new session." },
    rate_limit: { title: "Usage limit reached", about: "The account can’t send more requests until the limit resets." },
    overloaded: { title: "Anthropic’s API is overloaded", about: "This is usually over in a few minutes. Resend the prompt then." },
    api_error: { title: "Anthropic’s API is having problems", about: "The error is on the server. Resend the prompt in a moment." },
    unreachable: { title: "Couldn’t reach the API", about: "There was no response. Check the internet connection or the proxy, then resend the prompt." },
    start_refused: { title: "Claude Code couldn’t start", about: "It stopped before the first turn. Fix the cause below, then resend the prompt." },
    max_turns: { title: "Turn limit reached", about: "Claude stopped because it took the maximum number of steps. Send a prompt to continue." },
    turn_failed: { title: "The turn failed", about: "The conversation is kept. Resend the prompt." },
    tool_server: { title: "Claude Code lost its connection to Parley", about: "Tools that need permission fail until this turn ends. The next prompt starts a new process." },
    stopped: { title: "Stopped", about: "The prompt was stopped before Claude started on it." },
    intruder: { title: "Another program controlled this session", about: "Parley stopped the turn. The next prompt starts a new process. Check the last commands." },
    conversation_gone: { title: "Claude Code no longer has this conversation", about: "You can still read it here. Start a new conversation in this session to continue; Claude won’t know the earlier messages." },
    cli_crashed: { title: "Claude Code quit unexpectedly", about: "The conversation is kept. Send a prompt to start it again." },
    fork_point: { title: "Can’t fork from this message", about: "The CLI no longer has the message. Fork from another one, or start a new conversation." },
    invalid: { title: "The request wasn’t valid", about: "Check the details, then try again." },
    not_found: { title: "The folder wasn’t found", about: "It was moved or deleted, or its disk isn’t connected. Restore it, then resend the prompt." },
    conflict: { title: "This isn’t possible right now", about: "The session’s state has changed. Try again." },
    unauthorized: { title: "You’re not signed in", about: "Sign in again, then resend the prompt." },
    forbidden: { title: "Not allowed", about: "This connection doesn’t have permission to do this." },
    busy: { title: "Parley is busy", about: "Too many requests are waiting. Try again in a moment." },
    unavailable: { title: "Something Parley needs isn’t available", about: "Fix the cause below, then try again." },
    cli_missing: { title: "Claude Code isn’t installed", about: "Parley didn’t find the Claude Code CLI. Install it, or set its path in the settings." },
    cli_unusable: { title: "Claude Code can’t be used", about: "The CLI doesn’t start. Reinstall it, or set another path in the settings." },
    cli_too_old: { title: "Claude Code is too old", about: "Parley needs a newer version. Update Claude Code, then resend the prompt." },
    internal: { title: "Parley ran into an internal error", about: "Try again. If it happens again, copy the details for a bug report." },
  } satisfies Record<FailureCode, { title: string; about: string }>,
  copyDetails: "Copy details",
  continueAt: (time: string) => `Continue at ${time}`,
  /** How far Parley may continue automatically. */
  again: {
    label: "If the limit is reached again",
    times: (n: number) => (n === 0 ? "Stop" : `Wait and continue, ${plural(n, { one: "once", other: `up to ${number(n)} times` })}`),
    budget: "Stop each time after",
    turns: (n: number) => `${number(n)} turns`,
    cost: "Or when it has cost",
    anyCost: "Any amount",
  },
  /** The heartbeat that does so. */
  continues: (time: string) => `Parley continues at ${time}. Until then, it’s listed above the composer.`,
  continueAbout: "Continues after the usage limit resets",
  newConversation: "New conversation",
};
