/** Exports what other features use of this one. */
export { checkPath, isConfigPath } from './check-path.js'
export { readConfigFacts } from './config-facts.js'
/** @type {typeof import('./run-config.js').measureConfig} A check measures nothing. */
export const measureConfig = async (...run) => (await import('./run-config.js')).measureConfig(...run)
