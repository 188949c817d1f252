/** Node's own permission model, as arguments of node (pure). */

/** By its present name, and by the one that it had up to Node 22. */
const NAMES = ['--permission', '--experimental-permission']

// Null: there is none. flags: those that this Node knows.
/** @param {{ readonly: string[], writable: string[], flags: { has: (flag: string) => boolean } }} options */
export function permissionArguments ({ readonly, writable, flags }) {
  const name = NAMES.find(name => flags.has(name))
  if (name === undefined) return null
  return [
    name,
    // Where it speaks of the network too, a server could not listen without it.
    ...flags.has('--allow-net') ? ['--allow-net'] : [],
    ...[...readonly, ...writable].map(path => `--allow-fs-read=${path}`),
    ...writable.map(path => `--allow-fs-write=${path}`),
    // It warns of being experimental; that belongs in no log in which a failed start is looked for.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning'
  ]
}
