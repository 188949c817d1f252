/** Exports what other features use of this one. */
export { exportOptions, exportsIn, printsExport, writeExports } from './exports.js'
export { RUN_FORMATS, textsOfComparison, textsOfRun } from './formats.js'
