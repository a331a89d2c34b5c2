import type { ProblemID, ThingID } from "../../host/border.gen";

/** Problems by kind. Names in braces stand for facts. */
export const problems = {
  kinds: {
    notes_rebuilt: {
      title: "Parley’s database was damaged. {kept} entries were recovered and {filled} more restored from the newest snapshot. Titles, drafts, rules, trusted folders, queued prompts, and archived sessions may be missing.",
      todo: "All conversations are still listed, because Claude Code stores them. The damaged file is {file}.",
    },
    notes_changed: {
      title: "Parley’s database doesn’t match what Parley last saved. Nothing you allowed before applies until you review it.",
      todo: "Review what changed, and decide whether to accept it.",
    },
    notes_restored: {
      title: "Parley’s data was restored from the snapshot of {when}. Nothing you allowed before applies until you review it.",
      todo: "Later changes may be missing, and prompts that were queued then may have run since. The replaced data is in {aside}.",
    },
    snapshot_failed: {
      title: "Couldn’t take a snapshot of Parley’s data: {cause}",
      todo: "Older snapshots are still there. Parley retries automatically. Check that the disk has free space.",
    },
    notes_unwritten: {
      title: "Parley can’t write its database: {cause}",
      todo: "Changes since then are only in memory, and are saved as soon as writing works again. Check the disk and the data folder’s permissions.",
    },
    changes_held: {
      title: "Another program changed these files: {files}.",
      todo: "Review the changes, then accept or undo them. Until then the old values apply.",
    },
    restart_failed: {
      title: "The new version could not start, so the previous one is running again: {cause}",
      todo: "Nothing is lost. Install Parley again, and then restart it.",
    },
    rooms_older: {
      title: "The rooms database is older than the one Parley left, or a different one. Some messages are missing.",
      todo: "Another program replaced {file}. If you didn’t intend that, quit Parley and put the newer file back, or restore a snapshot.",
    },
    memory_unread: {
      title: "Can’t use part of the memory: {cause}",
      todo: "Fix or delete the files in {folder}. Sessions get the rest in the meantime.",
    },
    rooms_rebuilt: {
      title: "The rooms database was damaged. {kept} entries were recovered; some messages may be missing.",
      todo: "The damaged file is {file}.",
    },
    audit_unwritten: {
      title: "Parley can’t write the permission log, and {missing} of its entries are missing: {cause}",
      todo: "Nothing is allowed without a log entry. Free up disk space, or give Parley permission to write to its folder.",
    },
    settings_unread: {
      title: "The settings in {file} were changed and can’t be read ({cause}).",
      todo: "The old settings apply until you fix the file.",
    },
    settings_reset: {
      title: "Couldn’t read the settings, so Parley uses the defaults.",
      todo: "The old file is kept as {file}. Review your settings, especially budgets.",
    },
    settings_rewritten: {
      title: "Couldn’t read the settings file, so Parley rewrote it with the previous settings.",
      todo: "The old file is kept as {file}.",
    },
    settings_ignored: {
      title: "Some settings in {file} have invalid values and are ignored: {names}.",
      todo: "Change them in Settings, or fix the file.",
    },
    window_hidden: {
      title: "The window crashed. It opens again in safe mode.",
      todo: "Your sessions keep running. Open the window from the tray icon.",
    },
    disk_full: {
      title: "The disk is full. Not saved: {what}.",
      todo: "Free up space on the disk that holds {folders}. Parley then continues automatically. Until then, it allows no new actions, because it can’t log them.",
    },
    disk_low: {
      title: "The disk is almost full: {free} free.",
      todo: "Free up space on the disk of {folders} before saving fails.",
    },
    disk_unwritable: {
      title: "Can’t write to the disk ({cause}). Not saved: {what}.",
      todo: "Check the disk of {folders} and that Parley has permission to write there. Parley then continues automatically.",
    },
    cli_unusable: {
      title: "Sessions can’t run, because the Claude Code CLI can’t be used: {cause}",
      todo: "Install the CLI, or set its path in Settings. Prompts you send meanwhile are queued.",
    },
    keyring_unusable: {
      title: "Couldn’t get a profile’s secret: {cause}",
      todo: "Sessions with that profile can’t start. Parley tries the keyring again next time.",
    },
    chat_unread: {
      title: "Can’t use the Mattermost settings ({cause}).",
      todo: "Fix {file}, or set up Mattermost again in Settings. Until then, the settings that you accepted last apply.",
    },
    heartbeats_unread: {
      title: "Can’t use the heartbeats ({cause}).",
      todo: "Fix {file}, or remove it if you want no heartbeats. Until then, those you accepted last keep running; no others do.",
    },
    heartbeats_ignored: {
      title: "Some heartbeats have errors and don’t run ({cause}).",
      todo: "The Heartbeats page lists all errors. Fix them in {file}; the other heartbeats keep running.",
    },
    answers_unrecorded: {
      title: "Claude Code isn’t saving messages to its transcript. Parley kept a copy of {messages} messages from the last turn.",
      todo: "They stay in the history, marked. Claude won’t remember them when the session continues after a restart. Check the disk and the permissions of Claude Code’s folder.",
    },
  } satisfies Record<ProblemID, { title: string; todo: string }>,
  /** Things that aren’t saved. */
  things: {
    notes: "sessions, drafts, and queued prompts",
    audit: "the permission log",
    settings: "settings",
    rooms: "rooms",
    attachments: "attachments",
    memory: "memories",
    heartbeats: "heartbeats",
    usage: "usage",
    search: "the search index",
    conversations: "conversations",
    files: "project files",
    other: "other Parley files",
  } satisfies Record<ThingID, string>,
};
