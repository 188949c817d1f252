/**
 * Returns an object with a computed value for each key.
 *
 * @type {<const Key extends string, Value>(keys: readonly Key[], getValue: (key: Key) => Value) => Record<Key, Value>}
 */
export const toRecord = (keys, getValue) =>
  /** @type {any} */ (Object.fromEntries(keys.map(key => [key, getValue(key)])))

/** Roles that use CPU time. */
export const ROLES = /** @type {const} */ (['load', 'proxy', 'server'])

/** Kinds of requests to an app whose files are known: to the app itself, and for a file. */
export const REQUEST_KINDS = /** @type {const} */ (['app', 'files'])

/** Kinds of errors. */
export const ERROR_KINDS = /** @type {const} */ (['non2xx', 'timeouts', 'resets', 'mismatches'])
