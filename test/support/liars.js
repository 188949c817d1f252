/** Servers with wrong responses, added to servers/ of a copy of the project. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyOfProject } from './project.js'

/** @import { Scope } from './cli.js' */

/**
 * Returns the source of a JSON server.
 * @param {string} answer statement that responds to a request
 */
const server = answer => `
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const about = { title: 'a liar', package: null, serves: ['json'], bytesFrom: 'memory', compression: 'none' }

export default async ({ root }) => {
  const body = await readFile(join(root, '1kb.json'))
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length }
  let asked = 0
  return (req, res) => {
    asked++
    ${answer}
  }
}
`

const LIARS = {
  'sometimes-500': 'res.writeHead(asked % 200 === 0 ? 500 : 200, headers).end(body)',
  'wrong-bytes': "res.writeHead(200, headers).end(body.toString().replace(/[a-z]/, 'Q'))",
  'wrong-later':
    "res.writeHead(200, headers).end(asked > 400 && asked % 3 === 0 ? body.toString().replace(/[a-z]/, 'Q') : body)"
}

/**
 * @param {Scope} t
 * @returns {string} the folder of the copy
 */
export function copyWithLiars (t) {
  const from = copyOfProject(t)
  for (const [name, answer] of Object.entries(LIARS)) writeFileSync(join(from, `servers/${name}.js`), server(answer))
  return from
}
