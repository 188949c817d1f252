import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { badOption, shellWord } from '../errors.js'
import { describeFileError } from '../machine/file-failures.js'
import { attempt } from '../shared/attempt.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { firstExperiment } from '../studies/first-experiment.js'
import { commandFrom, requestFrom } from '../studies/own-request.js'

/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('init')
  .description('write a commented experiment for your app, from two questions or these options')
  .argument('[file]', 'file to write (default: ./compare.js)')
  .option('--app <command>', "command that starts your app: 'npm start'")
  .option('--listen <addresses>', "where your app listens: '$PORT', '$SOCKET', '$PORT,$SOCKET' or a port")
  .option('--path <path>', 'path to request (default: /)')
  .option('--method <method>', 'method of the requests (default: GET)')
  .action(async (file = './compare.js', options) => {
    const { app, listen } = await askMissing(options)
    // Throws for options that `hopbench run` would reject in the file.
    commandFrom({ app, listen })
    requestFrom({ method: options.method })
    write(file, firstExperiment({ command: app, listen, path: options.path ?? '/', method: options.method }))
    process.stdout.write(`Wrote ${file}. Read it, then run it:\n  hopbench run ${shellWord(file)} --quick\n`)
  })

/**
 * Asks on the terminal for the command of the app and, without --listen, for its address. Asks nothing with --app.
 *
 * @param {{ app?: string, listen?: string }} options
 */
async function askMissing ({ app, listen }) {
  if (app !== undefined) return { app, listen: listen ?? '$PORT' }
  if (!process.stdin.isTTY) {
    throw badOption('hopbench init', undefined, 'there is no terminal for questions, so --app is required')
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
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
