// The contrast of two colors by WCAG 2.2. For tests.

/** An OKLCH color: lightness 0 to 1, chroma, hue in degrees. */
export type Oklch = readonly [number, number, number];

/** The color's relative luminance, clamped to the sRGB gamut. */
function luminance([l, c, h]: Oklch): number {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const cone = (x: number, y: number) => (l + x * a + y * b) ** 3;
  const [long, middle, short] = [cone(0.3963377774, 0.2158037573), cone(-0.1055613458, -0.0638541728), cone(-0.0894841775, -1.291485548)];
  const cut = (x: number) => Math.min(1, Math.max(0, x));
  const red = cut(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short);
  const green = cut(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short);
  const blue = cut(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio, 1 to 21. */
export function contrast(one: Oklch, other: Oklch): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The colors of a block of tokens, by name, for light and dark. */
export function colours(css: string): Record<"light" | "dark", Record<string, Oklch>> {
  const out: Record<"light" | "dark", Record<string, Oklch>> = { light: {}, dark: {} };
  for (const [, name = "", value = ""] of css.matchAll(/(--[\w-]+):\s*light-dark\((.*)\);/g)) {
    const [light, dark] = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)/g)].map(([, l, c, h]): Oklch => [Number(l), Number(c), Number(h)]);
    if (light && dark) {
      out.light[name] = light;
      out.dark[name] = dark;
    }
  }
  return out;
}
