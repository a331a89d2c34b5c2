/** Errors between the page and the program, and inside the page. */
export const connection = {
  wrong: "Something went wrong on this page. Reload it and try again.",
  noAnswer: "Parley isn’t responding.",
  lost: "Lost connection to Parley.",
  none: "Not connected to Parley.",
  failed: "The request failed.",
  draftNotSaved: (why: string) => `Couldn’t save your draft: ${why}`,
  messageGone: "This message no longer exists.",
  clipboard: "Couldn’t copy to the clipboard.",
};
