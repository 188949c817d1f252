/** Tests from which folders and packages the files of pages come, for projects that a generator makes. */
import t from '../../support/tap.js'
import { sha256 } from '../../../bench/shared/sha256.js'
import files from '../../../bench/features/advise/rules/files.js'
import {
  divideServed, findServed, findSources, listCandidates, listServedPrefixes
} from '../../../bench/features/advise/find-folders.js'
import { FRAMEWORKS, withName } from '../../../bench/request/frameworks.js'
import { inProject, makeFacts, makeState } from '../../support/advice.js'

/**
 * @param {string} path
 * @param {string} text
 */
const toAsset = (path, text) => ({ path, bytes: text.length, sha256: sha256(text) })

t.test('finds the folder of each builder from what the app serves, and no copy of its source', async t => {
  const folders = FRAMEWORKS.flatMap(({ files = [] }) => files.map(({ prefix, folder }) =>
    ({ prefix, folder: withName(folder, { name: 'shop' }) })))
  t.ok(folders.length > 10)
  for (const { prefix, folder } of folders) {
    const texts = { 'js/app.js': `let a = '${folder}'`, 'b.css': 'p {}', 'c.svg': '<svg/>' }
    const dir = inProject(t, {
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, text])),
      // The builder has copied the file of the source, and has made the others.
      'src/c.svg': '<svg/>',
      'src/b.css': 'a {} '
    })
    const assets = Object.entries(texts).map(([name, text]) => toAsset(`${prefix}/${name}?v=1`, text))
    const served = findSources(dir, [...assets, toAsset('/unknown.js', 'let c')], 100)
    t.equal(served.files, 4)
    t.equal(served.unknown, 1)
    t.equal(served.share, served.bytes / (served.bytes + 100))
    // The end of a prefix may be part of the path of the folder.
    const [found] = served.folders
    t.equal(served.folders.length, 1)
    t.equal(found.files, 3)
    t.equal(`${folder}/b.css`, `${found.folder}${`${prefix}/b.css`.slice(found.prefix.length)}`)
    const prefixes = listServedPrefixes(served, assets)
    t.ok(prefixes.some(place => place.folder === folder || place.folder === `${folder}/js`), folder)
  }
})

t.test('names the package of files that no folder of the project has', async t => {
  const dir = inProject(t, {
    'node_modules/@me/editor/public/red/red.js': 'let red',
    'node_modules/.pnpm/ui@1/node_modules/ui/dist/ui.js': 'let ui'
  })
  const assets = [toAsset('/red/red.js', 'let red'), toAsset('/static/ui.js', 'let ui'), toAsset('/x.js', 'let x')]
  const served = findSources(dir, assets, 0)
  t.same(served.folders, [
    { prefix: '', folder: 'node_modules/@me/editor/public', files: 1 },
    { prefix: '/static', folder: 'node_modules/.pnpm/ui@1/node_modules/ui/dist', files: 1 }
  ])
  t.strictSame(listServedPrefixes(served, assets), [])
  const decide = (/** @type {import('../../../bench/types.js').ServedFiles | undefined} */ found) =>
    files.decide(makeState({ facts: makeFacts({ app: { files: found } }) }))
  t.match(decide(served), {
    decision: 'open',
    text: /the app sends 3 files \(100 % of the bytes of its pages\) from the packages @me\/editor and ui and others/
  })
  const unfound = { ...served, folders: [], unknown: 3 }
  t.match(decide(unfound).text, /from no folder in which they were found/)
  const without = findSources(dir, [], 9)
  t.match(decide(without), { decision: 'no-matter', text: /pages link to no file/ })
})

t.test('takes the folders inside of one that the app does not serve whole', async t => {
  const dir = inProject(t, { 'public/x/a.js': 'let a', 'public/x/y/b.js': 'let b' })
  const candidates = listCandidates(dir, ['/x/y', '/x'].map(prefix => ({ prefix, folder: `public${prefix}` })))
  const found = findServed(candidates, new Map(candidates.flatMap(({ probes }) =>
    probes.map(({ path, sha256 }) => [path, sha256]))))
  t.same(found, ['/x=./public/x', '/x/y=./public/x/y'])
  t.same(await divideServed(found, async () => null), { served: ['/x=./public/x'], leftOut: [] })
  t.same(await divideServed(found, async text => text.startsWith('/x=') ? 'status 401' : null),
    { served: ['/x/y=./public/x/y'], leftOut: ['--files /x=./public/x: status 401'] })
})
