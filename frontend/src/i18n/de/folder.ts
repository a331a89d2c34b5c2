export const folder = {
  recent: "Zuletzt verwendet",
  label: "Filter oder ein Pfad",
  placeholder: "Filter oder Pfad eingeben: ~/projekte",
  list: "Ordner",
  parent: "Übergeordneter Ordner",
  none: "Hier sind keine Ordner.",
  noMatch: "Kein Ordner passt.",
  more: "Es gibt mehr Ordner, als hier stehen: Geben Sie den Pfad ein.",
  system: "Dialog des Systems …",
  open: "Ordner öffnen",
  openNamed: (name: string) => `${name} öffnen`,
  /** As a field of a form. */
  field: { name: "Ordner", none: "Einen Ordner wählen", other: "Ein anderer Ordner …", choose: "Einen Ordner wählen" },
};
