import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Page } from "../../ui/page";
import { UsagePage } from "./UsagePage";
import "./usage.css";

/** The usage page. */
export function UsagePlace(): JSX.Element {
  const { layout } = useApp();
  return (
    <Page at={layout.at("usage")} into={layout.panel("usage")} title={text().usage.title} about={text().usage.about} width={960}>
      {() => <UsagePage />}
    </Page>
  );
}
