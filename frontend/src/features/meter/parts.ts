// Computes the context view from the CLI's report. Pure.

import type { Context, ContextPart, ContextReport } from "../../host/border.gen";
import { text } from "../../i18n";

/** A share of the window, formatted like the meter. */
export function percent(value: number): string {
  return text().figures.percent(value > 0 && value < 1 ? "<1" : String(Math.round(value)));
}

export interface Piece {
  id: string;
  name: string;
  tokens: number;
  /** In percent of the window, null while its size is unknown. */
  share: number | null;
  kind: string;
}

const shareOf = (tokens: number, window: number) => (window > 0 ? (tokens / window) * 100 : null);

/** A category's name: translated if it is known. */
function nameOf(part: ContextPart): string {
  const known = text().usage.context.categories as Record<string, string>;
  const id = part.id || part.name.toLowerCase().replaceAll(/[^a-z]+/g, "_");
  return known[id] ?? part.name;
}

/** The content of the window, in the CLI's order; the reserved space comes last. */
export function piecesOf(report: ContextReport): Piece[] {
  const window = report.window ?? 0;
  const rank: Record<string, number> = { used: 0, buffer: 1, free: 2, deferred: 3 };
  return report.categories
    .map((part) => ({ id: part.id || part.name, name: nameOf(part), tokens: part.tokens, share: shareOf(part.tokens, window), kind: part.kind }))
    .filter((piece) => piece.tokens > 0)
    .toSorted((a, b) => (rank[a.kind] ?? 0) - (rank[b.kind] ?? 0));
}

/** The values of the last answer, for when the CLI can't be asked. */
export function lastAnswer(context: Context | null): Piece[] {
  if (!context) return [];
  const window = context.window ?? 0;
  const words = text().usage.meter;
  const piece = (id: string, name: string, tokens: number, kind = "used"): Piece => ({ id, name, tokens, share: shareOf(tokens, window), kind });
  return [
    piece("cacheRead", words.cacheRead, context.cacheReadTokens),
    piece("cacheCreation", words.cacheCreation, context.cacheCreationTokens),
    piece("input", words.input, context.inputTokens),
    piece("output", words.output, context.outputTokens),
    piece("free_space", text().usage.context.categories.free_space, Math.max(0, window - context.used), "free"),
  ].filter((p) => p.tokens > 0);
}
