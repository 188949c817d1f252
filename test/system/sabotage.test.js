/** Servers that lie, dropped into servers/ with nothing else edited: no ratio of theirs is a result. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { failsWell, hopbench, leavesNothing, placeFor } from '../support/cli.js'
import { copyOfProject } from '../support/project.js'

/** A server of JSON that does `answer` to each request. @param {string} answer */
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

const from = copyOfProject(t)
const drop = (/** @type {string} */ name, /** @type {string} */ answer) => writeFileSync(join(from, `servers/${name}.js`), server(answer))
drop('sometimes-500', 'res.writeHead(asked % 200 === 0 ? 500 : 200, headers).end(body)')
drop('wrong-bytes', "res.writeHead(200, headers).end(body.toString().replace(/[a-z]/, 'Q'))")
drop('wrong-later', "res.writeHead(200, headers).end(asked > 400 && asked % 3 === 0 ? body.toString().replace(/[a-z]/, 'Q') : body)")

t.test('servers that go wrong under load are invalid, alone and behind a proxy', async t => {
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'express-json', 'sometimes-500', 'nginx:uds/sometimes-500', 'wrong-later', '--quick', '--budget', '90s', '--json', '--results', place.results], { place, from, timeoutSeconds: 120 })
  t.equal(exit, 1) || t.comment(stderr)
  const { contrasts, arms } = JSON.parse(stdout)
  t.match(contrasts, [
    { arm: 'sometimes-500', verdict: 'invalid', why: /not 2xx/ },
    { arm: 'nginx:uds/sometimes-500', verdict: 'invalid', why: /not 2xx/ },
    { arm: 'wrong-later', verdict: 'invalid', why: /another body/ }
  ])
  const [honest, direct, proxied, later] = arms.map((/** @type {any} */ arm) => arm.errors)
  t.strictSame(honest, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  t.ok(direct.non2xx > 0 && proxied.non2xx > 0 && later.mismatches > 0)
  await leavesNothing(t, place)
})

t.test('a server of wrong bytes is refused before anything is measured', async t => {
  const place = placeFor(t)
  const result = await hopbench(['run', 'express-json', 'wrong-bytes', '--quick', '--results', place.results], { place, from })
  await failsWell(t, result, { place, exit: 1, says: /^wrong-bytes does not answer what it should: the body is another one/m })
})

t.test('what is left to compare is compared when one arm is refused', async t => {
  const place = placeFor(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'http-json', 'wrong-bytes', 'express-json', '--quick', '--budget', '12s', '--json', '--results', place.results], { place, from })
  t.equal(exit, 1, 'an answer is missing') || t.comment(stderr)
  const { contrasts } = JSON.parse(stdout)
  t.match(contrasts, [{ arm: 'wrong-bytes', verdict: 'invalid', why: /the body is another one/ }, { arm: 'express-json' }])
  t.not(contrasts[1].verdict, 'invalid')
  await leavesNothing(t, place)
})
