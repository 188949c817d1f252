/**
 * Generates docs/cli.md from the definitions of the commands: `npm run cli-page` writes it, and a test compares it.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { programOf } from '../bench/cli.js'

/** @import { Command, Option } from 'commander' */

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))

const INTRODUCTION = `# The command line

Made from the definitions of the commands by \`npm run cli-page\`; \`--help\` of each says the same. "(default: …)" is
the value where an option is left out, written as you would type it; "as in …" is an example; without either the
option is off.

Exit codes: 0, 1 something failed, 2 the command was wrong, 3 slower than the run it was compared with. An error is a
sentence, what to try, and a code in brackets, which [errors.md](errors.md) lists; with \`--json\` it is printed to the
standard output, too: \`{ "error": { "code", "message", "try" } }\`. Results are kept in \`./results\` of the folder in
which the command is typed (in a clone: of the clone). \`npm run hopbench -- <command>\` works in every clone.
`

/** @returns {Promise<string>} Markdown */
export async function page () {
  const { commands } = await programOf()
  return `${INTRODUCTION}${commands.filter(isVisible).map(section).join('')}`
}

const isVisible = (/** @type {Command} */ command) => !(/** @type {any} */ (command)._hidden)

/** @param {Command} command */
function section (command) {
  const helper = command.createHelp()
  const groups = grouped(helper.visibleOptions(command))
  return [
    '', `## hopbench ${command.name()}`, '', `${upper(command.description())}.`, '', '```',
    `hopbench ${command.name()} ${command.usage()}`, '```', '',
    ...command.registeredArguments.length === 0
      ? []
      : ['| argument | |', '| --- | --- |',
          ...command.registeredArguments.map(argument =>
            row(`\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\``,
              helper.argumentDescription(argument))),
          ''],
    ...[...groups].flatMap(([group, options]) => [
      `| ${cell(group.replace(/:$/, ''))} | |`, '| --- | --- |',
      ...options.map(option => row(`\`${option.flags}\``, helper.optionDescription(option))), ''
    ]),
    ...examplesOf(command)
  ].join('\n')
}

/** @param {Option} option */
const groupOf = option => option.helpGroupHeading ?? 'Options'

/** @param {Option[]} options by the heading of their group */
function grouped (options) {
  /** @type {Map<string, Option[]>} */
  const groups = new Map()
  for (const option of options) {
    if (option.long === '--help') continue
    groups.set(groupOf(option), [...groups.get(groupOf(option)) ?? [], option])
  }
  return groups
}

/**
 * Returns the examples, which help prints below the options.
 * @param {Command} command
 */
function examplesOf (command) {
  /** @type {string[]} */
  const texts = []
  const { emit } = /** @type {any} */ (command)
  emit.call(command, 'afterHelp', { error: false, command, write: (/** @type {string} */ text) => texts.push(text) })
  const text = texts.join('').trim()
  return text === '' ? [] : ['```', text.replace(/^Examples:\n/, ''), '```', '']
}

/**
 * @param {string} flags
 * @param {string} text
 */
const row = (flags, text) => `| ${cell(flags)} | ${cell(text)} |`
const cell = (/** @type {string} */ text) => text.replaceAll('|', '\\|')
const upper = (/** @type {string} */ text) => `${text[0].toUpperCase()}${text.slice(1)}`

/** @returns {Promise<number>} exit code */
export async function main () {
  writeFileSync(PAGE, await page())
  return 0
}
