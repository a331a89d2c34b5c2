import { fireEvent, screen } from "@solidjs/testing-library";
import { describe, expect, it, vi } from "vitest";
import { app, draw, host, png, pngHead, prompts } from "./test-composer";

describe("images", () => {
  it("attaches what is pasted, shows it, and takes it off again", async () => {
    const box = await draw();
    fireEvent.paste(box, { clipboardData: { files: [png("shot.png")], types: ["Files"] } });
    await screen.findByAltText("shot.png");
    fireEvent.click(screen.getByRole("button", { name: "Remove shot.png" }));
    expect(screen.queryByAltText("shot.png")).toBeNull();
    expect(box).toHaveFocus();
  });

  it("lets text be pasted as text although a picture of it comes along", async () => {
    const box = await draw();
    const event = fireEvent.paste(box, { clipboardData: { files: [png("cells.png")], types: ["text/plain", "Files"] } });
    expect(event).toBe(true);
    expect(app.state.drafts["s"]?.attachments ?? []).toEqual([]);
  });

  it("sends what was dropped with the text", async () => {
    const box = await draw();
    fireEvent.drop(box, { dataTransfer: { files: [png("a.png")] } });
    await screen.findByAltText("a.png");
    fireEvent.input(box, { target: { value: "what is this?" } });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(host.callsOf("session.prompt")[0]?.attachments).toEqual([{ name: "a.png", mediaType: "image/png", data: btoa(String.fromCharCode(...pngHead)) }]);
  });

  it("takes any other file, by what is in it", async () => {
    const box = await draw();
    fireEvent.drop(box, { dataTransfer: { files: [new File(["words"], "notes.txt", { type: "text/plain" }), new File(["<svg/>"], "fake.png", { type: "image/png" })] } });
    expect(await screen.findByRole("button", { name: "Open notes.txt" })).toBeDisabled();
    expect(app.state.drafts["s"]?.attachments.map((a) => a.mediaType)).toEqual(["text/plain", "application/octet-stream"]);
  });

  it("does not take an empty one", async () => {
    const box = await draw();
    fireEvent.drop(box, { dataTransfer: { files: [new File([], "none.png", { type: "image/png" })] } });
    await vi.waitFor(() => expect(screen.getByRole("status")).toHaveTextContent("none.png is empty"));
    expect(app.state.drafts["s"]?.attachments).toEqual([]);
  });

  it("puts a long text aside, and back into the box", async () => {
    const box = await draw();
    const long = "a line of it\n".repeat(250);
    fireEvent.input(box, { target: { value: "look at " } });
    const event = fireEvent.paste(box, { clipboardData: { files: [], types: ["text/plain"], getData: () => long } });
    expect(event).toBe(false);
    fireEvent.click(screen.getByRole("button", { name: "Open Pasted text, 251 lines" }));
    fireEvent.click(await screen.findByRole("button", { name: "Insert as text" }));
    expect(box.value).toBe(`look at ${long}`);
    expect(app.state.drafts["s"]?.attachments).toEqual([]);
  });

  it("sends a long text as text", async () => {
    const box = await draw();
    const long = "x".repeat(10_001);
    fireEvent.paste(box, { clipboardData: { files: [], types: ["text/plain"], getData: () => long } });
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(prompts()).toEqual([`<pasted-text>\n${long}\n</pasted-text>`]));
    expect(host.callsOf("session.prompt")[0]?.attachments).toEqual([]);
    await vi.waitFor(() => expect(app.state.drafts["s"]?.attachments).toEqual([]));
  });
});
