/** Finds the files of a project that state how it is deployed, and what an advice takes over from them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shellWord } from '../../errors.js'
import { isFolder, parseJson, readText } from '../../machine/files/system-files.js'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { listing, plural } from '../../shared/format.js'
import { isSecret, textWithoutSecrets } from '../../shared/secrets.js'
import { readConfigFacts } from '../own-config/index.js'

/** @import { OwnFiles } from '../../types.js' */

/** Places of a configuration of nginx in a project. A folder counts if it holds one. */
const CONFIGS = ['nginx.conf', 'nginx', 'conf.d', ...['deploy', 'docker', 'config', 'ops', '.docker'].flatMap(folder =>
  [`${folder}/nginx.conf`, `${folder}/nginx`])]
const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const ECOSYSTEM = ['ecosystem.config.js', 'ecosystem.config.cjs', 'ecosystem.config.json']
/** Limit for loading ecosystem.config.js, which is a module. */
const LOAD_SECONDS = 10
/** Prints the apps of a module of PM2. */
const PRINT_APPS = 'const { apps = [] } = require(require("path").resolve(process.env.MODULE)); ' +
  'process.stdout.write(JSON.stringify(apps))'

/** Facts of one file. app: command that starts the app
 * @typedef {Partial<OwnFiles> & OwnFiles['files'][number] & { app?: string }} Found */

/**
 * @param {string} project folder
 * @param {{ app?: string[] }} options app: as typed
 * @returns {Promise<{ own: OwnFiles, app: string[] | undefined }>} app: as typed, else the one that a file states
 */
export async function findOwnFiles (project, { app }) {
  const isTyped = app !== undefined
  const procfile = readProcfile(project, isTyped)
  const ecosystem = await readEcosystem(project, isTyped || procfile?.app !== undefined)
  const config = findConfig(project)
  const read = [procfile, ecosystem, config, findCompose(project, config), readCaddyfile(project)]
    .filter(found => found !== null)
  const command = read.find(found => found.app !== undefined)?.app
  return {
    app: app ?? (command === undefined ? undefined : [command]),
    own: {
      config: read.find(({ config }) => config)?.config ?? null,
      hosts: read.find(({ hosts }) => hosts?.length)?.hosts ?? [],
      maxBody: read.find(({ maxBody }) => maxBody)?.maxBody ?? null,
      files: read.map(({ file, keeps, drops }) => ({ file, keeps, drops }))
    }
  }
}

/**
 * @param {string} project
 * @param {boolean} isTyped whether --app names the command
 * @returns {Found | null}
 */
function readProcfile (project, isTyped) {
  const lines = readText(join(project, 'Procfile')).matchAll(/^([\w-]+):[ \t]*(\S.*?)[ \t\r]*$/gm)
  const types = [...lines].map(([, type, command]) => ({ type, command }))
  const web = types.find(({ type }) => type === 'web')?.command
  const others = types.filter(({ type }) => type !== 'web').map(({ type }) => `the process type ${type}`)
  if (types.length === 0) return null
  return {
    file: 'Procfile',
    ...web !== undefined && !isTyped && { app: web },
    keeps: web === undefined || isTyped ? [] : [`the start command ${textWithoutSecrets(web)}`],
    drops: [...isTyped && web ? ['its start command, because --app names one'] : [], ...others]
  }
}

/**
 * @param {string} project
 * @param {boolean} isKnown whether the command is known
 * @returns {Promise<Found | null>}
 */
async function readEcosystem (project, isKnown) {
  const file = ECOSYSTEM.find(name => existsSync(join(project, name)))
  if (file === undefined) return null
  const { stdout } = await run([process.execPath, '-e', PRINT_APPS],
    { cwd: project, env: { MODULE: file }, timeoutSeconds: LOAD_SECONDS })
  const [app = {}, ...further] = [parseJson(stdout) ?? []].flat()
  const { script, args = '', instances, env = {}, env_production: production = {}, name: _, ...settings } = app
  const unread = Object.keys(settings).filter(name => /^\w+$/.test(name))
  if (typeof script !== 'string') return { file, keeps: [], drops: ['everything, because it cannot be loaded'] }
  // Values of secrets would be part of the stored command.
  const names = Object.keys({ ...env, ...production }).filter(name => /^\w+$/.test(name) && name !== 'PORT')
  const [kept, secret] = [names.filter(name => !isSecret(name)), names.filter(isSecret)]
  const variables = kept.map(name => `${name}=${shellWord(String({ ...env, ...production }[name]))}`)
  const start = [...variables, 'node', shellWord(script), ...[args].flat().filter(Boolean)].join(' ')
  return {
    file,
    ...!isKnown && { app: start },
    keeps: isKnown
      ? []
      : [`the start command node ${script}`, ...kept.length > 0 ? [`the variables ${listing(kept)}`] : []],
    drops: [
      ...isKnown ? ['its start command, because another one is known'] : [],
      ...secret.length > 0 ? [`the secrets ${listing(secret)}`] : [],
      ...'PORT' in { ...env, ...production } ? ['PORT, which is set for each start'] : [],
      ...unread.length > 0 ? [`the settings ${listing(unread)}`] : [],
      ...further.length > 0 ? [plural(further.length, 'further app')] : [],
      ...instances === undefined ? [] : [`instances: ${instances}, because the number of processes is decided anew`]
    ]
  }
}

/**
 * Finds a configuration of nginx: alone, or as a file that a compose.yaml mounts.
 * @param {string} project
 * @returns {Found | null}
 */
function findConfig (project) {
  for (const name of [...CONFIGS, ...COMPOSE]) {
    if (!existsSync(join(project, name)) || isTemplate(join(project, name))) continue
    const facts = attempt(() => readConfigFacts(name, project), () => null)
    if (facts === null) continue
    const { hosts, maxBody, paths, others } = facts
    const port = COMPOSE.includes(name) ? findPort(readText(join(project, name))) : null
    return {
      file: name,
      config: `./${name}`,
      hosts,
      maxBody,
      keeps: [
        'its configuration, which is measured as you have it',
        ...hosts.length > 0 ? [`the names ${listing(hosts)}`] : [],
        ...maxBody === null ? [] : [`the limit of bodies (${maxBody} MiB)`],
        `the paths ${listing(paths)}`
      ],
      drops: [
        ...port === null ? [] : [`the port ${port}`], ...others, ...COMPOSE.includes(name) ? ['its other services'] : []
      ]
    }
  }
  return null
}

/**
 * Finds a compose.yaml of which nothing is taken over.
 * @param {string} project
 * @param {Found | null} config
 * @returns {Found | null}
 */
function findCompose (project, config) {
  const file = COMPOSE.find(name => name !== config?.file && existsSync(join(project, name)))
  if (file === undefined) return null
  return { file, keeps: [], drops: ['everything, because no configuration is read from it'] }
}

/** Returns whether a script fills in a configuration, as that of a kit. @param {string} path */
const isTemplate = path => /@(?:PORT|RUN)@/.test(readText(path))

/** Returns the first port that a compose.yaml publishes for HTTP. @param {string} text */
const findPort = text => /["']?(?:[\d.]+:)?(\d+):(?:80|443|8080)\b["']?/.exec(text)?.[1] ?? null

/**
 * Reads the addresses and the limit of bodies of a Caddyfile.
 * @param {string} project
 * @returns {Found | null}
 */
function readCaddyfile (project) {
  const name = ['Caddyfile', 'deploy/Caddyfile', 'caddy/Caddyfile'].find(name => existsSync(join(project, name)))
  if (name === undefined || isFolder(join(project, name))) return null
  const text = readText(join(project, name))
  const sites = [...text.matchAll(/^([^\s#{}(][^{}\n]*)\{/gm)].flatMap(([, addresses]) => addresses.split(/[\s,]+/))
  const hosts = sites.map(site => site.replace(/^https?:\/\//, '').replace(/[:/].*$/, '').toLowerCase())
    .filter(host => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host))
  const size = Number(/\bmax_size\s+(\d+)\s*MB/i.exec(text)?.[1])
  return {
    file: name,
    hosts: [...new Set(hosts)],
    maxBody: size > 0 ? size : null,
    keeps: [
      ...hosts.length > 0 ? [`the names ${listing([...new Set(hosts)])}`] : [],
      ...size > 0 ? [`the limit of bodies (${size} MiB)`] : []
    ],
    drops: ['its other directives']
  }
}
