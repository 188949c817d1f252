/** Tests the definitions of the commands, and the page generated from them. */
import { readFileSync } from 'node:fs'
import t from './support/tap.js'
import { programOf } from '../bench/cli.js'
import { page } from './cli-page.js'

const { commands } = await programOf()

t.test('docs/cli.md matches the definitions of the commands', async t => {
  t.equal(readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8'), await page(),
    'regenerate it with: npm run cli-page')
})

t.test('an option has the same short form in every command', async t => {
  /** @type {Map<string, Set<string>>} */
  const flags = new Map()
  for (const { options } of commands) {
    for (const { short, long } of options) {
      flags.set(String(long), new Set([...flags.get(String(long)) ?? [], short ?? 'none']))
    }
  }
  t.ok(flags.size > 40)
  t.strictSame([...flags].filter(([, forms]) => forms.size > 1).map(([long, forms]) => [long, ...forms]), [])
  const shorts = { '--connections': '-c', '--engine': '-e', '--results': '-o', '--budget': '-d' }
  for (const [long, form] of Object.entries(shorts)) t.strictSame([...flags.get(long) ?? []], [form])
  t.notOk(flags.has('--load'), 'which meant hosts')
})

t.test('prints defaults in parentheses and as they are typed', async t => {
  for (const command of commands) {
    const helper = command.createHelp()
    for (const option of command.options) {
      const text = helper.optionDescription(option)
      t.notMatch(text, /default: 0?\.\d/, `${command.name()} ${option.flags}`)
      t.notMatch(text, /(?<!default): (\d+(%|s|m|ms)?$|\/)/,
        `an example begins with "as in": ${command.name()} ${option.flags}`)
    }
  }
})

t.test('hopbench list prints the arms and contrasts of every experiment', async t => {
  const { default: add } = await import('../bench/features/run/list-command.js')
  const { Command } = await import('commander')
  const program = new Command()
  add(program)
  const { write } = process.stdout
  let text = ''
  process.stdout.write = (/** @type {any} */ chunk) => { text += chunk; return true }
  try {
    await program.parseAsync(['list', '--json'], { from: 'user' })
  } finally {
    process.stdout.write = write
  }
  const { experiments } = JSON.parse(text)
  const uds = experiments.find((/** @type {any} */ { name }) => name === 'uds')
  t.match(uds.arms.find((/** @type {any} */ { name }) => name === 'keepalive'),
    { topology: 'nginx:keepalive/express-json' })
  t.ok(uds.contrasts.some((/** @type {any} */ [arm, baseline]) => arm === 'uds' && baseline === 'tcp'))
  t.ok(experiments.every((/** @type {any} */ { arms, contrasts }) => arms.length > 1 && Array.isArray(contrasts)))
})
