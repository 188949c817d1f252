/** A corpus of the texts that hopbench prints, the commands in it, and the first fault of a command. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { programOf } from '../../bench/cli.js'
import { getErrorMessage } from '../../bench/errors.js'
import { armFrom, planFrom } from '../../bench/request/request.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { suiteSummary } from '../../bench/features/run/suite.js'
import { makeRecord } from './record.js'
import { renderBrief, renderText } from './rendered.js'

/** @import { Command } from 'commander' */
/** @import { RunRecord } from '../../bench/types.js' */

const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
const read = (/** @type {string} */ path) => readFileSync(join(PROJECT, path), 'utf8')
/** Beginnings of a command that starts hopbench in a clone. */
const IN_CLONE = String.raw`npm run (?:-s )?(?:hopbench|bench[\w:]*)(?= |$)`
/** Indent of a command that begins with the name, because a line of prose may begin with it, too. */
const INDENT = '    '
/** A word of the reader's own: a placeholder, a file, a machine, a stored run or an address of the reader. */
const OF_THE_READER = /[<…*{}[]|^\.{0,2}\/|^https?:|^\d{4}-\d\d-\d\d|^results\/|^me@|\.(?:json|m?js|txt|har)$/
/** Options and commands that write into the project or fetch programs again. */
const CHANGES = ['--write', '--refresh', '--update', 'all', 'selftest', 'init']

/** @returns {Promise<Record<string, string>>} texts by kind and name */
export async function listOutputs () {
  // CONTRIBUTING.md names plug-ins that its reader writes; test/recipes.full.test.js runs its commands.
  const pages = ['README.md', 'SECURITY.md',
    ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)]
  const errors = readdirSync(join(PROJECT, 'bench'), { recursive: true, encoding: 'utf8' })
    .filter(file => /^errors\/|\/errors\.js$/.test(file))
  return {
    ...Object.fromEntries(pages.map(page => [`page ${page}`, indentCode(read(page))])),
    ...Object.fromEntries(errors.map(file => [`error ${file}`, joinLiterals(read(`bench/${file}`))])),
    ...await listHelp(),
    ...listReports()
  }
}

/** Indents the blocks of code of a page, so that their lines are not mistaken for prose. @param {string} page */
const indentCode = page =>
  page.replace(/^```.*\n([^]*?)^```$/gm, (_, code) => `\n${code.replace(/^/gm, INDENT)}`)

/** Joins the parts of texts in a module, and replaces values by placeholders. @param {string} code */
const joinLiterals = code => code.replace(/['`] \+\n\s*['`]/g, '').replace(/\$\{[^}]*\}/g, '<value>')
  .replace(/['`] \+\s*[^'`,\n]+/g, '<value>\n').replace(/['`]/g, '\n')
  .replace(/^ +/gm, '')

/** @returns {Promise<Record<string, string>>} */
async function listHelp () {
  const { commands } = await programOf()
  return Object.fromEntries(commands.map(command => {
    let text = ''
    command.configureOutput({ writeOut: part => { text += part } })
    command.outputHelp()
    return [`help ${command.name()}`, text.replace(/^ {2}hopbench /gm, `${INDENT}hopbench `)]
  }))
}

/** @returns {Record<string, string>} */
function listReports () {
  /** @type {Record<string, Partial<RunRecord>>} */
  const records = {
    measured: {},
    'cut off': {
      complete: false,
      ended: null,
      endedAt: null,
      warnings: [
        {
          code: 'cut-off',
          params: { blocks: 2 },
          command: 'npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds'
        },
        { code: 'shared-loopback', params: { why: 'x' }, command: 'npm run hopbench -- doctor' }
      ],
      recommendation: [
        { code: 'not-checked', params: { servers: ['st'] }, command: 'npm run hopbench -- check st sirv' }
      ]
    }
  }
  const texts = Object.entries(records).flatMap(([name, overrides]) => {
    const record = makeRecord(overrides)
    return [[`report ${name}`, renderText(record, { columns: 200 })],
      [`report ${name}, brief`, renderBrief(record, { columns: 200, dir: '/r', target: record.run })]]
  })
  const suite = suiteSummary({
    schema: 1,
    suite: 'suite-2024-05-06T07-08-09Z',
    startedAt: '',
    endedAt: null,
    quick: true,
    entries: []
  }, { dir: '/r', seconds: 1 })
  return { ...Object.fromEntries(texts), 'report suite': suite }
}

/**
 * Returns the commands of a text: from their beginning to the end of the line, of the code span, or of a shell command.
 * @param {string} text
 * @returns {string[]}
 */
export function commandsIn (text) {
  const joined = text.replace(/ \\\n\s*/g, ' ')
  const span = new RegExp(`\`(${IN_CLONE}[^\`\n]*)\``, 'g')
  const line = new RegExp(`(?:^|[:(] |^\\s*(?:sudo )?)(${IN_CLONE}[^\`\n]*)$`, 'gm')
  const named = new RegExp(`^${INDENT}\\s*(?:sudo )?(hopbench [a-z][^\`\n]*)$`, 'gm')
  const found = [span, line, named].flatMap(form => [...joined.matchAll(form)])
  return [...new Set(found.map(([, command]) => cutShell(command)))]
}

/** Cuts a comment, another column, a pipe and a redirection, except in quotes. @param {string} command */
const cutShell = command => /^(?:'[^']*'|"[^"]*"|[^'"])*?(?=\s#|\s\s|\s[|>&]|;\s|$)/.exec(command)?.[0].trim()
  .replace(/(?<=\S)[.,]$/, '') ?? command

/**
 * Returns the words that a shell makes of a command.
 * @param {string} command
 * @returns {string[]}
 */
const toWords = command =>
  [...command.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([spec]) =>
    spec.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped))

/**
 * Returns the arguments of hopbench in a command.
 * @param {string} command
 * @returns {string[] | null} null: package.json has no such script
 */
export function argumentsOf (command) {
  const words = toWords(command).filter(word => word !== '-s')
  if (words[0] === 'hopbench') return words.slice(1)
  const script = /** @type {string | undefined} */ (scripts[words[2]])
  const own = /^node bench\/bootstrap\.js ?(.*)$/.exec(script ?? '')?.[1]
  if (own === undefined || (words.length > 3 && words[3] !== '--')) return null
  return [...own.split(' ').filter(Boolean), ...words.slice(4)]
}

/**
 * Whether a command can be started as it is printed: it has no spec of the reader's own, and changes neither the
 * project nor its programs.
 * @param {string} command
 */
export function isRunnable (command) {
  const argv = argumentsOf(command)
  return argv !== null && argv.length > 0 && !argv.some(spec => OF_THE_READER.test(spec) || CHANGES.includes(spec))
}

/**
 * Parses a command as hopbench does, and plans the run of `run` and the topology of `config` and `up`.
 * @param {string} command
 * @returns {Promise<string | null>} why it is refused; null: it is not
 */
export async function findFault (command) {
  const argv = argumentsOf(command)
  if (argv === null) return 'there is no such script'
  const [name] = argv
  const isUsage = argv.some(word => word.startsWith('['))
  if (isUsage || name === undefined || name.startsWith('-') || OF_THE_READER.test(name)) return null
  const program = await programOf()
  const parsed = program.commands.find(command => command.name() === name)
  if (!parsed) return `there is no command ${name}`
  try {
    return argv.includes('--help') ? null : await planTyped(program, parsed, argv)
  } catch (error) {
    return getErrorMessage(error)
  }
}

/**
 * @param {Command} program
 * @param {Command} command
 * @param {string[]} argv
 * @returns {Promise<null>}
 */
async function planTyped (program, command, argv) {
  command.action(() => {})
  await program.parseAsync(argv, { from: 'user' })
  const { args: words } = command
  const options = /** @type {any} */ (command.opts())
  const { files = [] } = options
  const isOwn = [...words, ...files, ...Object.values(options).filter(value => typeof value === 'string')]
    .some(spec => OF_THE_READER.test(spec))
  if (isOwn || options.resume !== undefined) return null
  if (command.name() === 'run') await planFrom(words, { lab: true, ...options })
  if (command.name() === 'config') await armFrom(words[0], { connections: 100, ...options })
  return null
}
