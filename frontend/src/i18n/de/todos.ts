export const todos = {
  title: "Aufgaben",
  count: (done: number, all: number) => `${done} von ${all}`,
  allDone: "Alles erledigt",
  next: (what: string) => `Als Nächstes: ${what}`,
  show: "Aufgaben zeigen",
  hide: "Aufgaben ausblenden, bis sich etwas ändert",
  states: { pending: "offen", in_progress: "in Arbeit", completed: "erledigt" },
  blockedBy: (ids: string) => `wartet auf ${ids}`,
  unread: (n: number) => `${n} weitere ließen sich nicht lesen.`,
};
