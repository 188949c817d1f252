/** Tests that commands, options, experiments and topologies in the docs exist. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { programOf } from '../../bench/cli.js'
import { toHelpText } from '../cli-page.js'
import { parse } from '../../bench/plan/spec.js'
import { loadExperiments, PROJECT, pluginNames } from '../../bench/plan/plugins.js'

const { commands } = await programOf()
const experiments = (await loadExperiments()).map(({ name }) => name)
const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)]

/**
 * Arguments of hopbench by the npm script that runs it, as in `npm run bench -- uds`.
 * @type {Record<string, string[]>}
 */
const SHORT = Object.fromEntries(Object.entries(/** @type {Record<string, string>} */ (scripts)).flatMap(
  ([name, text]) => {
    const words = /^node bench\/bootstrap\.js(?! --then)(.*)$/.exec(text)?.[1]
    return words === undefined ? [] : [[name, words.trim().split(/\s+/).filter(Boolean)]]
  }))

/** A block of code, a line that is indented as code, or a code span. */
const COMMAND = /^ *```.*\n([^]*?)^ *```$|^ {4}(.*)$|`([^`\n]+)`/gm

/**
 * Returns the commands in blocks of code and code spans of a page. A backslash joins two lines.
 * @param {string} text Markdown
 * @returns {string[]}
 */
const typed = text => [...text.replace(/ \\\n\s*/g, ' ').matchAll(COMMAND)]
  .flatMap(([, block, line, span]) => (block ?? line ?? span).split('\n'))
  .map(line => line.trim().replace(/^sudo /, '').split(/\s#|[|>;&]\s/)[0].trim())
  .filter(command => /^(hopbench [a-z<-]|npm run\b|npm test\b)/.test(command) && !command.includes(' ['))

/**
 * Splits a command into words and removes their quotes.
 * @param {string} command
 * @returns {string[]}
 */
const wordsOf = command => [...command.matchAll(/(?:'[^']*'|"[^"]*"|<[^>]*>|[^\s'"])+/g)]
  .map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b))

/**
 * Whether a spec is a placeholder, or a file or an address of the reader.
 * @param {string} spec
 */
const isPlaceholder = spec => /[<…*]|^\.{0,2}\/|^https?:|^\.\.\.$/.test(spec)

/**
 * Returns the first fault in the arguments of `hopbench`, or null.
 * @param {string[]} args
 * @param {string} text of the page
 * @returns {string | null}
 */
function faultIn ([name = '', ...rest], text) {
  if (isPlaceholder(name) || name.startsWith('--')) return null
  const command = commands.find(candidate => candidate.name() === name)
  if (!command) return `no command ${name}`
  const words = []
  for (let i = 0; i < rest.length; i++) {
    if (!/^--?[a-z]/.test(rest[i])) {
      words.push(rest[i])
      continue
    }
    const [flag, value] = rest[i].split('=')
    const option = command.options.find(({ long, short }) => [long, short].includes(flag))
    if (!option && flag !== '--help') return `${name} has no ${flag}`
    if (option?.required && value === undefined) i++
  }
  // Names of apps, as in --app old='node old.js'.
  const apps = rest.flatMap((spec, i) => rest[i - 1] === '--app' ? /^([a-z][\w-]*)=/.exec(spec)?.[1] ?? [] : [])
  return name === 'run' ? words.map(spec => faultInWord(spec, text, apps)).find(Boolean) ?? null : null
}

/**
 * Returns the fault of a spec that is neither an experiment nor a valid topology.
 *
 * Accepts servers and proxies that exist or that the page explains how to write.
 * @param {string} spec
 * @param {string} text of the page
 * @param {string[]} apps names of --app
 */
function faultInWord (spec, text, apps) {
  const isThere = (/** @type {'server' | 'proxy'} */ kind, /** @type {string} */ name) =>
    pluginNames(kind).includes(name) || text.includes(`/${name}.js`)
  const explained = [...text.matchAll(/bench\/experiments\/([\w-]+)\.js/g)].map(([, name]) => name)
  const isExplained = explained.some(name => spec === name || spec.startsWith(`${name}-`))
  if (isPlaceholder(spec) || experiments.includes(spec) || isExplained) return null
  try {
    const { server, proxy } = parse(spec)
    const isOwn = !server || server.name.includes('/') || ['app', ...apps].includes(server.name)
    const isKnown = (isOwn || isThere('server', server.name)) &&
      (!proxy || isThere('proxy', proxy.name))
    return isKnown ? null : `nothing is called ${spec}`
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}

/**
 * Returns the first fault of a command, or null.
 * @param {string} command as typed
 * @param {string} [text] of the page
 * @returns {string | null}
 */
function findFault (command, text = '') {
  const words = wordsOf(command)
  if (words[0] === 'hopbench') return faultIn(words.slice(1), text)
  if (words[1] === 'test') return scripts.test ? null : 'no script test'
  const [name, ...rest] = words.slice(2).filter(spec => spec !== '-s')
  if (name === undefined || isPlaceholder(name)) return null
  if (!scripts[name]) return `no script ${name}`
  return SHORT[name] ? faultIn([...SHORT[name], ...rest.filter(spec => spec !== '--')], text) : null
}

const texts = [
  ...pages.map(page => [page, readFileSync(join(PROJECT, page), 'utf8')]),
  ...commands.map(command => [`hopbench ${command.name()} --help`, `\`\`\`\n${toHelpText(command)}\n\`\`\`\n`])
]
let found = 0
for (const [page, text] of texts) {
  t.test(`${page} names commands that exist`, async t => {
    const named = [...new Set(typed(text))]
    found += named.length
    t.strictSame(named.filter(command => findFault(command, text) !== null), [])
  })
}

t.test('finds commands, options, experiments and topologies that do not exist', async t => {
  t.ok(found > 100, `${found} commands`)
  t.strictSame(typed('hopbench measures\n```sh\nhopbench doctor  # first\n```\n'), ['hopbench doctor'])
  for (const wrong of ['hopbench runn uds', 'hopbench run udss', 'hopbench run uds --bugdet 3m',
    'npm run benchh', 'npm run bench -- nginx:udp/st', 'npm run bench:uds -- --quik']) {
    t.type(findFault(wrong), 'string', wrong)
  }
})
