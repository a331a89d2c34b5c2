// A link to a message, to be copied and pasted into the search.

export interface MessageLink {
  sessionId: string;
  messageId: string;
}

const form = /^parley:\/\/session\/([^/\s]+)\/message\/([^/\s]+)$/;

export function linkTo({ sessionId, messageId }: MessageLink): string {
  return `parley://session/${encodeURIComponent(sessionId)}/message/${encodeURIComponent(messageId)}`;
}

/** Parses a link; null for any other text. */
export function readLink(text: string): MessageLink | null {
  const match = form.exec(text.trim());
  if (!match?.[1] || !match[2]) return null;
  try {
    return { sessionId: decodeURIComponent(match[1]), messageId: decodeURIComponent(match[2]) };
  } catch {
    return null;
  }
}
