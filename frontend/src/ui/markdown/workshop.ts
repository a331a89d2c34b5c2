// The frame in which diagrams are rendered. The library measures text, so it needs a page, and it writes inline styles,
// which the main page does not allow. Here it may, but it can reach nothing else: see the frame's own content security
// policy.

import mermaid, { type MermaidConfig } from "mermaid";
import { sanitizeDrawing } from "./sanitize";

/** The frame's interface for the page. */
export interface Workshop {
  /** Renders a diagram as an SVG file that is safe as an image, null if it is empty; or returns the error. */
  render(id: string, source: string, settings: MermaidConfig): Promise<{ svg: string | null } | { why: string }>;
}

declare global {
  interface Window {
    workshop?: Workshop;
  }
}

// The same font as in the image.
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
