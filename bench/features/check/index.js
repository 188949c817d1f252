/** Exports what other features use of this one. */
export { serversKind } from './kind.js'
