/** Finds what a command starts through the scripts of package.json, and what of it no platform can run. */
import { existsSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { shellWord } from '../../../errors.js'
import { toStart } from '../../../request/frameworks.js'
import { readManifest } from '../../../request/project-paths.js'
import { attempt } from '../../../shared/attempt.js'

/**
 * A command of a script. script: its name; null: the command that was typed; env: assignments before the program;
 * inherited: those of commands that start its script, and exported ones
 * @typedef {{ script: string | null, text: string, env: Record<string, string>, program: string, args: string[],
 *   isBackground: boolean, inherited: Record<string, string> }} Started
 */
/**
 * A part of a command that fails on a platform, or is not meant for it. isFatal: the app does not start there, or no
 * client reaches it
 * @typedef {{ why: string, remedy: string, isFatal: boolean }} Unfit
 */

/** Scripts that start others, which is the depth up to which they are followed. */
const MAX_DEPTH = 5
/** A program that starts a script of package.json by its name. */
const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun']
/** Programs that start the command behind them. */
const WRAPPERS = ['cross-env', 'cross-env-shell', 'env', 'exec', 'npx', 'nohup', 'dotenv', 'env-cmd', 'dumb-init']
/** Options of package managers for another folder, whose scripts are not read. */
const ELSEWHERE = /^(?:-w|--workspaces?|--prefix|--filter|-F|-C|--dir|--cwd|-r|--recursive)(?:=|$)/
/** Separators of commands, outside quotes. */
const SEPARATOR = /&&|\|\||;|\||&/g
/** Redirections with a sign that also separates commands, as it does in the "&>" of Bash, which sh does not know. */
const REDIRECTION = /\d*[<>]&[\d-]+/g
/** Quoted texts, in which no character separates commands. */
const QUOTED = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./g
const WORD = /(?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+/g
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s
/** Packages of programs with other names. Installed ones are found by their link. @type {Record<string, string>} */
const PACKAGES = {
  tsc: 'typescript',
  ng: '@angular/cli',
  nest: '@nestjs/cli',
  'vue-cli-service': '@vue/cli-service',
  'babel-node': '@babel/node',
  'react-router-serve': '@react-router/serve',
  'remix-serve': '@remix-run/serve',
  'run-s': 'npm-run-all',
  'run-p': 'npm-run-all'
}
/** Commands that watch files, or serve for development. */
const DEVELOPMENT = [
  /^(?:nodemon|node-dev|ts-node-dev|webpack-dev-server)\b/, /^tsx watch\b/,
  /^(?:node|bun|deno|tsx|nest)\b.* --?watch\b/,
  /^(?:next|nuxt|nuxi|astro|remix|react-router|svelte-kit|vinxi|nitro|strapi) dev(?:elop)?\b/,
  /^vite(?: (?:dev|serve)\b| -|$)/, /^ng serve\b/, /^webpack serve\b/, /^react-scripts start\b/,
  /^vue-cli-service serve\b/
]
/** Programs that start scripts of several workspaces. */
const OF_WORKSPACES = ['turbo', 'nx', 'lerna']
/** Commands whose process ends while their server goes on. */
const DAEMONS = [/^pm2 (?:start|restart|reload|resurrect)\b(?!.* --no-daemon)/, /^forever start\b/]
/** Remedy for a preview of Vite, which serves a built app. */
const OTHER_PREVIEW = 'Let nginx serve the files: nginx/files --root ./dist.'
/** Options with which programs take their port. */
const PORT_OPTION = /^(?:--port|-p|--listen|-l)(?:=(.*))?$|^-[pl](\d+)$/

/**
 * Lists the commands that a command carries out, with those of the scripts that it starts.
 * @param {string} run
 * @param {Record<string, any>} manifest package.json
 * @param {{ script?: string | null, depth?: number, inherited?: Started['inherited'], added?: string[] }} [place]
 *   script: in which it is; added: words that a package manager adds at its end
 * @returns {Started[]}
 */
export function listStarted (run, { scripts = {} }, { script = null, depth = 0, inherited = {}, added = [] } = {}) {
  const commands = splitCommands(run)
  return commands.flatMap(({ text, isBackground }, i) => {
    const { args, ...parsed } = parseCommand(text)
    if (parsed.program === 'export') {
      const exported = args.map(word => ASSIGNMENT.exec(word)?.slice(1) ?? [word, ''])
      inherited = { ...inherited, ...Object.fromEntries(exported) }
      return []
    }
    const isLast = i === commands.length - 1
    const started = { script, isBackground, inherited, ...parsed, args: isLast ? [...args, ...added] : args }
    const name = findScriptName(started)
    if (name === null || depth >= MAX_DEPTH) return [started]
    const own = [`pre${name}`, name].filter(name => typeof scripts[name] === 'string')
    if (!own.includes(name)) return [started]
    const place = { depth: depth + 1, inherited: { ...inherited, ...started.env } }
    return own.flatMap(script => listStarted(scripts[script], { scripts },
      { ...place, script, added: script === name ? listAdded(started, name) : [] }))
  })
}

/**
 * Lists the words that a package manager adds to the command of a script.
 * @param {Pick<Started, 'program' | 'args'>} started
 * @param {string} name of the script
 */
function listAdded ({ program, args }, name) {
  const from = args.indexOf('--')
  if (from >= 0) return args.slice(from + 1)
  // npm takes options without "--" for its own.
  return program === 'npm' ? [] : args.slice(args.indexOf(name) + 1)
}

/**
 * Returns the script that a command starts.
 * @param {Pick<Started, 'program' | 'args'>} started
 * @returns {string | null} null: it starts a program
 */
export function findScriptName ({ program, args }) {
  if (!MANAGERS.includes(program) || args.some(word => ELSEWHERE.test(word))) return null
  const [first, second = null] = args.filter(word => !word.startsWith('-'))
  return ['run', 'run-script'].includes(first) ? second : first === 'start' ? first : null
}

/** Replaces a text by one of the same length in which no sign separates commands. @param {string} text */
const hide = text => 'x'.repeat(text.length)

/** Hides the quoted texts of a command. @param {string} run */
export const hideQuoted = run => run.replace(QUOTED, hide)

/** Splits a command for sh. @param {string} run */
function splitCommands (run) {
  const masked = hideQuoted(run).replace(REDIRECTION, hide)
  const parts = []
  let start = 0
  for (const { 0: separator, index } of [...masked.matchAll(SEPARATOR), { 0: '', index: run.length }]) {
    parts.push({ text: run.slice(start, index).trim(), isBackground: separator === '&' })
    start = index + separator.length
  }
  return parts.filter(({ text }) => text !== '')
}

/** Reads the program of a command, behind assignments and wrappers. @param {string} text */
function parseCommand (text) {
  const words = [...text.matchAll(WORD)].map(([word]) => word.replace(/(['"])(.*)\1$/s, '$2'))
  /** @type {Record<string, string>} */
  const env = {}
  let at = 0
  for (; at < words.length - 1; at++) {
    const [, name, value] = ASSIGNMENT.exec(words[at]) ?? []
    if (name !== undefined) env[name] = value
    else if (!WRAPPERS.includes(words[at]) && !(at > 0 && words[at].startsWith('-'))) break
  }
  return { text, env, program: words[at].replace(/^(?:.*\/)?node_modules\/\.bin\//, ''), args: words.slice(at + 1) }
}

/**
 * Lists what of a command fails on a platform.
 * @param {string} run
 * @param {{ project: string, hasProductionPackages: boolean, way: 'tcp' | 'unix' | number, build?: string }} kit
 *   hasProductionPackages: packages for development are removed; way: where the app of the kit listens; build: command
 *   that builds the app in the image
 * @returns {Unfit[]}
 */
export function findUnfit (run, { project, hasProductionPackages, way, build }) {
  const manifest = readManifest(project)
  const all = listStarted(run, manifest)
  const app = { project, manifest, server: all[all.length - 1], build }
  return all.flatMap(started => [
    ...findDaemon(started),
    ...hasProductionPackages ? findMissingPackage(started, app) : [],
    ...findDevelopment(started, app),
    ...findPort(started, { way, server: app.server })
  ])
}

/** @param {Started} started */
const toPlace = ({ script, text }) => script === null ? `the command "${text}"` : `"${text}" of the script ${script}`

/**
 * @param {Started} started
 * @returns {Unfit[]}
 */
function findDaemon (started) {
  const { program, isBackground } = started
  if (!isBackground && !DAEMONS.some(form => form.test(toCommand(started)))) return []
  return [{
    why: `${toPlace(started)} runs in the background, and a platform ends a container or a unit with its first process`,
    remedy: program === 'pm2'
      ? "Start the server itself, as in --app 'node server.js', or take pm2-runtime in place of pm2 start."
      : "Start the server in the foreground, as in --app 'node server.js'.",
    isFatal: true
  }]
}

/**
 * @param {Started} started
 * @param {{ project: string, manifest: Record<string, any>, server: Started, build?: string }} app server: what is
 *   started last
 * @returns {Unfit[]}
 */
function findMissingPackage (started, { project, manifest, server, build }) {
  const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = manifest
  const { program } = started
  const name = [findLinked(project, program), PACKAGES[program], program].find(name => name && name in devDependencies)
  if (name === undefined || name in dependencies || name in optionalDependencies) return []
  return [{
    why: `${toPlace(started)} needs ${name}, a package for development, which is not in an image`,
    remedy: started === server
      ? `${isPreview(started) ? OTHER_PREVIEW : toServer(started, { manifest, build })} ` +
        `Or keep it: npm install --save-prod ${name}.`
      : `Start what the image has built: ${build ? '' : "--build 'npm run build' "}--app ${shellWord(server.text)}.`,
    isFatal: true
  }]
}

/** @param {Started} started */
const toCommand = ({ program, args }) => [program, ...args].join(' ')

/** @param {Started} started */
const isPreview = started => toCommand(started).startsWith('vite preview')

/**
 * Advises to start the server that a command for development runs.
 * @param {Started} started
 * @param {{ manifest: Record<string, any>, build?: string }} app manifest: package.json; build: command that builds the
 *   app in the image
 */
function toServer ({ program, args }, { manifest, build }) {
  if (OF_WORKSPACES.includes(program)) {
    return "Start the server of its workspace itself, as in --app 'npm start --workspace web'."
  }
  const file = args.find(word => /\.[cm]?js$/.test(word))
  if (file) return `Start the server itself: --app ${shellWord(`node ${file}`)}.`
  const before = manifest.scripts?.build
    ? "Build the app (--build 'npm run build'), and start"
    : 'Add a script build to package.json that compiles the app, and start'
  const start = shellWord(toStart(manifest, 'node dist/server.js'))
  return `${build ? 'Start' : before} what is built, as in --app ${start}.`
}

/**
 * Returns the package that installed a program.
 * @param {string} project
 * @param {string} program
 */
function findLinked (project, program) {
  const link = join(project, 'node_modules', '.bin', program)
  if (program.includes(sep) || !existsSync(link)) return undefined
  const [, path = ''] = attempt(() => realpathSync(link), () => '').split(`${sep}node_modules${sep}`)
  return /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}

/**
 * @param {Started} started
 * @param {{ manifest: Record<string, any>, build?: string }} app as toServer() takes it
 * @returns {Unfit[]}
 */
function findDevelopment (started, app) {
  if (isPreview(started)) {
    return [{
      why: `${toPlace(started)} sends status 403 to every host that the configuration of Vite does not name`,
      remedy: `${OTHER_PREVIEW} Or name the host in Vite's preview.allowedHosts.`,
      isFatal: false
    }]
  }
  if (!DEVELOPMENT.some(form => form.test(toCommand(started)))) return []
  return [{
    why: `${toPlace(started)} is for development: it watches files, restarts, or compiles while it serves`,
    remedy: toServer(started, app),
    isFatal: false
  }]
}

/**
 * @param {Started} started
 * @param {{ way: 'tcp' | 'unix' | number, server: Started }} app server: what is started last
 * @returns {Unfit[]}
 */
function findPort (started, { way, server }) {
  const { env, args, inherited } = started
  const at = args.findIndex(word => PORT_OPTION.test(word))
  const [, afterSign, joined] = PORT_OPTION.exec(args[at] ?? '') ?? []
  const option = at < 0 ? undefined : afterSign ?? joined ?? args[at + 1]
  const ofServer = started === server ? inherited.PORT : undefined
  const port = [env.PORT, ofServer, option].find(text => /^\d{2,5}$/.test(text ?? ''))
  if (port === undefined || Number(port) === way) return []
  return [{
    why: `${toPlace(started)} sets port ${port}, and the kit chooses the port where the app listens`,
    remedy: `Remove the port from the script, so that $PORT decides, or name it: --listen ${port}, behind nginx.`,
    isFatal: true
  }]
}
