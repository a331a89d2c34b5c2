/** Words shared by many parts. */
export const common = {
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  saving: "Saving…",
  copy: "Copy",
  copied: "Copied",
  open: "Open",
  remove: "Remove",
  delete: "Delete",
  edit: "Edit",
  keep: "Keep",
  more: "More",
  undo: "Undo",
  dismiss: "Dismiss",
  details: "Details",
  tryAgain: "Try again",
  loading: "Loading…",
  /** A session that has no title yet. */
  newSession: "New session",
};
