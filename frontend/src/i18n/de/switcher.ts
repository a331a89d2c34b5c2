export const switcher = {
  title: "Gehe zu",
  sessions: "Sitzungen",
  workspaces: "Arbeitsbereiche",
  commands: "Befehle",
  label: "Zu einer Sitzung, einem Arbeitsbereich oder einem Befehl gehen",
  placeholder: "Gehe zu …",
  options: "Wohin",
  none: "So heißt nichts.",
  searchInstead: "sucht in dem, was gesagt wurde.",
};
