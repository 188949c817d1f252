/** Tests what of a start command no platform can run, through the scripts of package.json. */
import t from '../../../support/tap.js'
import { findUnfit, listStarted } from '../../../../bench/features/deploy/kit/start-script.js'
import { makeKitIn } from '../../../support/made-kit.js'

/** @import { Test } from 'tap' */

const NODE = { dependencies: { express: '^5.0.0' } }

/**
 * @param {Test} t
 * @param {Record<string, any>} manifest
 * @param {Partial<Parameters<typeof findUnfit>[1]> & { run?: string }} [options]
 */
const find = (t, manifest, { run = 'npm start', way = 'tcp', hasProductionPackages = true, build } = {}) => {
  const project = t.testdir({ 'package.json': JSON.stringify(manifest) })
  return findUnfit(run, { project, way, hasProductionPackages, build })
}

t.test('follows scripts of npm, pnpm and yarn to the programs that they start', t => {
  const scripts = {
    prestart: 'npm run build',
    build: 'tsc -p .',
    start: "cross-env NODE_ENV=production MODE='a b' node dist/main.js",
    loop: 'npm run loop',
    two: 'node a.js && yarn start'
  }
  const list = (/** @type {string} */ run) =>
    listStarted(run, { scripts }).map(({ script, program, args }) => [script, program, ...args].join(' '))
  t.strictSame(list('npm start'), ['build tsc -p .', 'start node dist/main.js'])
  t.strictSame(list('pnpm run build'), ['build tsc -p .'])
  t.strictSame(list('yarn run two'), ['two node a.js', 'build tsc -p .', 'start node dist/main.js'])
  t.strictSame(list('NODE_OPTIONS="--a b" npx tsx server.ts --x'), [' tsx server.ts --x'])
  t.strictSame(list('npm run start -w api'), [' npm run start -w api'], 'a script of another folder')
  t.strictSame(list('npm run loop'), ['loop npm run loop'], 'a script that starts itself')
  t.strictSame(listStarted('npm start', { scripts }).map(({ env }) => env),
    [{}, { NODE_ENV: 'production', MODE: 'a b' }])
  t.end()
})

t.test('a program of a package for development is not in an image', t => {
  /** @type {[string, Record<string, string>, RegExp][]} */
  const cases = [
    ['tsx src/server.ts', { tsx: '4' }, /needs tsx, .*not in an image/],
    ['cross-env NODE_ENV=production tsx src/server.ts', { tsx: '4' }, /needs tsx/],
    ['node_modules/.bin/ts-node server.ts', { 'ts-node': '10' }, /needs ts-node/],
    ['concurrently "node a.js" "node b.js"', { concurrently: '9' }, /needs concurrently/],
    ['nest start', { '@nestjs/cli': '11' }, /needs @nestjs\/cli/]
  ]
  for (const [start, devDependencies, why] of cases) {
    const manifest = { scripts: { start }, ...NODE, devDependencies }
    const [{ isFatal, ...unfit }] = find(t, manifest)
    t.match(unfit.why, why, start)
    t.equal(isFatal, true, start)
    t.strictSame(find(t, { ...manifest, dependencies: devDependencies }).filter(({ isFatal }) => isFatal), [], start)
    t.notMatch(find(t, manifest, { hasProductionPackages: false }).map(({ why }) => why).join(), /not in an image/)
  }
  const spa = { scripts: { start: 'vite preview' }, devDependencies: { vite: '6' } }
  t.match(find(t, spa).map(({ remedy }) => remedy), [/^Let nginx serve the files: nginx\/files /, /^Let nginx/])
  t.end()
})

t.test('a build before the start belongs into the image', t => {
  const scripts = { build: 'tsc -p .', prestart: 'npm run build', start: 'node dist/main.js' }
  t.strictSame(find(t, { scripts, ...NODE, devDependencies: { typescript: '5' } }), [{
    why: '"tsc -p ." of the script build needs typescript, a package for development, which is not in an image',
    remedy: "Start what the image has built: --build 'npm run build' --app 'node dist/main.js'.",
    isFatal: true
  }])
  t.end()
})

t.test('the remedy names what the app can start, and no build that the kit has already', t => {
  const remedy = (/** @type {string} */ start, more = {}, /** @type {object} */ scripts = { build: 'tsc' }) =>
    find(t, { scripts: { ...scripts, start }, ...NODE, devDependencies: { turbo: '2', tsx: '4' } }, more)[0].remedy
  t.match(remedy('turbo run start'), /--app 'npm start --workspace web'/)
  t.match(remedy('tsx src/main.ts'), /--build 'npm run build'/)
  t.match(remedy('tsx src/main.ts', {}, {}), /^Add a script build .*, and start .*--app 'node dist\/server.js'/)
  t.notMatch(remedy('tsx src/main.ts', { build: 'npm run build' }), /--build/)
  t.end()
})

t.test('servers in the background, with a port of their own, or for development', t => {
  /** @type {[string, RegExp, boolean][]} */
  const cases = [
    ['node server.js &', /background/, true],
    ['node server.js &> app.log', /background/, true],
    ['pm2 start server.js -i 2', /background/, true],
    ['forever start server.js', /background/, true],
    ['cross-env PORT=3040 node index.js', /sets port 3040/, true],
    ['PORT=3040 node index.js', /sets port 3040/, true],
    ['next start -p3040', /sets port 3040/, true],
    ['export PORT=3040; node index.js', /"node index.js" .*sets port 3040/, true],
    ['PORT=3040 npm run serve', /of the script serve sets port 3040/, true],
    ['cross-env PORT=3040 npm run serve', /of the script serve sets port 3040/, true],
    ['npm run serve -- --port 3040', /of the script serve sets port 3040/, true],
    ['yarn serve:it --port 3040', /sets port 3040/, true],
    ['serve -l 5000 dist', /sets port 5000/, true],
    ['next start --port=3001', /sets port 3001/, true],
    ['nodemon server.js', /for development/, false],
    ['node --watch server.js', /for development/, false],
    ['next dev', /for development/, false],
    ['vite --host', /for development/, false],
    ['react-scripts start', /for development/, false],
    ['vite preview', /status 403/, false]
  ]
  for (const [start, why, isFatal] of cases) {
    const found = find(t, { scripts: { start, serve: 'node server.js' }, ...NODE })
    t.strictSame(found.map(unfit => unfit.isFatal), [isFatal], start)
    t.match(found[0].why, why, start)
  }
  t.match(find(t, { scripts: { start: 'vite preview --port 4173' } }).map(({ why }) => why), [/403/, /port 4173/])
  t.end()
})

t.test('usual production commands are fit', t => {
  const starts = ['node server.js', 'node --enable-source-maps dist/main.js', 'next start', 'nuxt start',
    'pm2-runtime ecosystem.config.js', 'pm2 start app.js --no-daemon', 'NODE_ENV=production node index.js',
    'vite build', 'fastify start -p $PORT app.js', 'remix-serve build/index.js', 'node main.js "a & b"',
    'node a.js && node b.js', 'node server.js 2>&1', 'node server.js >> app.log 2>&1', 'node server.js >&2']
  for (const start of starts) t.strictSame(find(t, { scripts: { start }, ...NODE }), [], start)
  const own = { scripts: { start: 'PORT=3040 node index.js' } }
  t.strictSame(find(t, own, { way: 3040 }), [], 'the port of --listen')
  t.end()
})

t.test('a kit is not written for what does not start, and notes what is not meant for a platform', async t => {
  const kit = (/** @type {string} */ start, /** @type {object} */ more = {}) => makeKitIn(t, 'app', {
    files: { 'package.json': JSON.stringify({ scripts: { start }, ...NODE }), 'server.js': '' },
    arm: { app: ['npm start'], path: '/' },
    ...more
  })
  await t.rejects(kit('PORT=3040 node server.js'), { code: 'cannot-deploy', message: /sets port 3040/ })
  await t.rejects(kit('node server.js &'), { code: 'cannot-deploy', message: /in the background/ })
  const { notes } = await kit('node --watch server.js')
  t.strictSame(notes.slice(0, -1), [
    'Note: "node --watch server.js" of the script start is for development: it watches files, ' +
    "restarts, or compiles while it serves. Start the server itself: --app 'node server.js'."
  ])
  const project = { files: { 'package.json': JSON.stringify(NODE) }, arm: { app: ['npm start'], path: '/' } }
  await t.rejects(makeKitIn(t, 'app', project), { code: 'cannot-deploy', message: /script start/ })
})
