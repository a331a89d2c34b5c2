// The frame in which diagrams are drawn. The library measures text, so it needs a
// page; and it writes styles into elements, which the page itself does not allow.
// Here it may, and reaches nothing else: see the frame's own content policy.

import mermaid, { type MermaidConfig } from "mermaid";
import { sanitizeDrawing } from "./sanitize";

/** What the page asks the frame for. */
export interface Workshop {
  /** Draws a diagram as an SVG file that is safe as an image, null when there is nothing in it; or says why it cannot. */
  render(id: string, source: string, settings: MermaidConfig): Promise<{ svg: string | null } | { why: string }>;
}

declare global {
  interface Window {
    workshop?: Workshop;
  }
}

// As the image shows it.
document.body.style.font = "16px system-ui, sans-serif";
document.body.style.margin = "0";

window.workshop = {
  async render(id, source, settings) {
    mermaid.initialize(settings);
    const place = document.createElement("div");
    document.body.append(place);
    try {
      return { svg: sanitizeDrawing((await mermaid.render(id, source, place)).svg) };
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error) };
    } finally {
      place.remove();
    }
  },
};
