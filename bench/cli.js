/** Finds and runs the command of a command line. */
import { Command, CommanderError } from 'commander'
import { readFileSync, readdirSync } from 'node:fs'
import { HopbenchError } from './errors.js'

const features = new URL('./features/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
/** File of a command in the folder of its feature. */
const COMMAND = /(?:^|\/)(?:([a-z]+)-)?command\.js$/

/**
 * @param {string[]} argv without node and the script
 * @returns {Promise<number>} exit code: 0, 1 failure, 2 misuse, 3 slower than the baseline
 * @throws {HopbenchError} if the command failed
 */
export async function main (argv) {
  let exit = 0
  const program = await programOf(filesFor(argv[0]), code => { exit = code })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exit
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // --help and --version also end with an exception.
    if (error.exitCode === 0) return 0
    // Without a command, commander has already printed the help.
    if (error.code === 'commander.help') return 2
    const command = program.commands.find(command => command.name() === argv[0])
    throw new HopbenchError('bad-command-line', {
      why: command && isAboutApp(error) ? explainWithoutApp(command.name()) : toSentence(error),
      command: command ? `hopbench ${command.name()}` : 'hopbench'
    })
  }
}

/**
 * Creates the program with its commands.
 *
 * @param {string[]} [files] in features/ (default: all)
 * @param {(code: number) => void} [setExit]
 * @returns {Promise<Command>}
 */
export async function programOf (files = commandFiles(), setExit = () => {}) {
  const program = new Command('hopbench')
    .description('Measures what each hop in front of Node costs.')
    .version(version, '-V, --version')
  for (const file of files) {
    const { default: add } = await import(new URL(file, features).href)
    add(program, setExit)
  }
  for (const command of [program, ...program.commands]) {
    // Errors are printed by bench/bootstrap.js, not by commander.
    command.exitOverride().configureOutput({ outputError: () => {} }).configureHelp({
      argumentDescription: ({ description, required }) => required ? `${description} (required)` : description
    })
  }
  return program
}

/** Returns the files of all commands, sorted by the names of the commands. */
const commandFiles = () => readdirSync(features).flatMap(feature => readdirSync(new URL(`${feature}/`, features))
  .filter(file => COMMAND.test(file)).map(file => `${feature}/${file}`))
  .sort((a, b) => nameOf(a) < nameOf(b) ? -1 : 1)

/**
 * Returns the command of a file: that of its feature for command.js, and list for list-command.js.
 *
 * @param {string} file
 */
const nameOf = file => (COMMAND.exec(file)?.[1] ?? file).split('/')[0]

/**
 * Returns the file of the typed command only, because the others cost memory and time; all files if it is unknown.
 *
 * @param {string | undefined} name
 * @returns {string[]}
 */
export function filesFor (name) {
  const files = commandFiles()
  const file = files.find(file => nameOf(file) === name)
  return file ? [file] : files
}

/** Reasons for which commands that start servers take no --app. */
const WITHOUT_APP = new Map([
  ['all', 'it runs the experiments of hopbench with its own apps; hopbench run uds --app … takes yours'],
  ['selftest', 'it plants known differences in servers of its own']
])

/** @param {CommanderError} error */
const isAboutApp = ({ code, message }) => code === 'commander.unknownOption' && /'--app(=.*)?'/s.test(message)

/** @param {string} command */
const explainWithoutApp = command =>
  `hopbench ${command} has no option --app: ${WITHOUT_APP.get(command) ?? 'it starts no app'}`

/**
 * Converts commander's "error: unknown option '--x'\n(Did you mean --y?)" to one line.
 *
 * @param {CommanderError} error
 */
function toSentence ({ message }) {
  const text = message.replace(/^error: /, '').replace(/\s+/g, ' ').trim()
  return `${text[0].toUpperCase()}${text.slice(1)}`.replace(/\.$/, '')
}
