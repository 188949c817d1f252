/** Folders of a small app in two builds, with files that have hashes in their names. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Handlers of SIGTERM, by name. */
const HANDLERS = {
  exits: 'process.exit(0)',
  drains: `server.close(() => process.exit(0))
  server.closeIdleConnections()
  setInterval(() => server.closeIdleConnections(), 20)`
}

/**
 * @param {string} build
 * @param {keyof typeof HANDLERS} handler
 */
const toServer = (build, handler) => `import { createServer } from 'node:http'
const build = '${build}'
const hash = build === 'old' ? 'a1b2c3d4' : 'e5f6a7b8'
const files = {
  '/': ['text/html', '<!doctype html><script type="module" src="/assets/main-' + hash + '.js"></script>'],
  ['/assets/main-' + hash + '.js']: ['text/javascript', 'import("./late-' + hash + '.js")'],
  ['/assets/late-' + hash + '.js']: ['text/javascript', 'export default "' + build + '"'],
  '/api/items': ['application/json', '[]']
}
const server = createServer((request, response) => {
  const [type, body] = files[request.url] ?? []
  setTimeout(() => {
    if (isEnding) response.setHeader('Connection', 'close')
    if (type === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'Content-Type': type }).end(body)
  }, 20)
})
let isEnding = false
process.on('SIGTERM', () => {
  isEnding = true
  ${HANDLERS[handler]}
})
server.listen(process.env.PORT, '127.0.0.1')
`

/**
 * Writes both builds.
 * @param {string} dir
 * @param {keyof typeof HANDLERS} handler
 * @returns {{ old: string, new: string }} their folders
 */
export function writeBuilds (dir, handler) {
  const folders = { old: join(dir, 'old'), new: join(dir, 'new') }
  for (const [build, folder] of Object.entries(folders)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'server.js'), toServer(build, handler))
    writeFileSync(join(folder, 'package.json'), '{"type":"module","scripts":{"start":"node server.js"}}')
  }
  return folders
}
