export const start = {
  waiting: "Es wird auf Parley gewartet.",
  connecting: "Wird verbunden …",
  title: "Wo soll Claude arbeiten?",
  about: "Eine Sitzung arbeitet in einem Ordner. Sie liest darin frei und fragt, bevor sie etwas ändert oder ausführt.",
  choose: "Ordner wählen …",
  recent: "Zuletzt verwendete Ordner",

  unusable: "Diese Claude-Code-CLI lässt sich nicht verwenden",
  notInstalled: "Die Claude-Code-CLI ist nicht installiert",
  noAccount: "Claude Code hat noch kein Konto",
  notInstalledAbout: "Parley lässt die Claude-Code-CLI auf diesem Rechner laufen, und es gibt hier keine.",
  noAccountAbout: "Die CLI ist da, aber weder ein API-Schlüssel noch eine Anmeldung. Darum hat sie kein Modell, mit dem sie sprechen kann.",
  install: "Für mich installieren",
  installing: "Wird installiert …",
  notThere: "Die Installation ist zu Ende, aber es gibt keine CLI, die läuft.",
  installAbout:
    "Die Installation legt die CLI in Parleys eigenen Ordner und ändert sonst nichts. Ohne Konto ausprobieren installiert sie auch und zeigt dann eine kurze Führung mit einem Modell nach Drehbuch.",
  try: "Ohne Konto ausprobieren",
  tryAbout: "Ohne Konto gibt es eine kurze Führung: die echte CLI mit einem Modell nach Drehbuch. Nichts verlässt diesen Rechner.",
  lookAgain: "Noch einmal suchen",
  anyway: "Trotzdem weiter",
  copyCommand: "Befehl kopieren",
};
