/** Exports what other features use of this one. */
export { checkPath, isConfigPath } from './check-path.js'
export { readConfigFacts } from './config-facts.js'
export { measureConfig } from './run-config.js'
