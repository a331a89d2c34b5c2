/** The page without a session, and what is in the way of the first one. */
export const start = {
  waiting: "Waiting for Parley.",
  connecting: "Connecting…",
  title: "Where should Claude work?",
  about: "A session works in one folder. It reads freely there and asks before it changes or runs anything.",
  choose: "Choose a folder…",
  recent: "Recent folders",

  unusable: "This Claude Code CLI cannot be used",
  notInstalled: "The Claude Code CLI is not installed",
  noAccount: "Claude Code has no account yet",
  notInstalledAbout: "Parley runs the Claude Code CLI on this computer, and there is none.",
  noAccountAbout: "The CLI is here, but no API key and no login were found, so it has no model to talk to.",
  install: "Install it for me",
  installing: "Installing…",
  notThere: "The installation ended, but there is no CLI to run.",
  installAbout:
    "Installing puts the CLI into Parley’s own folder and changes nothing else. Trying without an account installs it too, then plays a short guided tour with a scripted model.",
  try: "Try without an account",
  tryAbout: "Trying without an account plays a short guided tour: the real CLI with a scripted model. Nothing leaves this computer.",
  lookAgain: "Look again",
  anyway: "Go on anyway",
  copyCommand: "Copy command",
};
