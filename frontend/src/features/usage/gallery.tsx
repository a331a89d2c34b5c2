import type { JSX } from "solid-js";
import { BudgetBanner } from "./BudgetBanner";
import { UsagePage } from "./UsagePage";

export const galleryEntries: { name: string; component: () => JSX.Element }[] = [
  { name: "Usage: the page", component: () => <UsagePage /> },
  { name: "Usage: a budget is nearly used up", component: () => <BudgetBanner /> },
];
