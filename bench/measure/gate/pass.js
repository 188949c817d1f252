/** What an arm answers before any load, against what it is to answer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expected, jsonFixture } from '../../topology/fixtures/fixtures.js'
import { countsNot } from './counts-proof.js'
import { ask, gateRequests, judgeAnswers } from './gate.js'
import { hasProxyOrigin } from '../../topology/proxy-origin.js'
import { passMixGate } from './path-mix.js'
import { answersItsOwn, fileReference, servesFiles, wireBody } from './reference.js'
import { passTlsGate } from './tls-proof.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'

/** @import { Expected } from '../../types.js' @import { Arm, Load } from '../../types.js'
 * @import { StagedArm } from '../shapes.js' @import { Findings } from './gate.js' */

/** Asks the arm for its bytes, and sets what its answers must be under load. @param {StagedArm} staged
 * @param {string} root @returns {Promise<string | null>} why it is refused */
export async function passGate (staged, root) {
  const wrongTls = await passTlsGate(staged)
  if (wrongTls) return wrongTls
  if (staged.arm.load.paths) return passMixGate(staged, root)
  const { arm, network, running } = staged
  const reference = await referenceFor(staged, root)
  if (typeof reference === 'string') return reference
  const before = isLaunched(arm) ? await running.origin() : null
  const findings = await ask({
    target: running.target,
    load: gateLoad(arm),
    network,
    times: gateRequests(reference.expected.bytes),
    keepBody: true
  })
  staged.bytesPerResponse = findings.bytesPerResponse ?? null
  const { cache } = arm.topology.proxy?.options ?? {}
  const cached = cache !== undefined && cache !== 'off' && cache !== false
  const why = judgeAnswers(findings, reference.expected, { cached, compresses: reference.compresses })
  if (why) return why
  expectUnderLoad(staged, reference, findings)
  // Behind a cache few requests reach it.
  if (cached || !before) return null
  const answered = findings.answers.reduce((sum, { times }) => sum + times, 0)
  return countsNot(before, await running.origin() ?? before, answered)
}

/** Is there a child of ours that counts? A proxy program in the server's place, and a command, are proven by other
 * counts. @param {Arm} arm */
const isLaunched = ({ topology }) =>
  topology.server !== null && topology.server.command === undefined && !hasProxyOrigin(topology)

/** @param {StagedArm} staged @param {{ file: string, expected: Expected }} reference @param {Findings} findings */
function expectUnderLoad (staged, reference, findings) {
  const { arm: { load, topology }, dir, target } = staged
  const { status, bytes, sha256, exactBytes } = reference.expected
  if (load.ignoreBody === undefined) target.expectBody = wireBody(reference, findings, dir)
  else if (sha256 !== null) target.expectMasked = sha256
  if (status !== 200) target.expectStatus = status
  if (topology.url === undefined && !topology.server?.command) return
  staged.answer = { status, bytes: sha256 !== null || exactBytes ? bytes : null, sha256 }
}

/** What is to be in no cache when the load begins is requested by another name: the answer is the same.
 * @param {Arm} arm @returns {Load} */
const gateLoad = ({ load }) =>
  load.cold ? { ...load, path: `${load.path}${load.path.includes('?') ? '&' : '?'}gate` } : load

/** @param {StagedArm} staged @param {string} root
 * @returns {Promise<{ expected: Expected, file: string, compresses: boolean } | string>} a string says why there is
 * nothing to compare with */
async function referenceFor (staged, root) {
  if (await answersItsOwn(staged.arm)) {
    const reference = await referenceOf(staged)
    return typeof reference === 'string' ? reference : { ...reference, compresses: false }
  }
  if (await servesFiles(staged.arm)) return fileReference(staged.arm, root)
  return {
    expected: expected(jsonFixture(), 'application/json; charset=utf-8'),
    file: join(root, '1kb.json'),
    compresses: false
  }
}

/** What a person's own app, or a server of pages, answers when it is queried without a proxy between.
 * @param {StagedArm} staged
 * @returns {Promise<{ expected: Expected, file: string } | string>} a string says why it cannot be compared */
async function referenceOf ({ arm, dir, network, running }) {
  const { answers, failures, body } = await ask({
    target: running.originTarget,
    load: arm.load,
    network,
    times: 8,
    keepBody: true
  })
  if (answers.length === 0) return `its own server does not answer (${failures[0]})`
  const { status, bytes, contentType, contentEncoding, location } = answers[0].answer
  const bytesOfBody = Buffer.from(body ?? '', 'base64')
  const { load } = arm
  if (status < 200 || status > 299) {
    const asked = `${load.method ?? 'GET'} ${pathWithoutSecrets(load.path)}`
    return `its own server answers ${asked} with status ${status}${location ? `, which leads to ${location}` : ''}`
  }
  // A body with the time of day in it can only be compared by its kind.
  const stable = new Set(answers.map(({ answer }) => answer.sha256)).size === 1
  const sha256 = stable && !load.compare ? answers[0].answer.sha256 : null
  const file = join(dir, 'reference.body')
  writeFileSync(file, bytesOfBody)
  const exactBytes = load.compare?.includes('length') ?? false
  return { file, expected: { status, bytes, contentType, contentEncoding, sha256, ...exactBytes && { exactBytes } } }
}
