/** Apps of tests that write what they count into a folder, one file for each process. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** End of an app that writes `counts` into $COUNTS. Needs renameSync and writeFileSync. */
export const WRITE_COUNTS = `
setInterval(() => {
  const file = process.env.COUNTS + '/' + process.pid
  writeFileSync(file + '.new', JSON.stringify(counts))
  renameSync(file + '.new', file)
}, 50)
`

/**
 * @param {string} folder
 * @returns {Record<string, number>[]} by process
 */
export const readCounts = folder => readdirSync(folder).filter(file => !file.endsWith('.new'))
  .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')))
