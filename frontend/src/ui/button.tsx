import { type JSX, splitProps } from "solid-js";
import "./button.css";

export interface ButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: "primary" | "secondary" | "ghost";
  size?: "small" | "normal";
}

export function Button(props: ButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["variant", "size"]);
  return (
    <button
      type="button"
      data-component="button"
      data-variant={own.variant ?? "secondary"}
      data-size={own.size ?? "normal"}
      {...rest}
    />
  );
}
