/** What goes wrong between the page and the program, and inside the page. */
export const connection = {
  wrong: "Something went wrong inside this page.",
  noAnswer: "Parley does not answer.",
  lost: "The connection to Parley was lost.",
  none: "There is no connection to Parley at the moment.",
  failed: "The request failed.",
  draftNotSaved: (why: string) => `What you write is not saved: ${why}`,
  messageGone: "The message is not there any more.",
  clipboard: "The clipboard did not take the text.",
};
