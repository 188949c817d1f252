/** `npm run types`: checks all types. The exit code is 1 if some are wrong. */
import { execa } from 'execa'
import { fileURLToPath } from 'node:url'

/** TypeScript 7, which is native and ten times as fast. Tools that need its older interface have version 5. */
const TSC = fileURLToPath(new URL('../node_modules/typescript-7/bin/tsc', import.meta.url))
/**
 * Folders with a tsconfig.json. Scripts for browsers are checked against the types of a browser. In test/browser each
 * file has @ts-check, because what it imports is checked with the rest.
 */
const FOLDERS = ['.', 'bench/report/page/browser', 'bench/features/publish/browser', 'bench/features/serve/browser',
  'test/browser']

/** @returns {Promise<number>} exit code */
export async function main () {
  let code = 0
  for (const folder of FOLDERS) {
    const { failed } = await execa(process.execPath, [TSC, '--noEmit', '-p', folder], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      reject: false,
      stdio: 'inherit'
    })
    if (failed) code = 1
  }
  return code
}
