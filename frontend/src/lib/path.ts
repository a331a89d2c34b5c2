/** The path with the home folder written as ~. */
export function tilde(path: string, home: string): string {
  if (home === "" || home === "/") return path;
  if (path === home) return "~";
  const separator = path.charAt(home.length);
  return path.startsWith(home) && (separator === "/" || separator === "\\") ? `~${path.slice(home.length)}` : path;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
