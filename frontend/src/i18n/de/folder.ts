export const folder = {
  recent: "Zuletzt verwendet",
  label: "Filter oder Pfad",
  placeholder: "Filtern oder Pfad eingeben: ~/projekte",
  list: "Ordner",
  parent: "Übergeordneter Ordner",
  none: "Hier sind keine Ordner.",
  noMatch: "Keine passenden Ordner.",
  more: "Nicht alle Ordner sind aufgelistet. Geben Sie den Pfad ein.",
  system: "Durchsuchen …",
  open: "Ordner öffnen",
  openNamed: (name: string) => `${name} öffnen`,
  /** As a field of a form. */
  field: { name: "Ordner", none: "Ordner wählen", other: "Anderer Ordner …", choose: "Ordner wählen" },
};
