/** Exports what other features use of this one. */
export { exportOptions, exportsIn, printsExport, writeExports } from './exports.js'
export { RUN_FORMATS, textsOfRun } from './formats.js'
