/** Exports what other features use of this one. */
export { checkPath, isConfigPath } from './check-path.js'
export { readConfigFacts } from './config-facts.js'
/** Loads the measurement on demand, because a check of a configuration makes none.
 * @type {typeof import('./run-config.js').measureConfig} */
export const measureConfig = async (...run) => (await import('./run-config.js')).measureConfig(...run)
