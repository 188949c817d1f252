/** argv → command → exit code. */
import { Command, CommanderError } from 'commander'
import { readFileSync, readdirSync } from 'node:fs'
import { explain } from './errors.js'

const commands = new URL('./commands/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** @param {string[]} argv without node and the script
 * @returns {Promise<number>} exit code: 0, 1 failure, 2 misuse, 3 slower than the baseline */
export async function main (argv) {
  let exit = 0
  const program = new Command('hopbench')
    .description('Measures what each hop in front of Node costs.')
    .version(version, '-V, --version')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
  for (const file of filesFor(argv[0])) {
    const { default: add } = await import(new URL(file, commands).href)
    add(program, (/** @type {number} */ code) => { exit = code })
  }
  for (const command of program.commands) command.exitOverride().showHelpAfterError('(--help shows what it takes)')
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exit
  } catch (error) {
    // Commander has said what is wrong; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { text, exit } = explain(error)
    process.stderr.write(`${process.env.HOPBENCH_DEBUG ? /** @type {Error} */ (error).stack : text}\n`)
    return exit
  }
}

/** Only the command that is called, when it is there: the others would cost memory and time.
 * @param {string | undefined} name @returns {string[]} */
function filesFor (name) {
  const files = readdirSync(commands).filter(file => file.endsWith('.js')).sort()
  return files.includes(`${name}.js`) ? [`${name}.js`] : files
}
