import { type JSX } from "solid-js";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { RoomsModel } from "./model";
import { plain, roomName } from "./words";

/** Confirmations for actions that can't be undone or affect others. */
export function Questions(props: { model: RoomsModel }): JSX.Element {
  const { model } = props;
  const words = () => text().rooms;
  const asked = stable(model.question);
  const kick = () => {
    const one = asked();
    return one?.kind === "kick" ? one.member : null;
  };
  const room = stable(model.current);
  const title = () => {
    const member = kick();
    if (member) return words().kick.question(plain(member.nick));
    return room() ? words().delete.question(roomName(room(), model.me())) : "";
  };
  const others = () => (room()?.members ?? []).filter((m) => m.id !== model.me()).length;

  function act(): void {
    const member = kick();
    model.ask(null);
    if (member) void model.kick(member);
    else void model.remove();
  }

  return (
    <Dialog
      open={model.question() !== null}
      onOpenChange={(open) => !open && model.ask(null)}
      title={title()}
      footer={
        <>
          <Button data-autofocus="" onClick={() => model.ask(null)}>
            {kick() ? words().kick.no : words().delete.no}
          </Button>
          <Button variant="ghost" data-danger="" onClick={act}>
            {kick() ? words().kick.yes : words().delete.yes}
          </Button>
        </>
      }
    >
      <p data-slot="description">{kick() ? words().kick.about : words().delete.questionAbout(others())}</p>
    </Dialog>
  );
}
