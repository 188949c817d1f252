/** Reads the files that are part of hopbench. All others are read by plain-files.js. */
import { readFileSync } from 'node:fs'

/** Returns the text of a file of hopbench. @param {string | URL} file */
export const readOwnText = file => readFileSync(file, 'utf8')
