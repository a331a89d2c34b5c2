/** Changes to Parley's files by other programs. */
export const outside = {
  title: (count: number, shown: string) => (count === 1 ? "Another program changed one of Parley’s files." : `Other programs changed ${shown} of Parley’s files.`),
  doubtTitle: "Parley’s database doesn’t match what Parley last saved.",
  hint: "None of it applies until you accept it.",
  look: "Review…",
  dialog: "Changed by other programs",
  about: "These changes allow more than before. Your previous values apply until you decide. If you didn’t make these changes, undo them.",
  was: "Current",
  is: "In the file",
  nothing: "nothing",
  tooLong: (count: number, shown: string) =>
    `${count === 1 ? "1 change is" : `${shown} changes are`} too long to be shown in full, so the file can’t be accepted. Undo it, then change it in smaller steps.`,
  moreFiles: (count: number, shown: string) => (count === 1 ? "1 more file follows when you have decided about these." : `${shown} more files follow when you have decided about these.`),
  accept: "Accept",
  undo: "Undo",
  store: "Parley’s database",
  acceptStore: "I’ve reviewed it, accept",
  doubts: {
    gone: "Parley’s database of what you allowed is missing. Allow rules, trusted folders, profiles, and permissive modes don’t apply.",
    older: "Parley’s database of what you allowed is older than its log says, or belongs to another Parley. Allow rules, trusted folders, profiles, and permissive modes don’t apply until you accept them.",
    log: "The permission log was changed since Parley wrote it, so the database can’t be checked against it. Allow rules, trusted folders, profiles, and permissive modes don’t apply until you accept them.",
    restored: "Parley’s data was restored from a snapshot. Allow rules, trusted folders, profiles, and permissive modes are from that time, and don’t apply until you accept them.",
    damaged: "Parley’s database was damaged, so some entries may be missing. Allow rules, trusted folders, profiles, and permissive modes don’t apply until you accept them.",
    seal: "Someone else changed Parley’s database of what you allowed, or its key is missing from the keyring. Allow rules, trusted folders, profiles, and permissive modes don’t apply until you accept them.",
  },
};
