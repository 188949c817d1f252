import { writeFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { badOption, shellWord } from '../../errors.js'
import { describeFileError } from '../../machine/files/file-failures.js'
import { attempt } from '../../shared/attempt.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { ownCommand } from '../../machine/own-command.js'
import { firstExperiment } from './first-experiment.js'
import { readProjectFile } from '../../request/project-paths.js'
import { appsFrom } from '../../request/user-apps.js'
import { requestFrom } from '../../request/user-request.js'
import { collect } from '../../request/common-options.js'

/** @import { Command } from 'commander' */
/** @import { HopbenchError } from '../../errors.js' */

/** @param {Command} program */
export default program => program.command('init')
  .description('write a commented experiment for your app, from two questions or these options')
  .argument('[file]', 'file to write, which ends in .mjs or .js (default: ./compare.mjs)')
  .option('--app <command>', "command that starts your app: 'npm start'; can be repeated with names: --app old='…'",
    collect)
  .option('--listen <addresses>', "where your app listens: '$PORT', '$SOCKET', '$PORT,$SOCKET' or a port")
  .option('--path <path>', 'path to request (default: /)')
  .option('--method <method>', 'method of the requests (default: GET)')
  .action(async (typed = './compare.mjs', options) => {
    const file = checkedFile(typed)
    const { app, listen } = await askMissing(options)
    // Throws for options that `hopbench run` would reject in the file.
    const apps = appsFrom({ app, listen })
    requestFrom({ method: options.method })
    const run = `${ownCommand()} run ${shellWord(file)} --quick`
    const commonJs = extname(file) === '.js' && !isInEsmPackage(resolve(callerCwd(), file))
    const commands = Object.fromEntries(Object.entries(apps).map(([name, { run }]) => [name, run]))
    const { path = '/', method } = options
    write(file, firstExperiment({ commands, listen, path, method }, { run, commonJs }))
    process.stdout.write(`Wrote ${file}. Read it, then run it:\n  ${run}\n`)
  })

/**
 * Returns the file as a path that `hopbench run` takes for one, not for an experiment.
 *
 * @param {string} file as typed
 * @throws {HopbenchError} bad-option
 */
function checkedFile (file) {
  if (!['.mjs', '.js'].includes(extname(file))) {
    throw badOption('The file of hopbench init', file, 'it is a module, so its name ends in .mjs or .js')
  }
  return /^\.{0,2}\//.test(file) ? file : `./${file}`
}

/**
 * Returns whether Node reads a .js file as an ES module, because the nearest package.json has that type.
 *
 * @param {string} file absolute
 * @returns {boolean}
 */
function isInEsmPackage (file) {
  const folder = dirname(file)
  if (folder === file) return false
  const text = attempt(() => readProjectFile(join(folder, 'package.json')), () => null)
  if (text === null) return isInEsmPackage(folder)
  return attempt(() => JSON.parse(text).type === 'module', () => false)
}

/**
 * Asks on the terminal for the command of the app and, without --listen, for its address. Asks nothing with --app.
 *
 * @param {{ app?: string[], listen?: string }} options
 */
async function askMissing ({ app, listen }) {
  if (app !== undefined) return { app, listen: listen ?? '$PORT' }
  if (!process.stdin.isTTY) {
    throw badOption('hopbench init', undefined, 'there is no terminal for questions, so --app is required')
  }
  // The terminal edits the line itself, so that no sequence that moves its cursor is written.
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  // An iterator keeps lines that arrive before the next question.
  const lines = terminal[Symbol.asyncIterator]()
  const ask = async (/** @type {string} */ question, /** @type {string} */ initial) => {
    terminal.setPrompt(`${question} (${initial}) `)
    terminal.prompt()
    const { value, done } = await lines.next()
    if (!done) return value.trim() || initial
    throw badOption('hopbench init', undefined, 'a question was not answered')
  }
  try {
    return {
      app: await ask('What starts your app?', 'npm start'),
      listen: listen ?? await ask('Where does it listen: $PORT, $SOCKET, or a port?', '$PORT')
    }
  } finally {
    terminal.close()
  }
}

/**
 * Writes the file. Fails if it exists.
 *
 * @param {string} file
 * @param {string} text
 */
const write = (file, text) => attempt(() => writeFileSync(resolve(callerCwd(), file), text, { flag: 'wx' }), error => {
  throw badOption('The file of hopbench init', file, describeFileError(error))
})
