/** Exports what other features use of this one. */
export { checkPath, isConfigPath } from './check-path.js'
export { isConfigWord, openConfigRun } from './run-config.js'
