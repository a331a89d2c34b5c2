import { $PROXY } from "solid-js";

/**
 * Reads props of which some are functions that compute their value; see compile-props.ts for the reason. Solid's props
 * helpers accept them: they are reactive, and their names can be listed.
 */
export function provided(lazy: readonly string[]): ProxyHandler<Record<PropertyKey, unknown>> {
  const names = new Set<PropertyKey>(lazy);
  const read = (props: Record<PropertyKey, unknown>, name: PropertyKey) => {
    const value = props[name];
    return names.has(name) ? (value as () => unknown)() : value;
  };
  return {
    get: (props, name, proxy) => (name === $PROXY ? proxy : read(props, name)),
    has: (props, name) => name === $PROXY || name in props,
    getOwnPropertyDescriptor: (props, name) =>
      Object.hasOwn(props, name) ? { configurable: true, enumerable: true, get: () => read(props, name) } : undefined,
  };
}
