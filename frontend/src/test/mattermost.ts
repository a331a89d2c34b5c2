import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { chatHandlers, noChat } from "../../gallery/chat";
import { session, workspace } from "../../gallery/fixtures";
import type { ChatState, Session } from "../host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../host/fake";

/** The folder of the only session and workspace. */
export const folder = "/home/ada/projects/parley";

/** A host with this Mattermost state. */
export function chatHost(state: ChatState = noChat(), change: Handlers = {}, sessions: Session[] = [session("s1", { title: "Uploads", cwd: folder })]): FakeHost {
  return createFakeHost({
    "session.list": () => ({ sessions, total: sessions.length }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [workspace("w1", folder)] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "model.list": () => ({ models: [] }) as never,
    ...chatHandlers(state, change),
  });
}

export const button = (name: string | RegExp) => screen.getByRole("button", { name });
export const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole("button", { name }));
