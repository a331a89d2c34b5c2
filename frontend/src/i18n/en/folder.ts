/** Choosing a folder. */
export const folder = {
  recent: "Recent",
  label: "Filter or path",
  placeholder: "Type to filter, or enter a path: ~/projects",
  list: "Folders",
  parent: "Parent folder",
  none: "No folders in here.",
  noMatch: "No matching folders.",
  more: "Not all folders are listed. Type the path.",
  system: "Browse…",
  open: "Open folder",
  openNamed: (name: string) => `Open ${name}`,
  /** As a field of a form. */
  field: { name: "Folder", none: "Choose a folder", other: "Other folder…", choose: "Choose a folder" },
};
