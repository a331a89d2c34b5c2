import { createMemo, createResource, createSignal, type JSX, Show } from "solid-js";
import type { Device, Pairing } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/markdown/CopyButton";
import { ExactText } from "../../ui/exact-text";
import { Segmented } from "./Setting";

const roles = ["all", "answer", "look"] as const;

/** Creates a code to pair one device, and reports when it is paired. */
export function PairDevice(props: { devices: readonly Device[] | undefined; base: string }): JSX.Element {
  const { host } = useApp();
  const [name, setName] = createSignal("");
  const [role, setRole] = createSignal<string>("answer");
  const [pairing, setPairing] = createSignal<(Pairing & { name: string; known: ReadonlySet<string> }) | null>(null);
  const [problem, setProblem] = createSignal("");
  const words = () => text().devices;
  const clock = createMemo(() => new Intl.DateTimeFormat(locale(), { timeStyle: "short" }));

  const link = () => `${props.base}#token=${pairing()?.code ?? ""}`;
  /** The device paired since the code was created. */
  const paired = () => {
    const known = pairing()?.known;
    return known && props.devices?.find((device) => !known.has(device.id))?.name;
  };
  const [drawn] = createResource(
    () => pairing() && link(),
    async (address) => (await import("uqr")).encode(address, { ecc: "M", border: 2 }),
  );
  const path = () =>
    (drawn()?.data ?? []).flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  const local = () => /^https?:\/\/(localhost|127\.|\[::1\])/.test(props.base);

  async function pair(): Promise<void> {
    setProblem("");
    const known = new Set(props.devices?.map(({ id }) => id) ?? []);
    try {
      setPairing({ ...(await host.call("device.pair", { name: name().trim(), role: role() })), name: name().trim(), known });
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }

  return (
    <form
      data-slot="pair"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <div data-slot="fields">
        <label>
          <span>{words().name}</span>
          <input data-component="text-field" required maxLength={60} placeholder={words().nameHint} value={name()} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <div>
          <span id="device-role">{words().role}</span>
          <Segmented labelledBy="device-role" choices={roles.map((id) => ({ id, name: words().roles[id] }))} value={role()} onChange={setRole} />
        </div>
        <Button type="submit" variant="primary">
          {pairing() && !paired() ? words().again : words().pair}
        </Button>
      </div>
      <Show when={problem()}>
        <p data-slot="error" role="alert">
          {problem()}
        </p>
      </Show>
      <p role="status">{paired() && words().paired(paired() ?? "")}</p>
      <Show when={!paired() && pairing()}>
        {(made) => (
          <div data-slot="pairing">
            <svg data-slot="qr" viewBox={`0 0 ${drawn()?.size ?? 1} ${drawn()?.size ?? 1}`} role="img" aria-label={words().code}>
              <path d={path()} />
            </svg>
            <div>
              <p>{words().scan}</p>
              <p data-slot="link">
                <ExactText text={link()} />
              </p>
              <CopyButton text={link} label={words().copy} />
              <p data-slot="about">{words().until(clock().format(made().expiresAt))}</p>
              <Show when={local() || props.base.startsWith("http:")}>
                <p data-slot="about">{local() ? words().local : words().plain}</p>
              </Show>
            </div>
          </div>
        )}
      </Show>
    </form>
  );
}
