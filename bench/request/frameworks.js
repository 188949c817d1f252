/**
 * Frameworks for Node: how package.json shows them, what they build, and what an app behind a proxy needs (pure).
 * Sources: their documentation, and the code of their servers for Node.
 */

/** @import { FilePrefix } from '../types.js' */

/**
 * Setting with which an app takes the scheme and the address of clients from the proxy in front. line: by number of
 * proxies; pattern: of code or variables that have the setting; uses: of code that needs it (left out: all code does).
 *
 * @typedef {{ line: (proxies: number) => string, pattern: RegExp, uses?: RegExp }} Trust
 */

/**
 * @typedef {object} Framework
 * @property {string[]} packages of which package.json has one
 * @property {string} title
 * @property {RegExp} [scripts] of a script that builds or starts the app with it
 * @property {string} [adapter] package without which its build makes no server for Node
 * @property {string} [start] command of the built app
 * @property {FilePrefix[]} [files] folders that it builds for browsers, relative to the project. NAME is that of the
 *   project. The prefix of the whole site is empty.
 * @property {string} [listens] line with which the app listens on all addresses
 * @property {boolean} [holdsServer] whether its packages or build hold the server, so that no code of the app closes it
 * @property {string} [ends] line with which the app finishes its requests after SIGTERM
 * @property {Trust} [trust] left out: the framework has no such setting
 */

/**
 * Returns a folder of the whole site, and the folder in it whose files have hashes in their names.
 * @param {string} folder
 * @param {string} hashed prefix
 * @returns {FilePrefix[]}
 */
const site = (folder, hashed) => [{ prefix: '', folder }, { prefix: hashed, folder: `${folder}${hashed}` }]

/**
 * @param {Trust['pattern']} pattern
 * @param {Trust['line']} line
 * @param {RegExp} [uses]
 * @returns {Trust}
 */
const trusting = (pattern, line, uses) => ({ pattern, line, ...uses && { uses } })

/** Takes the scheme from the proxy by default, and the address on demand. */
const H3_TRUST = trusting(/xForwardedFor/, () => 'getRequestIP(event, { xForwardedFor: true })', /\bgetRequestIP\(/)
/** Patterns of the settings of Express and Fastify. */
const TRUSTS = /trust proxy|trustProxy/
const EXPRESS_TRUST = trusting(TRUSTS, proxies => `app.set('trust proxy', ${proxies})`)
/** The servers of React Router and Remix have no setting. @param {string} adapter */
const serverTrust = adapter => trusting(TRUSTS, proxies =>
  `${EXPRESS_TRUST.line(proxies)}, in a server of your own with ${adapter}`)
const NITRO_FILES = '.output/public'
const NITRO = { start: 'node .output/server/index.mjs', holdsServer: true, listens: 'HOST=0.0.0.0', trust: H3_TRUST }

/** The most specific first, because a framework depends on others. @type {Framework[]} */
export const FRAMEWORKS = [
  {
    packages: ['next'],
    title: 'Next.js',
    scripts: /\bnext (?:build|start)\b/,
    start: 'next start',
    files: [{ prefix: '/_next/static', folder: '.next/static' }],
    listens: 'HOSTNAME=0.0.0.0',
    holdsServer: true
  },
  { ...NITRO, packages: ['nuxt'], title: 'Nuxt', scripts: /\bnux[ti] build\b/, files: site(NITRO_FILES, '/_nuxt') },
  {
    packages: ['@sveltejs/kit'],
    title: 'SvelteKit',
    adapter: '@sveltejs/adapter-node',
    start: 'node build',
    files: site('build/client', '/_app'),
    listens: 'HOST=0.0.0.0',
    trust: trusting(/\b(?:PROTOCOL_HEADER|ORIGIN)=/, proxies => 'PROTOCOL_HEADER=x-forwarded-proto ' +
      `HOST_HEADER=x-forwarded-host ADDRESS_HEADER=x-forwarded-for XFF_DEPTH=${proxies}, in the environment of the app`)
  },
  {
    packages: ['astro'],
    title: 'Astro',
    scripts: /\bastro build\b/,
    adapter: '@astrojs/node',
    start: 'node dist/server/entry.mjs',
    holdsServer: true,
    files: site('dist/client', '/_astro'),
    listens: 'HOST=0.0.0.0',
    trust: trusting(/\ballowedDomains\b/, () =>
      "security: { allowedDomains: [{ hostname: 'example.com', protocol: 'https' }] }, in astro.config.mjs")
  },
  {
    ...NITRO,
    packages: ['@tanstack/react-start', '@tanstack/solid-start'],
    title: 'TanStack Start',
    adapter: 'nitro',
    files: site(NITRO_FILES, '/assets'),
    trust: { ...H3_TRUST, line: () => 'getRequestIP({ xForwardedFor: true })' }
  },
  ...[
    { name: 'react-router', title: 'React Router', scripts: /\breact-router build\b/ },
    { name: 'remix', title: 'Remix', scripts: /\bremix (?:vite:)?build\b/, scope: '@remix-run' }
  ].map(({ name, title, scripts, scope = `@${name}` }) => ({
    packages: [`${scope}/dev`, `${scope}/serve`],
    title,
    scripts,
    start: `${name}-serve build/server/index.js`,
    holdsServer: true,
    files: site('build/client', '/assets'),
    listens: 'HOST=0.0.0.0',
    trust: serverTrust(`${scope}/express`)
  })),
  {
    packages: ['@angular/ssr'],
    title: 'Angular SSR',
    start: 'node dist/NAME/server/server.mjs',
    files: [{ prefix: '', folder: 'dist/NAME/browser' }],
    trust: trusting(/\ballowedHosts\b|\bNG_ALLOWED_HOSTS\b/, () => 'NG_ALLOWED_HOSTS=example.com ' +
      'NG_TRUST_PROXY_HEADERS=x-forwarded-host,x-forwarded-proto, in the environment of the app')
  },
  {
    packages: ['@adonisjs/core'],
    title: 'AdonisJS',
    scripts: /\bace build\b/,
    start: 'node build/bin/server.js',
    files: [{ prefix: '/assets', folder: 'build/public/assets' }],
    listens: 'HOST=0.0.0.0',
    trust: trusting(/\btrustProxy\b/, proxies =>
      `trustProxy: (address, distance) => distance < ${proxies}, in http of config/app.ts`)
  },
  {
    packages: ['@nestjs/core'],
    title: 'Nest',
    scripts: /\bnest build\b/,
    start: 'node dist/main.js',
    ends: 'app.enableShutdownHooks()',
    trust: EXPRESS_TRUST
  },
  {
    ...NITRO,
    packages: ['nitro', 'nitropack'],
    title: 'Nitro',
    scripts: /\bnitro(?:pack)? build\b/,
    files: site(NITRO_FILES, '/assets')
  },
  { packages: ['json-server'], title: 'json-server', holdsServer: true },
  { packages: ['node-red'], title: 'Node-RED', holdsServer: true },
  {
    packages: ['fastify'],
    title: 'Fastify',
    listens: "app.listen({ port, host: '0.0.0.0' })",
    ends: "process.on('SIGTERM', () => app.close())",
    trust: trusting(TRUSTS, proxies => `Fastify({ trustProxy: ${proxies} })`)
  },
  {
    packages: ['hono'],
    title: 'Hono',
    trust: trusting(/x-forwarded-/i, () => "c.req.header('x-forwarded-proto')", /\breq\.url\b|getConnInfo/)
  },
  {
    packages: ['koa'],
    title: 'Koa',
    trust: trusting(/\bproxy\s*[:=]\s*true\b/, proxies => `new Koa({ proxy: true, maxIpsCount: ${proxies} })`)
  },
  { packages: ['express'], title: 'Express', trust: EXPRESS_TRUST },
  { packages: ['h3'], title: 'h3', trust: H3_TRUST },
  { packages: ['vite'], title: 'Vite' }
]

/** Folders into which tools of Node build an app. Git usually ignores them. */
export const BUILD_OUTPUT = ['dist', 'build', 'out', '.next', '.nuxt', '.output', '.svelte-kit']

/**
 * Finds the framework of a project, and the package that shows it.
 * @param {Record<string, any>} manifest package.json
 * @returns {{ framework: Framework, name: string, version: unknown } | null}
 */
export function findFramework ({ dependencies, devDependencies, scripts }) {
  const versions = { ...devDependencies, ...dependencies }
  const texts = Object.values(scripts ?? {}).filter(text => typeof text === 'string')
  for (const framework of FRAMEWORKS) {
    const name = framework.packages.find(name => Object.hasOwn(versions, name))
    // In a workspace the package may be in another package.json.
    if (name !== undefined || texts.some(text => framework.scripts?.test(text))) {
      return { framework, name: name ?? framework.packages[0], version: name === undefined ? null : versions[name] }
    }
  }
  return null
}

/**
 * Returns the framework that a package shows.
 * @param {string | undefined} name
 * @returns {Partial<Framework>} empty: unknown
 */
export const getFramework = name => FRAMEWORKS.find(({ packages }) => packages.includes(name ?? '')) ?? {}

/**
 * Returns a text of the table for a project.
 * @param {string} text
 * @param {Record<string, any>} manifest package.json
 */
export const withName = (text, { name }) => text.replace('NAME', String(name).replace(/^@[^/]+\//, ''))

/**
 * Returns the command of the built app of a project, or an example.
 * @param {Record<string, any>} manifest package.json
 * @param {string} [example]
 */
export const toStart = (manifest, example = 'node server.js') =>
  withName(findFramework(manifest)?.framework.start ?? example, manifest)
