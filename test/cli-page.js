/**
 * Generates docs/cli.md from the definitions of the commands: `npm run cli-page` writes it, and a test compares it.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { programOf } from '../bench/cli.js'
import { RUN_FORMATS } from '../bench/features/compare/formats.js'
import { capitalize } from '../bench/shared/format.js'
import { groupBy } from '../bench/shared/group-by.js'

/** @import { Argument, Command } from 'commander' */

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))

const INTRODUCTION = `# The command line

Generated from the definitions of the commands by \`npm run cli-page\`, as \`--help\` prints them.
"(default: …)" is the value where an option is left out; "as in …" is an example; without either the option is off. In a
clone a command is \`npm run hopbench -- <command>\`.

Exit codes: 0, 1 failure, 2 wrong usage, 3 slower than the baseline. An error has a code in brackets
([errors.md](errors.md)). Progress and errors go to stderr. With \`--json\` an error is also printed to stdout:
\`{ "error": { "code", "message", "try" } }\`. Results are kept in \`./results\` of the folder where the command is
typed, in a clone in that of the clone.

Options after *Also* are [described at the end](#options-of-several-commands); *exports* are all options
\`--export-…\`. \`--help\` also prints examples.
`

/** @returns {Promise<string>} Markdown */
export async function page () {
  const { commands } = await programOf()
  const visible = commands.filter(isVisible)
  const options = groupBy(visible.flatMap(toOptions), ({ row }) => row)
  const repeated = groupBy([...options.values()].filter(({ length }) => length > 1), ([{ long }]) => long)
  // An option whose text differs between commands stays with each of them.
  const shared = new Set([...repeated.values()].flatMap(texts => texts.length === 1 ? texts[0][0].row : []))
  return [INTRODUCTION, ...visible.map(command => toSection(command, shared)),
    `\n## Options of several commands\n\n${[...shared].sort().join('\n')}\n`].join('')
}

const isVisible = (/** @type {Command} */ command) => !(/** @type {any} */ (command)._hidden)

/** Returns the options of a command without --help. @param {Command} command */
function toOptions (command) {
  const helper = command.createHelp()
  return helper.visibleOptions(command).filter(({ long }) => long !== '--help').map(option => ({
    group: option.helpGroupHeading ?? '',
    long: option.long,
    row: `- \`${option.flags}\`: ${helper.optionDescription(option)}`
  }))
}

/**
 * @param {Command} command
 * @param {Set<string>} shared rows of options that several commands have
 */
function toSection (command, shared) {
  const helper = command.createHelp()
  const options = toOptions(command)
  const own = groupBy(options.filter(({ row }) => !shared.has(row)), ({ group }) => group)
  const others = options.filter(({ row }) => shared.has(row)).map(({ long }) => `\`${long}\``)
  const hasAll = others.filter(isExport).length === Object.keys(RUN_FORMATS).length
  const also = [...new Set(others.map(name => hasAll && isExport(name) ? '*exports*' : name))]
  const toName = (/** @type {Argument} */ argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
  return [
    '', `## hopbench ${command.name()}`, '', `${capitalize(command.description())}.`, '',
    ...command.registeredArguments.map(argument =>
      `- \`${toName(argument)}\`: ${helper.argumentDescription(argument)}`),
    ...[...own].flatMap(([group, options]) => [...group ? ['', group, ''] : [], ...options.map(({ row }) => row)]),
    '',
    ...also.length > 0 ? [`Also: ${also.join(', ')}.`, ''] : [],
    ...notesOf(command)
  ].join('\n').replace(/\n{3,}/g, '\n\n')
}

const isExport = (/** @type {string} */ name) => name.startsWith('`--export-')

/**
 * Returns the text that help prints below the options.
 * @param {Command} command
 */
export function toHelpText (command) {
  /** @type {string[]} */
  const texts = []
  const { emit } = /** @type {any} */ (command)
  emit.call(command, 'afterHelp', { error: false, command, write: (/** @type {string} */ text) => texts.push(text) })
  return texts.join('').trim()
}

/**
 * Returns the help text without its examples.
 * @param {Command} command
 */
function notesOf (command) {
  const text = toHelpText(command).replace(/^Examples:\n(?: {2}.*\n?)*/, '').trim()
  return text === '' ? [] : [text, '']
}

/** @returns {Promise<number>} exit code */
export async function main () {
  writeFileSync(PAGE, await page())
  return 0
}
