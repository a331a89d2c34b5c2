/** Choosing a folder. */
export const folder = {
  recent: "Recent",
  label: "Filter, or a path",
  placeholder: "Type to filter, or a path: ~/projects",
  list: "Folders",
  parent: "Parent folder",
  none: "There are no folders in here.",
  noMatch: "No folder matches.",
  more: "There are more folders than are listed: type the path.",
  system: "System dialog…",
  open: "Open folder",
  openNamed: (name: string) => `Open ${name}`,
  /** As a field of a form. */
  field: { name: "Folder", none: "Choose a folder", other: "Another folder…", choose: "Choose a folder" },
};
